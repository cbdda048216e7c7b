import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boardFileName,
  formatBoard,
  packBoard,
  unpackBoard,
  parseBoard,
  readBoard,
} from '#app/counts/files/board-file.ts';
import { BAD_BOARD } from '#app/counts/cache/saved-board.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { MAX_NAME, MAX_NOTE } from '#app/counts/cache/saved-board.ts';
import { Fault } from '#contract/fault.ts';
import { PLANTS } from '#tests/support/shelf-laws.ts';

const { was, ...PLAIN } = PLANTS;
void was;

const texts = (max: number) =>
  fc.string({ minLength: 1, maxLength: max, unit: 'binary' }).filter((s) => s.trim() === s);
const instants = fc.integer({ min: -1e12, max: 4e12 });

const fixed = fc.nat(6).chain((buckets) =>
  fc.record({
    label: fc.string(),
    query: fc.string(),
    source: fc.string(),
    bounds: fc
      .uniqueArray(instants, { minLength: buckets + 1, maxLength: buckets + 1 })
      .map((all) => Float64Array.from(all.sort((a, b) => a - b))),
    counts: fc
      .array(fc.oneof(fc.nat(), fc.constant(Number.NaN), fc.double({ min: 0, max: 1e300 })), {
        minLength: buckets,
        maxLength: buckets,
      })
      .map((all) => Float64Array.from(all)),
    states: fc
      .array(fc.nat(5), { minLength: buckets, maxLength: buckets })
      .map((all) => Uint8Array.from(all)),
    fetchedAt: fc
      .array(fc.oneof(instants, fc.constant(Number.NaN)), {
        minLength: buckets,
        maxLength: buckets,
      })
      .map((all) => Float64Array.from(all)),
  }),
);

const boards: fc.Arbitrary<SavedBoard> = fc.record({
  id: fc.uuid(),
  name: texts(MAX_NAME),
  at: instants,
  opened: instants,
  view: fc.string(),
  notes: fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      start: instants,
      end: fc.constant(null),
      text: texts(MAX_NOTE),
    }),
    { selector: ({ id }) => id, maxLength: 4 },
  ),
  fixed: fc.array(fixed, { maxLength: 2 }),
});

function wrong(text: string): string {
  try {
    parseBoard(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.body.type).toBe(BAD_BOARD);
    expect(error.body.title).toBe('This file cannot be read as a board');
    return error.body.detail ?? '';
  }
  throw new Error('expected a fault');
}

