import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkBackup } from '#app/counts/files/backup.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { BAD_BACKUP } from '#app/counts/cache/records.ts';
import { Fault } from '#contract/fault.ts';
import { cellSpan } from '#core/time/span.ts';
import {
  at,
  boundaries,
  flipped,
  forged,
  partsOf,
  rewritten,
  type Parts,
} from '#tests/support/data/archives.ts';
import { long } from '#tests/support/run/long.ts';
import { testCache } from '#tests/support/run/test-cache.ts';
import { runs } from '#tests/support/run/runs.ts';
import { bytesOf, everything, fill } from '#tests/support/data/inventory-laws.ts';

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
let held: Awaited<ReturnType<typeof everything>>;

beforeAll(async () => {
  const cache = testCache();
  await fill(cache);
  whole = await bytesOf(await new CacheInventory(cache).export());
  held = await everything(cache);
});

type Change = (parts: Parts) => void;
type Json = Record<string, unknown>;

const CATS = 'series/1.json';
const HOURS = 'cells/1-hour.bin';
/** Changes the entry of the first cell of the first series, a cell of hours. */
const cell = (change: (json: Json) => void): Change =>
  rewritten(CATS, (json) => change(at(json, 'cells', 0)));

/** Changes the counts by the hour: two cells of 744 hours, the first with one byte per count. */
const counted =
  (change: (counts: Uint8Array) => Uint8Array): Change =>
  (parts) =>
    void parts.set(HOURS, change((parts.get(HOURS) as Uint8Array).slice()));

/** Changes a number in the first segment of the first cell: from, to, or index of the receipt. */
const segment = (place: number, value: (was: number) => number): Change =>
  cell((json) => {
    const [first] = json.segments as number[][];
    if (first) first[place] = value(first[place] ?? 0);
  });

const renamed =
  (from: string, to: string): Change =>
  (parts) => {
    const bytes = parts.get(from) as Uint8Array;
    parts.delete(from);
    parts.set(to, bytes);
  };

const HOUR_MS = 3_600_000;

