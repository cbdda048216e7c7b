import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonExcess, MAX_DEPTH, parseJson } from '#core/text/bounded-json.ts';
import { runs } from '#tests/support/run/runs.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + partsOf(part), 1);
}

describe('the bounds of JSON', () => {
  it('are exceeded exactly by deeper values and by more parts, whatever the strings contain', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 6 },
        fc.string({ unit: fc.constantFrom('"', '\\\\', '[', '{', ']', '}', 'a') }),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: fc.constantFrom('"', '\\\\', '[') }), tie('any'), {
          maxKeys: 3,
        }),
      ),
    })).any;
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(0, 1),
        fc.integer({ min: 1, max: 9 }),
        (given, indent, bound) => {
          const text = JSON.stringify(given, null, indent);
          expect(jsonExcess(text, bound, Infinity) !== null).toBe(depthOf(given) > bound);
          expect(jsonExcess(text, Infinity, bound) !== null).toBe(partsOf(given) > bound);
          expect(parseJson(text)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('name the position of the first bracket beyond them', () => {
    expect(jsonExcess('["[", [[', 2, Infinity)).toEqual({ kind: 'depth', at: 7 });
    expect(() => parseJson(`{"a":${'['.repeat(30_000_000)}`)).toThrow(
      `it nests more than ${MAX_DEPTH} levels deep (at position 261)`,
    );
  });
});
