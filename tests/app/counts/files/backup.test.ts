import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Section } from '#app/counts/files/backup-file.ts';
import { packed, sectionsOf } from '#app/counts/files/backup-file.ts';
import { crc32 } from '#app/counts/files/crc32.ts';
import { checkBackup } from '#app/counts/files/backup.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { BAD_BACKUP } from '#app/counts/cache/records.ts';
import { Fault } from '#contract/fault.ts';
import { cellSpan } from '#core/time/span.ts';
import { long } from '#tests/support/long.ts';
import { testCache } from '#tests/support/test-cache.ts';
import { runs } from '#tests/support/runs.ts';
import { bytesOf, everything, fill } from '#tests/support/shelf-laws.ts';

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.then(
    () => 'nothing',
    (e: unknown) => e,
  );
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  expect(error.body.type).toBe(BAD_BACKUP);
  return error;
}

const file = (bytes: Uint8Array): Blob => new Blob([new Uint8Array(bytes)]);

let whole: Uint8Array;
let sections: Section[];

beforeAll(async () => {
  const cache = testCache();
  await fill(cache);
  const blob = await new CacheInventory(cache).export();
  whole = await bytesOf(blob);
  sections = [];
  for await (const section of sectionsOf(blob)) sections.push(section);
});

async function* list(of: readonly Section[]): AsyncGenerator<Section> {
  yield* of;
}

/** A file with a checksum that fits, of other sections. */
const forged = (change: (sections: Section[]) => Section[]): Promise<Blob> =>
  packed(list(change(structuredClone(sections))));

type Json = Record<string, unknown>;

/** Sections with what one of them says as JSON changed. */
function rewritten(kind: string, change: (json: Json) => void): (of: Section[]) => Section[] {
  return (of) => {
    const at = of.findIndex((section) => section.kind === kind);
    const bytes = of[at]?.payload ?? new Uint8Array();
    const cell = kind === 'CELL';
    const length = cell ? new DataView(bytes.buffer).getUint32(0, true) : bytes.length;
    const from = cell ? 4 : 0;
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(from, from + length))) as Json;
    change(json);
    const text = new TextEncoder().encode(JSON.stringify(json));
    const head = new Uint8Array(from);
    if (cell) new DataView(head.buffer).setUint32(0, text.length, true);
    const payload = new Uint8Array([...head, ...text, ...bytes.subarray(from + length)]);
    return of.map((section, i) => (i === at ? { kind, payload } : section));
  };
}

const at = (json: Json, ...path: (string | number)[]): Json =>
  path.reduce<Json>((value, key) => value[key] as Json, json);

/** The first cell with another array of counts; it has one byte for each of 744 hours. */
const counted =
  (change: (counts: Uint8Array) => Uint8Array) =>
  (of: Section[]): Section[] =>
    of.map(({ kind, payload }, i) => {
      const at = payload.length - 744;
      const changed = change(payload.slice(at));
      const bytes = new Uint8Array([...payload.subarray(0, at), ...changed]);
      return { kind, payload: i === 1 ? bytes : payload };
    });

/** The first cell with another number in its first segment: from, to, or place of the receipt. */
const segment = (place: number, value: (was: number) => number) =>
  rewritten('CELL', (json) => {
    const [first] = json.segments as number[][];
    if (first) first[place] = value(first[place] ?? 0);
  });

const HOUR_MS = 3_600_000;

