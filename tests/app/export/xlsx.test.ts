import { unzipSync } from 'fflate';
import fc from 'fast-check';
import { readXlsx as readWorkbook, writeXlsx as saveWorkbook } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import { uniqueLabels, type ExportSeries } from '#core/export/csv.ts';
import { EVENT_COLUMNS, eventCells, fileEvents } from '#app/events/event-file.ts';
import type { FileSeries } from '#app/export/fixed.ts';
import { ownKind } from '#app/board/saved/board-files.ts';
import { readXlsx } from '#app/export/read-xlsx.ts';
import { xlsxBlocks } from '#app/export/xlsx.ts';
import { openFile } from '#app/import/open-file.ts';
import { fileKind, HEAD_BYTES } from '#app/import/file-kind.ts';
import { STATE } from '#core/series/series.ts';
import { ARCHIVE_START, HOUR_MS } from '#core/time/span.ts';
import { isoLocal, zoneTable } from '#core/time/zone.ts';
import { events, LAST } from '#tests/support/data/events.ts';
import { exportJobs } from '#tests/support/data/export-jobs.ts';
import { runs } from '#tests/support/run/runs.ts';
import type { XlsxJob } from '#app/export/xlsx/counts-sheet.ts';
import { problemWords } from '#app/export/csv-problem.ts';

const METHOD: XlsxJob['method'] = [
  { of: 'note', name: 'Time zone of the buckets', value: 'UTC' },
  { of: 'note', name: '', value: 'A missing count is left empty, never zero.' },
  { of: 'series', name: '', value: '=1+1' },
  { of: 'fact', name: 'Query', value: '-cats' },
];

type Given = Omit<XlsxJob, 'form' | 'method' | 'events'> & Partial<XlsxJob>;

async function written(given: Given, zone: string) {
  const job: XlsxJob = { form: 'xlsx', method: METHOD, events: [], ...given };
  const span = { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 1 };
  const table = zoneTable(zone, span);
  const parts: Uint8Array[] = [];
  for await (const { bytes } of xlsxBlocks(job, table)) {
    parts.push(bytes);
  }
  return { bytes: new Uint8Array(parts.flatMap((part) => [...part])), table };
}

async function read(bytes: Uint8Array<ArrayBuffer>): Promise<readonly FileSeries[]> {
  const reading = await readXlsx(bytes);
  if (!reading.ok) throw new Error(problemWords(reading.problem));
  return reading.series;
}

/** A text as UTF-8 encodes it. */
const encoded = (text = ''): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));

const sameStates = (one: Uint8Array, other: Uint8Array | undefined, state: number): void =>
  expect([...one].map((each) => each === state)).toEqual(
    [...(other ?? [])].map((each) => each === state),
  );

it('reads back to the same series, and is identical when written again', async () => {
  await fc.assert(
    fc.asyncProperty(exportJobs, async ({ zone, form, timed, bounds, series }) => {
      const job = { shape: form, timed, bounds, series };
      const { bytes } = await written(job, zone);
      const back = await read(bytes);
      const labels = uniqueLabels(series.map(({ label }) => label));
      expect(back.map(({ label }) => label)).toEqual(labels);
      for (const [i, { query, source, curve }] of back.entries()) {
        const one = series[i];
        expect(curve.bounds).toEqual(bounds);
        expect(curve.counts).toEqual(one?.counts.map((count) => count + 0));
        sameStates(curve.states, one?.states, STATE.settled);
        sameStates(curve.states, one?.states, STATE.uncovered);
        if (form === 'wide') continue;
        expect([query, source]).toEqual([one?.query, one?.source].map(encoded));
        expect(curve.states).toEqual(one?.states);
        expect(curve.fetchedAt).toEqual(one?.fetchedAt);
      }
      const again = back.map((each): ExportSeries => ({ ...each, ...each.curve }));
      expect((await written({ ...job, series: again }, zone)).bytes).toEqual(bytes);
    }),
    { numRuns: runs(100) },
  );
});

it('has the local date and time of every bucket as real dates, and no formula', async () => {
  await fc.assert(
    fc.asyncProperty(exportJobs, async ({ zone, form, bounds, series }) => {
      const { bytes, table } = await written({ shape: form, timed: true, bounds, series }, zone);
      const book = await readWorkbook(bytes);
      expect(book.sheets.map(({ name }) => name)).toEqual(['Counts', 'Method']);
      const [, ...rows] = book.sheets[0]?.rows ?? [];
      for (const [n, [date, time]] of rows.entries()) {
        const local = isoLocal(table, bounds[n % (bounds.length - 1)] ?? Number.NaN);
        if (!(date instanceof Date) || !(time instanceof Date)) throw new Error('expected dates');
        expect(date.toISOString().slice(0, 10)).toBe(local.slice(0, 10));
        expect(new Date(time.getTime() + 1).toISOString().slice(11, 16)).toBe(local.slice(11, 16));
      }
      expect(book.sheets[1]?.rows).toEqual(
        METHOD.map(({ of, name, value }) =>
          of === 'series' ? [value, null] : [name || null, value],
        ),
      );
      const sheets = Object.entries(unzipSync(bytes)).filter(([name]) => name.includes('sheet'));
      expect(sheets).toHaveLength(2);
      for (const [, xml] of sheets) expect(new TextDecoder().decode(xml)).not.toMatch(/<f[ >]/);
    }),
    { numRuns: runs(30) },
  );
});

