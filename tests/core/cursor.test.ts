import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packCursor, unpackCursor, type Seal } from '#core/cursor.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';

function sealBy(key: string): Seal {
  return (text) => createHmac('sha256', key).update(text).digest();
}
const seal = sealBy('a key');
const fields = fc.array(unicodeText({ maxLength: 12 }), { maxLength: 4 });

describe('a cursor', () => {
  it('returns its fields for the same query and key', () => {
    fc.assert(
      fc.property(fields, fc.string(), (fields, bound) => {
        expect(unpackCursor(packCursor(fields, bound, seal), bound, seal)).toEqual(fields);
      }),
    );
  });

  it('consists of digits and lower-case letters, so that it needs no escaping', () => {
    fc.assert(
      fc.property(fields, (fields) => {
        expect(packCursor(fields, '', seal)).toMatch(/^[0-9a-v]+$/);
      }),
    );
  });

  it('is refused for another query and another key', () => {
    const cursor = packCursor(['1', '2'], 'coffee by day', seal);
    expect(unpackCursor(cursor, 'coffee by hour', seal)).toBeNull();
    expect(unpackCursor(cursor, 'coffee by day', sealBy('another key'))).toBeNull();
  });

  it('is refused if any character is changed, added or removed', () => {
    const cursor = packCursor(['1500000000', '1400000000'], 'coffee', seal);
    for (let at = 0; at < cursor.length; at++) {
      for (const digit of ['0', '1', 'a', 'v', 'w', 'A', '-', 'é']) {
        if (cursor[at] === digit) continue;
        const changed = cursor.slice(0, at) + digit + cursor.slice(at + 1);
        expect(unpackCursor(changed, 'coffee', seal), changed).toBeNull();
      }
      expect(unpackCursor(cursor.slice(0, at), 'coffee', seal)).toBeNull();
      expect(unpackCursor(`${cursor.slice(0, at)}0${cursor.slice(at)}`, 'coffee', seal)).toBeNull();
    }
  });

  it('is refused if it is not a cursor at all', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600 }), (text) => {
        expect(unpackCursor(text, '', seal)).toBeNull();
      }),
    );
    expect(unpackCursor('0'.repeat(100_000), '', seal)).toBeNull();
  });
});