describe('a backup', () => {
  test('has an entry for each series, and its counts in binary form, never as text', async () => {
    const parts = await partsOf(file(whole));
    expect([...parts.keys()]).toEqual([
      'manifest.json',
      'fixed/1.bin',
      'series/1.json',
      'cells/1-minute.bin',
      'cells/1-hour.bin',
      'series/2.json',
      'cells/2-day.bin',
    ]);
    expect(parts.get('cells/1-minute.bin')).toHaveLength(44_640 * 4);
    expect(whole.length).toBeLessThan(5_000);
  });

  test('is rejected or has the same content when any bit is flipped; rejected files change nothing', async () => {
    const numRuns = long() ? 10_000 : 20;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length * 8 - 1), async (bit) => {
        const cache = testCache();
        const error = await new CacheInventory(cache).import(flipped(whole, bit)).then(
          () => null,
          (error: unknown) => error,
        );
        if (error) expect((error as Fault).body.type).toBe(BAD_BACKUP);
        if (error) refused += 1;
        expect(await everything(cache)).toEqual(error ? [] : held);
      }),
      { numRuns },
    );
    expect(refused).toBeGreaterThan(numRuns / 3);
  });

  test('is rejected if it was cut off, even between parts', async () => {
    const cuts = fc.oneof(fc.constantFrom(...boundaries(whole)), fc.nat(whole.length - 1));
    await fc.assert(
      fc.asyncProperty(cuts, async (length) => {
        await faultOf(checkBackup(file(whole.slice(0, length))));
      }),
      { numRuns: runs(100) },
    );
  });

  test.each<[string, Change, RegExp]>([
    ['missing counts', (parts) => parts.delete(HOURS), /"cells\/1-hour\.bin" is missing/u],
    [
      'a missing series',
      (parts) => parts.delete(CATS),
      /Nothing in it refers .* "cells\/1-minute/u,
    ],
    ['a gap in the numbers of series', renamed(CATS, 'series/3.json'), /Nothing in it refers/u],
    [
      'a series twice',
      (parts) => parts.set('series/2.json', parts.get(CATS) as Uint8Array),
      /series are out of order/u,
    ],
    [
      'series in another order',
      (parts) => {
        const [one, two] = [parts.get(CATS), parts.get('series/2.json')];
        for (const name of parts.keys()) if (name.startsWith('cells/')) parts.delete(name);
        const bare = (bytes?: Uint8Array): Uint8Array => {
          const json = JSON.parse(new TextDecoder().decode(bytes)) as Json;
          return new TextEncoder().encode(JSON.stringify({ ...json, cells: [] }));
        };
        parts.set(CATS, bare(two));
        parts.set('series/2.json', bare(one));
      },
      /series are out of order/u,
    ],
    [
      'a series that is not JSON',
      (parts) => parts.set(CATS, new Uint8Array(9)),
      /Series 1 is not JSON/u,
    ],
    [
      'a series that is not UTF-8',
      (parts) => parts.set(CATS, Uint8Array.of(0x22, 0xff, 0x22)),
      /Series 1 is not JSON/u,
    ],
    ['another source', rewritten(CATS, (j) => (at(j, 'series').source = 'x')), /series\.source/u],
    [
      'a negative price',
      rewritten(CATS, (j) => (at(j, 'receipts', 0).price = -1)),
      /receipts\.0\.price/u,
    ],
    [
      'a receipt without its time',
      rewritten(CATS, (j) => delete at(j, 'receipts', 1).at),
      /receipts\.1\.at/u,
    ],
    ['an unknown field', rewritten(CATS, (j) => (at(j, 'receipts', 1).x = 1)), /receipts\.1\.x/u],
    ['a receipt twice', rewritten(CATS, (j) => (at(j, 'receipts', 1).id = 'a')), /ascending id/u],
    [
      'an instant out of range',
      rewritten(CATS, (j) => (at(j, 'receipts', 0).at = 9e15)),
      /receipts\.0\.at/u,
    ],
    [
      'a run that is not paused',
      rewritten(CATS, (j) => (at(j, 'run').paused = false)),
      /run\.paused/u,
    ],
    [
      'a board twice',
      rewritten('manifest.json', (j) => {
        const boards = j.boards as unknown[];
        boards.push(boards[0]);
      }),
      /boards: expected rows by ascending id/u,
    ],
    [
      'a missing board',
      rewritten('manifest.json', (j) => (j.boards = [])),
      /Nothing in it refers to its part "fixed\/1\.bin"/u,
    ],
    [
      'a board without a name',
      rewritten('manifest.json', (j) => (at(j, 'boards', 0).name = ' ')),
      /boards\.0\.name/u,
    ],
    [
      'a note that is too long',
      rewritten('manifest.json', (j) => (at(j, 'boards', 0, 'notes', 0).text = 'x'.repeat(281))),
      /notes\.0\.text/u,
    ],
    [
      'a note that ends before it starts',
      rewritten('manifest.json', (j) => (at(j, 'boards', 0, 'notes', 1).end = 5)),
      /notes\.1: expected an end after the start/u,
    ],
    [
      'a series from a file that is cut off',
      (parts) => parts.set('fixed/1.bin', new Uint8Array(57)),
      /Series 1 from a file, of the board “Plant drinks”, is not valid: expected 58 bytes for 2 buckets, got 57/u,
    ],
    ['an unknown granularity', cell((j) => (j.granularity = 'week')), /granularity/u],
    ['a cell out of range', cell((j) => (j.cell = 1e6)), /cell/u],
    [
      'a cell twice',
      rewritten(CATS, (j) => void (j.cells as unknown[]).unshift((j.cells as unknown[])[0])),
      /The cells of “cats as typed” \(platform\) are out of order/u,
    ],
    [
      'a wrong width',
      cell((j) => (j.width = 2)),
      /by the hour should have 2232 bytes and have 1488/u,
    ],
    ['no segment', cell((j) => (j.segments = [])), /segments/u],
    ['a segment off the grid', segment(0, (from) => from + 1), /segment 0 begins off the grid/u],
    ['a segment that ends before it begins', segment(1, () => 0), /segment 0 ends/u],
    [
      'segments that overlap',
      cell((j) => {
        const all = j.segments as [number, number, number][];
        const [[from, to, note] = [0, 0, 0]] = all;
        all.push([to - HOUR_MS, to, note]);
        all[0] = [from, to - HOUR_MS + 1, note];
      }),
      /segment \d begins before it may/u,
    ],
    ['a segment outside its cell', segment(1, () => cellSpan(102).start), /ends where it may not/u],
    ['a segment without a receipt', segment(2, () => 7), /names no receipt/u],
    [
      'a cell whose receipt is missing',
      cell((j) => ((j.receipts as unknown[][])[0] = ['z', 1, 0, 'all'])),
      /receipt z, which is missing/u,
    ],
    [
      'a receipt that no segment uses',
      cell((j) => (j.receipts as unknown[]).push(['c', 1, 0, 'all'])),
      /no segment names one of its receipts/u,
    ],
    ['a count outside the segments', counted((all) => all.fill(1, 0, 8)), /bucket \d has a count/u],
    [
      'counts wider than necessary',
      (parts) => {
        cell((j) => (j.width = 2))(parts);
        counted((all) => {
          const [first, second] = [all.subarray(0, 744), all.subarray(744)];
          return Uint8Array.of(...new Uint8Array(Uint16Array.from(first).buffer), ...second);
        })(parts);
      },
      /wider than they need be/u,
    ],
  ])('is rejected with a message for %s', async (_, change, words) => {
    const cache = testCache();
    const fault = await faultOf(
      new CacheInventory(cache).import(await forged(file(whole), change)),
    );
    expect(fault.body.detail).toMatch(words);
    expect(fault.body.title).toBe('This file cannot be read as a backup');
    expect(await everything(cache)).toEqual([]);
  });
});
