import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvBlocks, uniqueLabels, type ExportJob, type ExportSeries } from '#core/export/csv.ts';
import type { FileSeries } from '#app/export/fixed.ts';
import { readCsv } from '#app/export/read-csv.ts';
import { STATE } from '#core/series/series.ts';
import { zoneTable } from '#core/time/zone.ts';
import { exportJobs } from '#tests/support/data/export-jobs.ts';
import { runs } from '#tests/support/run/runs.ts';
import { problemWords } from '#app/export/csv-problem.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function written(job: ExportJob, zone: string): string {
  const span = { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 1 };
  return decoder.decode(
    new Uint8Array([...csvBlocks(job, zoneTable(zone, span))].flatMap(({ bytes }) => [...bytes])),
  );
}

async function read(text: string): Promise<readonly FileSeries[]> {
  const reading = await readCsv(text);
  if (!reading.ok) throw new Error(problemWords(reading.problem));
  return reading.series;
}

/** Prepares a series from a file for another export. */
const again = (series: FileSeries): ExportSeries => ({ ...series, ...series.curve });

describe('an exported file', () => {
  it('reads back completely if long; if wide, its labels, bounds, counts and incomplete buckets', async () => {
    await fc.assert(
      fc.asyncProperty(exportJobs, async ({ zone, ...job }) => {
        const labels = uniqueLabels(job.series.map(({ label }) => label));
        const back = await read(written(job, zone));
        expect(back.map(({ label }) => label)).toEqual(labels);
        for (const [i, { query, source, curve }] of back.entries()) {
          const series = job.series[i];
          expect(curve.bounds).toEqual(job.bounds);
          // A file does not preserve the sign of zero.
          expect(curve.counts).toEqual(
            series?.counts.map((count) => count || (count === 0 ? 0 : count)),
          );
          const settled = (states: Uint8Array | undefined): boolean[] =>
            [...(states ?? [])].map((state) => state === STATE.settled);
          expect(settled(curve.states)).toEqual(settled(series?.states));
          const uncovered = (states: Uint8Array | undefined): boolean[] =>
            [...(states ?? [])].map((state) => state === STATE.uncovered);
          expect(uncovered(curve.states)).toEqual(uncovered(series?.states));
          if (job.form === 'wide') continue;
          expect([query, source]).toEqual([series?.query, series?.source]);
          expect(curve.states).toEqual(series?.states);
          expect(curve.fetchedAt).toEqual(series?.fetchedAt);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('is identical when read and written again', async () => {
    await fc.assert(
      fc.asyncProperty(exportJobs, async ({ zone, ...job }) => {
        const text = written(job, zone);
        const series = (await read(text)).map(again);
        expect(written({ ...job, series }, zone)).toBe(text);
      }),
      { numRuns: runs(300) },
    );
  });
});

const HEAD = 'query,label,start_utc,end_utc,start_local,tweet_count,status,source,fetched_at';
const ROW = (start: string, end: string, rest = '12,settled,posts,'): string =>
  `cats,Cats,2026-01-01T${start}:00:00.000Z,2026-01-01T${end}:00:00.000Z,2026-01-01T${start}:00:00+00:00,${rest}`;
const WIDE = 'start_utc,end_utc,start_local,Cats,Dogs,incomplete';
const WIDE_ROW = (rest: string): string =>
  `2026-01-01T00:00:00.000Z,2026-01-01T01:00:00.000Z,2026-01-01T01:00:00+01:00,${rest}`;

describe('a file of an earlier version', () => {
  it('has no columns of dates, but may have series of these names', async () => {
    const wide = WIDE.replace('Cats,Dogs', 'date,time');
    const [date, time] = await read([wide, WIDE_ROW('4,3,time')].join('\n'));
    expect([date?.label, time?.label]).toEqual(['date', 'time']);
    expect([date?.curve.counts[0], time?.curve.counts[0]]).toEqual([4, 3]);
    const [none] = await read([wide, WIDE_ROW(',3,date')].join('\n'));
    expect(none?.label).toBe('date');
  });
});

describe('a file that a spreadsheet has saved', () => {
  it('may have dates in any form', async () => {
    const header = WIDE.replace('Cats', 'date,time,Cats');
    const [cats] = await read([header, WIDE_ROW('01.01.2026,1:00 AM,2,3,')].join('\n'));
    expect(cats?.label).toBe('Cats');
    expect(cats?.curve.counts).toEqual(Float64Array.of(2));
  });

  it('has decimals with a comma or a point if semicolons are between cells', async () => {
    for (const number of ['1,5', '1.5']) {
      const text = [HEAD, ROW('00', '01', 'N,settled,posts,')].join('\n').replaceAll(',', ';');
      const [cats] = await read(text.replace('N', number));
      expect(cats?.curve.counts).toEqual(Float64Array.of(1.5));
    }
  });
});

describe('a file from another program', () => {
  it('may have any line breaks, no milliseconds, and blank lines at the end', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = [HEAD, ROW('00', '01').replaceAll('.000Z', 'Z'), ROW('01', '02'), '', ''].join(
        end,
      );
      const [series] = await read(text);
      expect(series?.curve.counts).toEqual(Float64Array.of(12, 12));
    }
  });

  it('has gaps that become never fetched', async () => {
    const [series] = await read([HEAD, ROW('00', '01'), ROW('03', '05')].join('\n'));
    const hour = (n: number): number => Date.UTC(2026, 0, 1, n);
    expect(series?.curve.bounds).toEqual(Float64Array.of(hour(0), hour(1), hour(3), hour(5)));
    expect(series?.curve.counts).toEqual(Float64Array.of(12, Number.NaN, 12));
    expect(series?.curve.states).toEqual(Uint8Array.of(STATE.settled, STATE.never, STATE.settled));
  });

  it('has incomplete wide counts as partial, and missing ones as never fetched', async () => {
    const [cats, dogs] = await read([WIDE, WIDE_ROW(',3,Dogs; Cats')].join('\n'));
    expect(cats?.curve.states).toEqual(Uint8Array.of(STATE.never));
    expect(dogs?.curve.states).toEqual(Uint8Array.of(STATE.partial));
    expect(dogs?.curve.counts).toEqual(Float64Array.of(3));
  });

  it.each([
    ['nothing', '', 1, '', ''],
    ['a header alone', HEAD, 2, '', ''],
    ['another file', 'date,count\n2026-01-01,3', 1, '', 'date, count'],
    ['an extra column', `${HEAD},more\n`, 1, 'column 10', 'more'],
    ['a column of another name', HEAD.replace('status', 'state'), 1, 'column 7', 'state'],
    ['a row that is too short', `${HEAD}\ncats,Cats`, 2, '', 'cats,Cats'],
    [
      'an invalid instant',
      [HEAD, ROW('00', '01'), ROW('xx', '02')].join('\n'),
      3,
      'start_utc',
      '2026-01-01Txx:00:00.000Z',
    ],
    [
      'a day that does not exist',
      `${HEAD}\n${ROW('00', '01').replaceAll('2026-01-01', '2026-02-31')}`,
      2,
      'start_utc',
      '2026-02-31T00:00:00.000Z',
    ],
    [
      'an end before its start',
      `${HEAD}\n${ROW('02', '02')}`,
      2,
      'end_utc',
      '2026-01-01T02:00:00.000Z',
    ],
    [
      'an overlap',
      [HEAD, ROW('00', '02'), ROW('01', '03')].join('\n'),
      3,
      'start_utc',
      '2026-01-01T01:00:00.000Z',
    ],
    [
      'another local time',
      `${HEAD}\n${ROW('00', '01').replace('+00:00', '+02:00')}`,
      2,
      'start_local',
      '2026-01-01T00:00:00+02:00',
    ],
    [
      'a decimal comma',
      `${HEAD}\n${ROW('00', '01', '"1,5",settled,posts,')}`,
      2,
      'tweet_count',
      '1,5',
    ],
    [
      'a count that is not finite',
      `${HEAD}\n${ROW('00', '01', '1e9999,settled,posts,')}`,
      2,
      'tweet_count',
      '1e9999',
    ],
    ['an unknown status', `${HEAD}\n${ROW('00', '01', '1,done,posts,')}`, 2, 'status', 'done'],
    [
      'a second query',
      `${HEAD}\n${ROW('00', '01')}\n${ROW('01', '02').replace('cats', 'dogs')}`,
      3,
      'query',
      'dogs',
    ],
    [
      'a second source',
      `${HEAD}\n${ROW('00', '01')}\n${ROW('01', '02', '1,settled,sample,')}`,
      3,
      'source',
      'sample',
    ],
    [
      'an invalid fetch time',
      `${HEAD}\n${ROW('00', '01', '1,settled,posts,now')}`,
      2,
      'fetched_at',
      'now',
    ],
    ['an unknown label', `${WIDE}\n${WIDE_ROW('1,2,Birds')}`, 2, 'incomplete', 'Birds'],
    ['a label twice', `${WIDE}\n${WIDE_ROW('1,2,Cats; Cats')}`, 2, 'incomplete', 'Cats'],
    [
      'a list without spaces',
      `${WIDE}\n${WIDE_ROW('1,2,Cats;Dogs')}`,
      2,
      'incomplete',
      'Cats;Dogs',
    ],
    ['two columns with the same label', WIDE.replace('Dogs', 'Cats'), 1, 'Cats', 'Cats'],
    ['a quote that never ends', `${HEAD}\n"${ROW('00', '01')}`, 2, '', null],
    [
      'a line after quoted line breaks',
      `${HEAD}\n${ROW('00', '01').replace('cats', '"ca\nts"')}\n${ROW('01', '02').replace('cats', '"ca\nts"').replace('12', 'x')}`,
      4,
      'tweet_count',
      'x',
    ],
  ])('is rejected for %s with line, column and value', async (_, text, line, column, value) => {
    const reading = await readCsv(text);
    if (reading.ok) throw new Error('expected a problem');
    expect(reading.problem).toMatchObject({ line, column, ...(value !== null && { value }) });
    expect(reading.problem.rule).not.toBe('');
  });

  it('has its problem described in a sentence', () => {
    const problem = { line: 3, column: 'status', value: 'done', rule: 'one of these' };
    expect(problemWords(problem)).toBe('Line 3, status: “done”; expected one of these.');
  });
});