it('has a sheet of the events that a CSV file has, with the same values', async () => {
  await fc.assert(
    fc.asyncProperty(events, exportJobs, async (all, { zone, form, bounds, series }) => {
      const listed = fileEvents(all, { start: ARCHIVE_START, end: LAST }, zone);
      const job = { shape: form, timed: true, bounds, series, events: listed };
      const { bytes } = await written(job, zone);
      const { sheets } = await readWorkbook(bytes);
      const names = all.length > 0 ? ['Counts', 'Events', 'Method'] : ['Counts', 'Method'];
      expect(sheets.map(({ name }) => name)).toEqual(names);
      if (all.length === 0) return;
      const [header = [], ...rows] = sheets[1]?.rows ?? [];
      expect(rows).toHaveLength(all.length);
      for (const [i, event] of listed.entries()) {
        const cell = (name: string): string => {
          const value = rows[i]?.[header.indexOf(name)];
          return value instanceof Date ? value.toISOString() : String(value ?? '');
        };
        expect(EVENT_COLUMNS.map(cell)).toEqual(eventCells(event).map(encoded));
        expect(cell('date').slice(0, 10)).toBe(event.startLocal.slice(0, 10));
        const time = new Date(Date.parse(cell('time')) + 1);
        expect(time.toISOString().slice(11, 16)).toBe(event.startLocal.slice(11, 16));
      }
      const xml = new TextDecoder().decode(unzipSync(bytes)['xl/worksheets/sheet2.xml']);
      expect(xml).not.toMatch(/<f[ >]/);
      expect((await readXlsx(bytes)).ok).toBe(true);
    }),
    { numRuns: runs(100) },
  );
});

const bounds = Float64Array.from({ length: 4 }, (_, i) => Date.UTC(2026, 4, 4, i));
const one: ExportSeries = {
  query: 'tea',
  label: 'Tea',
  source: 'posts',
  counts: Float64Array.of(1, 2, 3),
  states: new Uint8Array(3).fill(STATE.settled),
  fetchedAt: new Float64Array(3).fill(Date.UTC(2026, 4, 5)),
};

it('is recognised by its first bytes, whatever its name', async () => {
  const { bytes } = await written({ shape: 'wide', timed: true, bounds, series: [one] }, 'UTC');
  expect(fileKind('download', bytes.subarray(0, HEAD_BYTES))).toBe('workbook');
});

it('freezes a bold header', async () => {
  const { bytes } = await written({ shape: 'wide', timed: false, bounds, series: [one] }, 'UTC');
  const book = await readWorkbook(bytes, { readStyles: true });
  expect(book.sheets[0]?.freezePane).toMatchObject({ rows: 1 });
  expect(book.sheets[0]?.rows[0]).toEqual(['date', 'Tea', 'incomplete', 'start_utc', 'end_utc']);
  expect(book.sheets[0]?.cells?.get('0,0')?.style?.font?.bold).toBe(true);
});

it('refuses more rows than a sheet has', async () => {
  const buckets = 2 ** 20;
  const many = Float64Array.from({ length: buckets + 1 }, (_, i) => i * HOUR_MS);
  const counts = new Float64Array(buckets);
  const long = { ...one, counts, states: new Uint8Array(buckets), fetchedAt: counts };
  const job = { shape: 'wide', timed: true, bounds: many, series: [long] } as const;
  await expect(written(job, 'UTC')).rejects.toThrow(
    /at most 1048576 rows, and this export needs more\. Choose CSV/,
  );
});

it('names what is wrong with another sheet', async () => {
  const { bytes } = await written({ shape: 'wide', timed: true, bounds, series: [] }, 'UTC');
  expect(await readXlsx(bytes)).toMatchObject({ ok: false, problem: { column: '' } });
  await expect(readXlsx(bytes.slice(0, 200))).rejects.toThrow();
});

it('is recognized and opens after another program has saved it', async () => {
  const counts = Float64Array.of(5, Number.NaN, 1_234_567);
  const states = Uint8Array.of(STATE.settled, STATE.never, STATE.settled);
  const fetchedAt = Float64Array.of(0, Number.NaN, 0);
  const series = [{ query: 'tea', label: 'Tea', source: 'a panel', counts, states, fetchedAt }];
  const bounds = Float64Array.from([0, 1, 2, 3], (i) => Date.UTC(2024, 3, 6) + i * 24 * HOUR_MS);
  for (const shape of ['long', 'wide'] as const) {
    const { bytes } = await written({ shape, timed: false, bounds, series }, 'UTC');
    const { sheets } = await readWorkbook(bytes);
    const saved = new Uint8Array(
      await saveWorkbook({ sheets: sheets.map(({ name, rows }) => ({ name, rows })) }),
    );
    expect(fileKind('again.xlsx', saved.subarray(0, HEAD_BYTES))).toBe('posts');
    const again = new File([saved], 'again.xlsx');
    expect(await openFile(again)).toEqual({ kind: 'counts' });
    const refused: string[] = [];
    expect(await ownKind(again, (problem) => refused.push(problem))).toBe('workbook');
    expect(refused).toEqual([]);
    const other = new File(
      [
        Uint8Array.from(
          await saveWorkbook({ sheets: [{ name: 'Counts', rows: [['text'], ['a']] }] }),
        ),
      ],
      'o.xlsx',
    );
    expect(await ownKind(other, (problem) => refused.push(problem))).toBeNull();
    expect(refused).toHaveLength(1);
    expect((await read(saved))[0]?.curve.counts).toEqual(counts);
  }
});