describe('a backup', () => {
  test('begins with its name and form, and ends with the checksum of all before', () => {
    expect(new TextDecoder().decode(whole.subarray(0, 8))).toBe('GRNDSWLL');
    const view = new DataView(whole.buffer, whole.byteOffset);
    expect(view.getUint32(8, true)).toBe(1);
    expect(view.getUint32(whole.length - 4, true)).toBe(crc32(whole.subarray(0, -4)));
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf4_3926);
  });

  test('is packed, and counts are in it as they are, never as text', () => {
    expect(sections.map(({ kind }) => kind).join(' ')).toBe(
      'SERI CELL CELL CELL SERI CELL CELL BORD END.',
    );
    const minutes = sections[3]?.payload.length ?? 0;
    expect(minutes).toBeGreaterThan(44_640 * 4);
    expect(minutes).toBeLessThan(44_640 * 4 + 500);
    expect(whole.length).toBeLessThan(5_000);
  });

  test('is refused with any bit flipped, and nothing of it is kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length * 8 - 1), async (bit) => {
        const bytes = whole.slice();
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const cache = testCache();
        const fault = await faultOf(new CacheInventory(cache).import(file(bytes)));
        expect(fault.body.detail).toMatch(
          bit < 64 ? /no backup of Groundswell/u : /damaged or was cut off/u,
        );
        expect(await everything(cache)).toEqual([]);
      }),
      { numRuns: long() ? 10_000 : 300 },
    );
  });

  test('is refused when it was cut off anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
        await faultOf(checkBackup(file(whole.slice(0, length))));
      }),
      { numRuns: runs(100) },
    );
  });

  test('of another form is said to be of a newer version', async () => {
    const bytes = whole.slice();
    bytes[8] = 2;
    const view = new DataView(bytes.buffer);
    view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
    const { body } = await faultOf(checkBackup(file(bytes)));
    expect(body.detail).toBe(
      'A newer version of Groundswell wrote it, in form 2; this one reads form 1.',
    );
  });

  test('that holds what this version does not know is said to be of a newer one', async () => {
    const boards = { kind: 'BRDS', payload: new Uint8Array(3) };
    const fault = await faultOf(checkBackup(await forged((of) => [...of.slice(0, -1), boards])));
    expect(fault.body.detail).toBe(
      'A newer version of Groundswell wrote it: it holds a part “BRDS” that this one does not know.',
    );
  });

  test.each<[string, (of: Section[]) => Section[], RegExp]>([
    ['no end', (of) => of.slice(0, -1), /its end is missing/u],
    ['more after the end', (of) => [...of, ...of], /follows after its end/u],
    ['a cell before any series', (of) => of.slice(1), /before any series/u],
    ['a cell less', (of) => of.toSpliced(2, 1), /should hold 5 records and holds 4/u],
    ['a cell twice', (of) => of.toSpliced(2, 0, of[1] as Section), /out of order/u],
    ['a series twice', (of) => [...of.slice(0, 4), ...of], /series are out of order/u],
    [
      'papers that are no JSON',
      (of) => of.with(0, { kind: 'SERI', payload: new Uint8Array(9) }),
      /Series 1 is not written/u,
    ],
    ['another source', rewritten('SERI', (j) => (at(j, 'series').source = 'x')), /series\.source/u],
    [
      'a price below nothing',
      rewritten('SERI', (j) => (at(j, 'receipts', 0).price = -1)),
      /receipts\.0\.price/u,
    ],
    [
      'a receipt without its time',
      rewritten('SERI', (j) => delete at(j, 'receipts', 1).at),
      /receipts\.1\.at/u,
    ],
    [
      'a field that nobody knows',
      rewritten('SERI', (j) => (at(j, 'receipts', 1).x = 1)),
      /receipts\.1\.x/u,
    ],
    ['a receipt twice', rewritten('SERI', (j) => (at(j, 'receipts', 1).id = 'a')), /rising id/u],
    [
      'an instant out of time',
      rewritten('SERI', (j) => (at(j, 'receipts', 0).at = 9e15)),
      /receipts\.0\.at/u,
    ],
    [
      'a run that would buy by itself',
      rewritten('SERI', (j) => (at(j, 'run').paused = false)),
      /run\.paused/u,
    ],
    ['a board twice', (of) => of.toSpliced(7, 0, of[7] as Section), /boards are out of order/u],
    ['a board less', (of) => of.toSpliced(7, 1), /should hold 1 boards and holds 0/u],
    [
      'a series after a board',
      (of) => [of[7] as Section, ...of.toSpliced(7, 1)],
      /A series comes after the boards/u,
    ],
    ['a board without a name', rewritten('BORD', (j) => (j.name = ' ')), /Board 1 .* name/u],
    [
      'a note that is too long',
      rewritten('BORD', (j) => (at(j, 'notes', 0).text = 'x'.repeat(281))),
      /notes\.0\.text/u,
    ],
    [
      'a note that ends before it starts',
      rewritten('BORD', (j) => (at(j, 'notes', 1).end = 5)),
      /notes\.1: expected an end after the start/u,
    ],
    [
      'a series from a file that is cut off',
      rewritten('BORD', (j) => (at(j, 'fixed', 0).counts = 'AAAAAAAA8D8=')),
      /fixed\.0: expected arrays as long as its buckets/u,
    ],
    ['an unknown granularity', rewritten('CELL', (j) => (j.granularity = 'week')), /granularity/u],
    ['a cell far out of time', rewritten('CELL', (j) => (j.cell = 1e6)), /cell/u],
    [
      'a width that does not fit',
      rewritten('CELL', (j) => (j.width = 2)),
      /should have 1488 bytes of counts and has 744/u,
    ],
    ['no segment', rewritten('CELL', (j) => (j.segments = [])), /segments/u],
    ['a segment off the grid', segment(0, (from) => from + 1), /segment 0 begins off the grid/u],
    ['a segment that ends before it begins', segment(1, () => 0), /segment 0 ends/u],
    [
      'segments that overlap',
      rewritten('CELL', (j) => {
        const all = j.segments as [number, number, number][];
        const [[from, to, note] = [0, 0, 0]] = all;
        all.push([to - HOUR_MS, to, note]);
        all[0] = [from, to - HOUR_MS + 1, note];
      }),
      /segment 1 begins before it may/u,
    ],
    ['a segment outside its cell', segment(1, () => cellSpan(102).start), /ends where it may not/u],
    ['a segment that names nothing', segment(2, () => 7), /names no receipt/u],
    [
      'a receipt that is not there',
      rewritten('CELL', (j) => ((j.notes as unknown[][])[0] = ['z', 1, 0, 'all'])),
      /receipt z, which is not there/u,
    ],
    [
      'a receipt for nothing',
      rewritten('CELL', (j) => (j.notes as unknown[]).push(['b', 1, 0, 'all'])),
      /named by no segment/u,
    ],
    ['a count where nothing is known', counted((all) => all.with(3, 1)), /bucket 3 has a count/u],
    [
      'counts wider than they need be',
      (of) =>
        rewritten(
          'CELL',
          (j) => (j.width = 2),
        )(counted((all) => new Uint8Array(Uint16Array.from(all).buffer))(of)),
      /wider than they need be/u,
    ],
  ])('is refused with %s, in words', async (_, change, words) => {
    const cache = testCache();
    const fault = await faultOf(new CacheInventory(cache).import(await forged(change)));
    expect(fault.body.detail).toMatch(words);
    expect(fault.body.title).toBe('This file cannot be read as a backup');
    expect(await everything(cache)).toEqual([]);
  });
});
