import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RATINGS } from '#core/notes/status.ts';
import { openService, type Service } from '#server/auth/store.ts';
import { importRatings } from '#server/notes/rating-file.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const file = temporaryFolder();
let service: Service;
let files = 0;

beforeAll(() => {
  service = openService(file('service.sqlite'), { random: (n) => randomBytes(n) });
});
afterAll(() => service.close());

let lastPost = 0n;
/** A note without ratings. */
function newNote(test = false): bigint {
  const post = (lastPost += 1n);
  const info = {
    text: 'https://example.com',
    classification: 'not_misleading' as const,
    misleading_tags: [],
    trustworthy_sources: true,
    is_media_note: false,
  };
  const id = post + 1000n;
  service.notes.add({ id, writer: '7', post, test, info, score: 0, createdAt: NOW }, () => {});
  return id;
}

const read = (content: string, name = 'csv', map: Readonly<Record<string, string>> = {}) => {
  const path = file(`ratings-${(files += 1)}.${name}`);
  writeFileSync(path, content);
  return importRatings(path, { notes: service.notes, map, now: NOW });
};
const ratingsOf = (note: bigint) =>
  service.notes.last({ writer: '7', test: false }, 1000).find(({ id }) => id === note)?.ratings;

describe('a file of ratings', () => {
  it('adds ratings once, from which the status follows', async () => {
    const note = newNote();
    const csv = `note,rating,count,time\n${note},helpful,4,2026-11-20T10:00:00Z\n${note},helpful,,2026-11-20T11:00:00Z\n${note},not-helpful,,\n`;
    const done = { rows: 3, refused: 0, reasons: [] };
    const notes = [{ note: String(note), status: 'currently_rated_helpful' }];
    expect(await read(csv)).toEqual({ ...done, added: 6, already: 0, notes });
    expect(await read(csv)).toEqual({ ...done, added: 0, already: 6, notes });
    expect(ratingsOf(note)).toEqual({ helpful: 5, somewhat_helpful: 0, not_helpful: 1 });
    service.notes.rate(note, 'helpful', 2);
    expect(ratingsOf(note)?.helpful).toBe(7);
  });

  it("reads JSON lines, and the columns of the platform's own files", async () => {
    const note = newNote();
    const lines = `{"note_id":"${note}","rating":"somewhat_helpful","count":2}\n`;
    expect(await read(lines, 'jsonl')).toMatchObject({ added: 2 });
    const tsv = `noteId\traterParticipantId\tcreatedAtMillis\thelpfulnessLevel\n${note}\tA\t1763000000000\tHELPFUL\n`;
    expect(await read(tsv, 'tsv')).toMatchObject({ added: 1, refused: 0 });
    const other = `which,vote\n${note},HELPFUL\n`;
    expect(await read(other, 'csv', { note: 'which', rating: 'vote' })).toMatchObject({ added: 1 });
    expect(ratingsOf(note)).toEqual({ helpful: 2, somewhat_helpful: 2, not_helpful: 0 });
  });

  it('reports each row that it refuses', async () => {
    const note = newNote();
    const test = newNote(true);
    const rows = [
      ['', 'helpful', '', '', 'names no note'],
      ['x', 'helpful', '', '', 'the note "x" is not an id'],
      ['5', 'helpful', '', '', 'there is no note 5 that can be rated; test notes cannot'],
      [String(test), 'helpful', '', '', 'can be rated'],
      [String(note), '', '', '', 'has no rating'],
      [String(note), 'great', '', '', 'the rating "great" is not one of helpful'],
      [String(note), 'helpful', '0', '', 'the count "0" is not a number from 1 to 1000000'],
      [String(note), 'helpful', '1', 'monday', 'the time "monday" is not of the form'],
      [String(note), 'helpful', '1', '2027-01-01T00:00:00Z', 'is in the future'],
    ];
    const csv = rows.map((row) => row.slice(0, 4).join(',')).join('\n');
    const report = await read(`note,rating,count,time\n${csv}\n`);
    expect(report).toMatchObject({ rows: rows.length, refused: rows.length, added: 0, notes: [] });
    for (const [i, row] of rows.entries()) {
      const found = report.reasons.filter(({ line }) => line === i + 2);
      expect(found).toMatchObject([{ reason: expect.stringContaining(row[4] ?? '') }]);
    }
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'rating\nhelpful\n',
      {},
      'has no column "note"; name the one that has it with --map note=COLUMN.',
    ],
    ['note,rating\n1,helpful\n', { note: 'x' }, 'has no column "x" (--map note=x).'],
    ['note,rating\n1,helpful\n', { vote: 'x' }, '--map knows no field "vote"; the fields are note'],
  ])('refuses %j with the map %j', async (csv, map, message) => {
    await expect(read(csv, 'csv', map)).rejects.toThrow(message);
  });

  it('adds nothing the second time, whatever is in it', async () => {
    const row = fc.record({
      rating: fc.constantFrom(...RATINGS),
      count: fc.integer({ min: 1, max: 9 }),
      time: fc.option(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_003 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
        const note = newNote();
        const csv = rows.map(
          ({ rating, count, time }) => `${note},${rating},${count},${time ?? ''}`,
        );
        const text = `note,rating,count,time\n${csv.join('\n')}\n`;
        const all = rows.reduce((sum, { count }) => sum + count, 0);
        expect(await read(text)).toMatchObject({ added: all, already: 0, refused: 0 });
        const rated = ratingsOf(note);
        expect(await read(text)).toMatchObject({ added: 0, already: all });
        expect(ratingsOf(note)).toEqual(rated);
      }),
    );
  });
});
