import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boardFileName,
  notesOf,
  packBoard,
  readBoard,
  unpackBoard,
  writeBoard,
} from '#app/counts/files/board-file.ts';
import {
  BAD_BOARD,
  MAX_CONTROLS,
  MAX_NAME,
  MAX_NOTE,
  type Note,
  type SavedBoard,
} from '#app/counts/cache/saved-board.ts';
import { Fault } from '#contract/fault.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { at, flipped, forged, rewritten } from '#tests/support/data/archives.ts';
import { runs } from '#tests/support/run/runs.ts';
import { PLANTS } from '#tests/support/data/inventory-laws.ts';

const { was: _, ...PLAIN } = PLANTS;

const texts = (max: number) =>
  unicodeText({ minLength: 1, maxLength: max }).filter((s) => s.trim() === s);
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

const note: fc.Arbitrary<Note> = fc.record({
  id: fc.uuid(),
  start: instants,
  end: fc.constant(null),
  text: texts(MAX_NOTE),
});

const amount = fc.option(fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e12, noNaN: true })));
const spent = { spend: amount, impressions: amount, clicks: amount };
const campaign: fc.Arbitrary<Note> = fc
  .tuple(
    note,
    fc.integer({ min: 1, max: 1e10 }),
    fc.record({
      ...spent,
      currency: fc.constantFrom('EUR', 'JPY', null),
      budget: amount,
      days: fc
        .uniqueArray(fc.record({ start: instants, ...spent }), {
          selector: ({ start }) => start,
          maxLength: 4,
        })
        .map((days) => days.sort((a, b) => a.start - b.start)),
      tag: fc.string(),
      source: fc.string(),
      ad: fc.record({ account: fc.string(), campaign: fc.string() }),
      control: fc.option(
        fc.record({
          topic: fc.string(),
          queries: fc.array(fc.string(), { maxLength: MAX_CONTROLS }),
          chosen: instants,
          changes: fc.nat(),
        }),
      ),
    }),
  )
  .chain(([named, length, { ad, ...campaign }]) =>
    fc.constantFrom({}, { ad }).map((from) => ({
      ...named,
      end: named.start + length,
      campaign: { ...campaign, ...from },
    })),
  );

const boards: fc.Arbitrary<SavedBoard> = fc.record({
  id: fc.uuid(),
  name: texts(MAX_NAME),
  at: instants,
  opened: instants,
  view: fc.string(),
  notes: fc.uniqueArray(fc.oneof(note, campaign), { selector: ({ id }) => id, maxLength: 4 }),
  fixed: fc.array(fixed, { maxLength: 2 }),
});

async function wrong(file: Blob): Promise<string> {
  const error: unknown = await readBoard(file).then(
    () => 'read',
    (error: unknown) => error,
  );
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  expect(error.body.type).toBe(BAD_BOARD);
  expect(error.body.title).toBe('This file cannot be read as a board');
  return error.body.detail ?? '';
}

const bytesOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

it('has the same bytes whatever the order of a campaign’s members', async () => {
  const [notes, again] = [PLAIN.notes, (await readBoard(await writeBoard(PLAIN))).notes];
  expect(JSON.stringify(again)).not.toBe(JSON.stringify(notes));
  expect(await packBoard({ ...PLAIN, notes: again })).toBe(await packBoard(PLAIN));
});