describe('the file of a board', () => {
  it('gives the board back, and the same text again', () => {
    fc.assert(
      fc.property(boards, (board) => {
        const text = formatBoard(board);
        const back = parseBoard(text);
        expect(back).toEqual(board);
        expect(formatBoard(back)).toBe(text);
      }),
    );
  });

  it('is refused when it was cut off or any letter of it is another', () => {
    const text = formatBoard(PLAIN);
    fc.assert(
      fc.property(fc.nat(text.length - 3), (at) => {
        wrong(text.slice(0, at));
        const other = text.charAt(at) === '7' ? '8' : '7';
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        let same = false;
        try {
          // White space between its parts says nothing.
          same = JSON.stringify(JSON.parse(changed)) === JSON.stringify(JSON.parse(text));
        } catch {
          // No JSON: refused.
        }
        if (!same) wrong(changed);
      }),
    );
  });

  it.each([
    ['no JSON', 'start_utc,end_utc', /no JSON/],
    ['another JSON', '[]', /no board of Groundswell/],
    ['nothing', 'null', /no board of Groundswell/],
    ['a later form', '{"groundswell":"board","form":2}', /newer version .* form 2; .* form 1/],
    ['another content', formatBoard(PLAIN).replace('matcha', 'Matcha'), /changed or damaged/],
    [
      'a form that is no number',
      '{"groundswell":"board","form":{"toString":1}}',
      /form \{"toString":1\}/,
    ],
    [
      'a checksum that is none',
      '{"groundswell":"board","form":1,"sum":{"toString":1}}',
      /checksum/,
    ],
    ['nesting', '['.repeat(1_000_000), /nests more than 256 levels deep \(at position 257\)/],
    [
      'nesting inside',
      `{"groundswell":"board","form":1,"board":${'['.repeat(9000)}${']'.repeat(9000)}}`,
      /nests more than 256 levels/,
    ],
    ['many parts', `[${'[],'.repeat(1_100_000)}0]`, /more than 1000000 objects and lists/],
    ['no content', '{"groundswell":"board","form":1}', /changed or damaged/],
  ])('is refused with %s, in words', (_, text, words) => {
    expect(wrong(text)).toMatch(words);
  });

  it('is refused unread where it is larger than any', async () => {
    const file = new Blob([new Uint8Array(2 ** 25 + 1)]);
    const fault: unknown = await readBoard(file).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Fault);
    expect((fault as Fault).body.detail).toMatch(/more than 32 MB/);
    expect(await readBoard(new Blob([formatBoard(PLAIN)]))).toEqual(PLAIN);
  });

  it('is refused with a field that nobody knows or one that is none, though its checksum fits', () => {
    expect(wrong(formatBoard({ ...PLAIN, name: '' }))).toMatch(/not in order: name/);
    const long = [{ id: 'n', start: 0, end: null, text: 'x'.repeat(281) }];
    expect(wrong(formatBoard({ ...PLAIN, notes: long }))).toMatch(/notes\.0\.text/);
    const twice = [...PLAIN.notes, ...PLAIN.notes];
    expect(wrong(formatBoard({ ...PLAIN, notes: twice }))).toMatch(/each note once/);
    const [one] = PLAIN.fixed;
    if (!one) throw new Error('expected a series');
    for (const bounds of [
      [0, 1, Infinity],
      [-Infinity, 0, 1],
      [Number.NaN, 0, 1],
      [0, 1, 8.64e15],
      [-8.64e15, 0, 1],
    ]) {
      const beyond = { ...one, bounds: Float64Array.from(bounds) };
      expect(wrong(formatBoard({ ...PLAIN, fixed: [beyond] }))).toMatch(/fixed\.0: /);
    }
    const late = { ...one, fetchedAt: Float64Array.of(0, Infinity) };
    expect(wrong(formatBoard({ ...PLAIN, fixed: [late] }))).toMatch(/years 0 to 9999/);
    const falling = { ...one, bounds: Float64Array.of(0, 2, 1) };
    expect(wrong(formatBoard({ ...PLAIN, fixed: [falling] }))).toMatch(/fixed\.0: .*rising bounds/);
  });

  it.each([
    ['Plant drinks', 'Plant drinks.groundswell-board.json'],
    ['../a\\b: "c"?\n', 'a b c.groundswell-board.json'],
    ['...', 'Board.groundswell-board.json'],
  ])('is called by the name of the board %j', (name, file) => {
    expect(boardFileName(name)).toBe(file);
  });
});

it('is packed to a short text for the tab that left it, and comes back as it was', async () => {
  const minutes = 20_000;
  const bounds = Float64Array.from({ length: minutes + 1 }, (_, i) => i * 60_000);
  const fixed = {
    label: 'Minutes',
    query: '',
    source: '',
    bounds,
    counts: Float64Array.from({ length: minutes }, (_, i) => (i * 7) % 13),
    states: new Uint8Array(minutes).fill(5),
    fetchedAt: new Float64Array(minutes).fill(9),
  };
  const board = { ...PLAIN, fixed: [fixed] };
  const text = await packBoard(board);
  expect(await unpackBoard(text)).toEqual(board);
  expect(text.length).toBeLessThan(formatBoard(board).length / 4);
  await expect(unpackBoard(text.slice(1))).rejects.toThrow();
  await expect(unpackBoard('nothing of ours')).rejects.toThrow();
});
