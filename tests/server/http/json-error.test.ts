import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorAt } from '#server/http/json-error.ts';
import { runs } from '#tests/support/run/runs.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the position where a text stops being JSON', () => {
  it.each([
    ['{"text":"tea"}', null],
    [' [1, -0.5e+3, true, false, null, {}, [], "\\u00e9\\n"] ', null],
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['{"text"', 7],
    ['{"text":', 8],
    ['{"text":"tea', 12],
    ['{"text":"tea"', 13],
    ['{"text":tea}', 8],
    ["{'text':1}", 1],
    ['{text:1}', 1],
    ['{"a":1,}', 7],
    ['{"a":1 "b":2}', 7],
    ['[1,]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['{} {}', 3],
    ['"a\nb"', 2],
    ['"a\\x"', 2],
    ['"\\u12g4"', 1],
    ['01', 1],
    ['-', 0],
    ['1.', 1],
    ['nul', 0],
    ['truey', 4],
    ['\ufeff{}', 0],
    ['//a', 0],
  ])('of %j is %o', (text, at) => {
    expect(jsonErrorAt(text)).toBe(at);
    expect(isJson(text)).toBe(at === null);
  });

  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', '"', '}', ']', ',', ':', '\\', '0', '\u0001', 'x'),
    )
    .map(([text, at, cut, put]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + cut);
    });

  it('is null if and only if JSON.parse accepts the text', () => {
    fc.assert(
      fc.property(fc.oneof(broken, fc.json(), fc.string()), (text) => {
        expect(jsonErrorAt(text) === null).toBe(isJson(text));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('is found at any depth', () => {
    expect(jsonErrorAt('['.repeat(60_000))).toBe(60_000);
    expect(jsonErrorAt('{"a":'.repeat(10_000))).toBe(50_000);
  });
});