describe('the file of a board', () => {
  it('returns the board unchanged, and the same bytes when written again', async () => {
    await fc.assert(
      fc.asyncProperty(boards, async (board) => {
        const file = await writeBoard(board);
        const back = await readBoard(file);
        expect(back).toEqual(board);
        expect(await bytesOf(await writeBoard(back))).toEqual(await bytesOf(file));
      }),
      { numRuns: runs(100) },
    );
  });

  it('is rejected or has the same board when any bit is flipped, and is rejected if cut off', async () => {
    const bytes = await bytesOf(await writeBoard(PLAIN));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length * 8 - 1),
        fc.nat(bytes.length - 1),
        async (bit, length) => {
          const file = flipped(bytes, bit);
          const board = await readBoard(file).catch(() => null);
          if (board) expect(board).toEqual(PLAIN);
          else await wrong(file);
          await wrong(new Blob([bytes.slice(0, length)]));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it.each<[string, (json: Record<string, unknown>) => void, RegExp]>([
    ['no name', (json) => (at(json, 'board').name = ''), /Its manifest is not valid: board\.name/],
    [
      'a long note',
      (json) => (at(json, 'board', 'notes', 0).text = 'x'.repeat(281)),
      /board\.notes\.0\.text/,
    ],
    [
      'a note twice',
      (json) => {
        const notes = at(json, 'board').notes as unknown[];
        notes.push(notes[0]);
      },
      /each note once/,
    ],
    ['an unknown field', (json) => (at(json, 'board').x = 1), /board\.x/],
    [
      'numbers that belong to no series',
      (json) => (at(json, 'board').fixed = []),
      /Nothing in it refers/,
    ],
    [
      'another number of buckets',
      (json) => (at(json, 'board', 'fixed', 0).buckets = 3),
      /expected 83 bytes for 3 buckets, got 58/,
    ],
    [
      'the numbers of another part',
      (json) => (at(json, 'board', 'fixed', 0).part = 2),
      /"fixed\/2\.bin" is missing/,
    ],
  ])('is rejected with a message for %s', async (_, change, words) => {
    const file = await forged(await writeBoard(PLAIN), rewritten('manifest.json', change));
    expect(await wrong(file)).toMatch(words);
  });

  const [panel] = PLAIN.fixed;
  if (!panel) throw new Error('expected a series');
  it.each<[string, Partial<typeof panel>, RegExp]>([
    ['an infinite bound', { bounds: Float64Array.of(0, 1, Infinity) }, /years 0 to 9999/],
    ['a bound at minus infinity', { bounds: Float64Array.of(-Infinity, 0, 1) }, /years 0 to 9999/],
    ['a missing bound', { bounds: Float64Array.of(Number.NaN, 0, 1) }, /bounds/],
    ['a bound after the year 9999', { bounds: Float64Array.of(0, 1, 8.64e15) }, /years 0 to 9999/],
    ['descending bounds', { bounds: Float64Array.of(0, 2, 1) }, /ascending bounds/],
    ['an infinite fetch time', { fetchedAt: Float64Array.of(0, Infinity) }, /years 0 to 9999/],
    ['an infinite count', { counts: Float64Array.of(0, -Infinity) }, /numbers or missing/],
    ['an unknown state', { states: Uint8Array.of(0, 99) }, /known states/],
  ])('is rejected for %s in a series from a file', async (_, change, words) => {
    const detail = await wrong(await writeBoard({ ...PLAIN, fixed: [{ ...panel, ...change }] }));
    expect(detail).toMatch(words);
    expect(detail).toMatch(/^Series 1 from a file, of the board “Plant drinks”, is not valid/);
  });

  it.each([
    ['Plant drinks', 'Plant drinks.groundswell-board'],
    ['../a\\b: "c"?\n', 'a b c.groundswell-board'],
    ['...', 'Board.groundswell-board'],
  ])('is named after the board %j', (name, file) => {
    expect(boardFileName(name)).toBe(file);
  });
});

it('packBoard writes a short text that unpackBoard reads unchanged', async () => {
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
  expect(text.length).toBeLessThan((minutes * 25) / 4);
  await expect(unpackBoard(text.slice(1))).rejects.toThrow();
  await expect(unpackBoard('nothing of ours')).rejects.toThrow();
});

it('notesOf accepts stored notes only if all of them are valid', () => {
  expect(notesOf(PLAIN.notes)).toEqual(PLAIN.notes);
  expect(notesOf([])).toEqual([]);
  expect(notesOf([...PLAIN.notes, { id: 'n' }])).toBeNull();
  expect(notesOf('notes')).toBeNull();
});
