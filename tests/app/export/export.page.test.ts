import { afterEach, expect, test } from 'vitest';
import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase } from '#app/counts/cache/database.ts';
import { wholeCache } from '#tests/support/data/whole-cache.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import type { ExportJob } from '#core/export/csv.ts';
import { readBundleFile, readCounts, writeBundleFile, writeFile } from '#app/export/file.ts';
import { pictureFile } from '#app/export/picture-file.ts';
import { slideOf } from '#app/export/slide.ts';
import { STATE } from '#core/series/series.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { cellSpan, DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { slide } from '#tests/support/data/slides.ts';

import { CATS, fill } from '#tests/support/data/inventory-laws.ts';

const EVERYTHING = [{ start: Date.UTC(2006, 2, 21), end: Infinity }];

const START = Date.UTC(2026, 0, 1);
const live = (): AbortSignal => new AbortController().signal;

function job(buckets: number): ExportJob {
  return {
    form: 'long',
    separator: ';',
    mark: true,
    timed: true,
    bounds: Float64Array.from({ length: buckets + 1 }, (_, i) => START + i * HOUR_MS),
    series: ['Oat; milk', '=Tea'].map((label) => ({
      query: label.toLowerCase(),
      label,
      source: 'posts',
      counts: Float64Array.from({ length: buckets }, (_, i) => i / 2),
      states: new Uint8Array(buckets).fill(STATE.settled),
      fetchedAt: new Float64Array(buckets).fill(START),
    })),
  };
}

async function ownFile(name: string): Promise<FileSystemFileHandle> {
  const folder = await navigator.storage.getDirectory();
  return await folder.getFileHandle(name, { create: true });
}

afterEach(async () => {
  const folder = await navigator.storage.getDirectory();
  await folder.removeEntry('out.csv').catch(() => undefined);
});

test('the worker streams the same content to a file as to a Blob, and reports its progress', async () => {
  const to = await ownFile('out.csv');
  const progress: number[] = [];
  const none = await writeFile(job(60_000), 'Europe/Berlin', to, live(), (rows, total) => {
    expect(total).toBe(120_000);
    progress.push(rows);
  });
  expect(none).toBeNull();
  expect(progress.length).toBeGreaterThan(1);
  expect(progress.at(-1)).toBe(120_000);
  const blob = await writeFile(job(60_000), 'Europe/Berlin', null, live(), () => undefined);
  expect(await (await to.getFile()).text()).toBe(await blob?.text());
});

test('the worker reads a streamed file back', async () => {
  const to = await ownFile('out.csv');
  await writeFile(job(500), 'UTC', to, live(), () => undefined);
  const reading = await readCounts(await to.getFile(), 'counts', live());
  if (!reading.ok) throw new Error(reading.problem.rule);
  expect(reading.series.map(({ label }) => label)).toEqual(['Oat; milk', '=Tea']);
  expect(reading.series[1]?.curve.counts).toEqual(job(500).series[1]?.counts);
});

test('the worker writes a workbook and a JSON file, and reads both back', async () => {
  const { bounds, series } = job(40);
  const jobs = [
    [
      'workbook',
      { form: 'xlsx', shape: 'long', timed: true, bounds, series, method: [], events: [] },
    ],
    ['json', { form: 'json', zone: 'UTC', resolution: 'hour', bounds, series }],
  ] as const;
  for (const [kind, given] of jobs) {
    const copy = structuredClone(given);
    const file = await writeFile(copy, 'UTC', null, live(), () => undefined);
    if (!file) throw new Error('expected a file');
    const reading = await readCounts(file, kind, live());
    if (!reading.ok) throw new Error(reading.problem.rule);
    expect(reading.series.map(({ label }) => label)).toEqual(['Oat; milk', '=Tea']);
    expect(reading.series[1]?.curve.counts).toEqual(series[1]?.counts);
  }
});

test('a cancelled file is empty', async () => {
  const to = await ownFile('out.csv');
  const stop = new AbortController();
  const work = writeFile(job(50_000), 'UTC', to, stop.signal, () => stop.abort());
  await expect(work).rejects.toMatchObject({ name: 'AbortError' });
  expect((await to.getFile()).size).toBe(0);
});

test('the worker writes and reads a bundle, and rejects a damaged one with a message', async () => {
  const cache = wholeCache(new CountsCache(new CountsDatabase('here')));
  await fill(cache);
  const { start } = cellSpan(100);
  const file = await writeBundleFile(
    {
      name: 'Pets',
      view: 'q=cats',
      notes: [],
      span: { start, end: start + 31 * DAY_MS },
      past: [],
      series: [
        {
          place: 0,
          label: 'Cats',
          counts: { from: 'cache', key: CATS, settleMs: SETTLE_MS, covered: EVERYTHING },
        },
      ],
      cache: await new CacheInventory(cache).export(),
    },
    live(),
  );
  const opened = await readBundleFile(file, live());
  expect(opened.series[0]?.series).toMatchObject({ from: 'bundle', label: 'Cats' });
  expect(opened.platform).toBeInstanceOf(Blob);
  await expect(readBundleFile(file.slice(0, -1), live())).rejects.toThrow(/damaged or was cut off/);
});

test('a slide becomes a PNG of twice its size on its own background', async () => {
  const file = await pictureFile((font) => slideOf(slide({ theme: 'dark' }), font), 'png');
  const image = await createImageBitmap(file);
  expect([image.width, image.height]).toEqual([1920, 1080]);
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context?.drawImage(image, 0, 0);
  const { data } = context?.getImageData(0, 0, image.width, image.height) ?? { data: [] };
  expect(Array.from(data.slice(0, 4))).toEqual([0x0f, 0x10, 0x13, 255]);
  let blue = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] === 0x5a && data[i + 1] === 0xb0 && data[i + 2] === 0xf5) blue += 1;
  }
  expect(blue).toBeGreaterThan(200);
});
