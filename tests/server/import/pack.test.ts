import fc from 'fast-check';
import { expect, it } from 'vitest';
import { noRelations } from '#server/import/archive-relations.ts';
import { packReading, unpackReading } from '#server/import/pack.ts';
import type { ReadBatch } from '#server/import/reading.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const maybe = fc.option(text);
const list = fc.array(text, { maxLength: 4 });
const post = fc.record({
  id: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  createdAt: fc.integer({ min: 0, max: 4e12 }),
  authorId: maybe,
  username: maybe,
  text,
  lang: maybe,
  rest: maybe,
  facts: maybe,
  terms: fc.record({ words: list, urlWords: list, flags: list }),
});

it('a reading is the same after packing and unpacking', () => {
  fc.assert(
    fc.property(fc.array(post, { maxLength: 6 }), (posts) => {
      const reading: ReadBatch = {
        kind: 'csv',
        file: 'a.csv',
        bytesRead: 3,
        bytesTotal: 9,
        posts,
        objects: [{ kind: 'users', key: '7', json: '{}' }],
        relations: [{ relation: { kind: 'like', source: 8n, target: 2n ** 62n } }],
        requests: [{ post: 2n ** 62n, createdAt: 5, count: 2, links: [] }],
        figures: { ...noRelations(), likes: 1 },
        refused: [{ file: 'a.csv', line: 2, reason: 'is not an object' }],
      };
      const { packed, transfer } = packReading(reading);
      expect(unpackReading(structuredClone(packed, { transfer }))).toEqual(reading);
    }),
  );
});
