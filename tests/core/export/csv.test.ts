import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { ByteWriter, TimeText, decimal, utf8 } from '#core/export/bytes.ts';
import {
  csvBlocks,
  listedLabel,
  rowCount,
  uniqueLabels,
  type ExportJob,
  type ExportSeries,
} from '#core/export/csv.ts';
import { STATE } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { isoLocal, offsetAt, zoneTable } from '#core/time/zone.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { runs } from '#tests/support/run/runs.ts';
import { plainText, textCell } from '#core/export/csv-text.ts';

/** The options of a file that is not for a spreadsheet. */
const PLAIN = { separator: ',', mark: false, timed: true } as const;
const FETCHED = Date.UTC(2026, 2, 9, 12, 30, 15, 250);

function series(
  query: string,
  label: string,
  counts: number[],
  states: number[],
  source = 'posts',
): ExportSeries {
  return {
    query,
    label,
    source,
    counts: Float64Array.from(counts),
    states: Uint8Array.from(states),
    fetchedAt: Float64Array.from(counts, (count) => (Number.isNaN(count) ? Number.NaN : FETCHED)),
  };
}

function text(job: ExportJob, zone = 'UTC'): string {
  const span = { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 1 };
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let out = '';
  for (const { bytes } of csvBlocks(job, zoneTable(zone, span))) {
    out += decoder.decode(bytes, { stream: true });
  }
  return out;
}

/** Three hours across the change of offset in New York on 2026-03-08: 01:00, 03:00, 04:00 local. */
const start = Date.UTC(2026, 2, 8, 6);
const bounds = Float64Array.of(start, start + HOUR_MS, start + 2 * HOUR_MS, start + 3 * HOUR_MS);
const oat = series(
  '"oat milk" OR #oat',
  'Oat, plain',
  [12, Number.NaN, 0],
  [STATE.settled, STATE.never, STATE.partial],
);
const tea = series(
  '=tea',
  '=SUM(A1)',
  [1, 2, 3],
  [STATE.settled, STATE.provisional, STATE.settled],
);

describe('the long file', () => {
  it('has a row per series and bucket, byte for byte', () => {
    expect(text({ form: 'long', ...PLAIN, bounds, series: [oat, tea] }, 'America/New_York')).toBe(
      [
        'query,label,start_utc,end_utc,start_local,date,time,tweet_count,status,source,fetched_at',
        '"""oat milk"" OR #oat","Oat, plain",2026-03-08T06:00:00.000Z,2026-03-08T07:00:00.000Z,2026-03-08T01:00:00-05:00,2026-03-08,01:00,12,settled,posts,2026-03-09T12:30:15.250Z',
        '"""oat milk"" OR #oat","Oat, plain",2026-03-08T07:00:00.000Z,2026-03-08T08:00:00.000Z,2026-03-08T03:00:00-04:00,2026-03-08,03:00,,never,posts,',
        '"""oat milk"" OR #oat","Oat, plain",2026-03-08T08:00:00.000Z,2026-03-08T09:00:00.000Z,2026-03-08T04:00:00-04:00,2026-03-08,04:00,0,partial,posts,2026-03-09T12:30:15.250Z',
        "'=tea,'=SUM(A1),2026-03-08T06:00:00.000Z,2026-03-08T07:00:00.000Z,2026-03-08T01:00:00-05:00,2026-03-08,01:00,1,settled,posts,2026-03-09T12:30:15.250Z",
        "'=tea,'=SUM(A1),2026-03-08T07:00:00.000Z,2026-03-08T08:00:00.000Z,2026-03-08T03:00:00-04:00,2026-03-08,03:00,2,provisional,posts,2026-03-09T12:30:15.250Z",
        "'=tea,'=SUM(A1),2026-03-08T08:00:00.000Z,2026-03-08T09:00:00.000Z,2026-03-08T04:00:00-04:00,2026-03-08,04:00,3,settled,posts,2026-03-09T12:30:15.250Z",
        '',
      ].join('\r\n'),
    );
  });

  it('reads back to the same counts, times and texts', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            query: fc.string({ unit: 'grapheme' }),
            label: unicodeText(),
            counts: fc.array(fc.option(fc.maxSafeNat(), { nil: Number.NaN }), {
              minLength: 24,
              maxLength: 24,
            }),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        fc.constantFrom('UTC', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'),
        (list, zone) => {
          const span = { start: Date.UTC(2024, 3, 6, 3), end: Date.UTC(2024, 3, 7, 3) };
          const table = zoneTable(zone, span);
          const edges = Float64Array.from({ length: 25 }, (_, i) => span.start + i * HOUR_MS);
          const job: ExportJob = {
            form: 'long',
            ...PLAIN,
            bounds: edges,
            series: list.map(({ query, label, counts }) =>
              series(
                query,
                label,
                counts,
                counts.map(() => STATE.settled),
              ),
            ),
          };
          const { data } = Papa.parse<Record<string, string>>(text(job, zone), {
            header: true,
            skipEmptyLines: 'greedy',
            newline: '\r\n',
          });
          expect(data).toHaveLength(rowCount(job));
          const labels = uniqueLabels(job.series.map((each) => each.label));
          for (const [n, row] of data.entries()) {
            const one = job.series[Math.floor(n / 24)];
            const i = n % 24;
            expect(plainText(row['query'] ?? '')).toBe(one?.query);
            expect(plainText(row['label'] ?? '')).toBe(labels[Math.floor(n / 24)]);
            expect(row['start_utc']).toBe(new Date(edges[i] ?? 0).toISOString());
            expect(row['end_utc']).toBe(new Date(edges[i + 1] ?? 0).toISOString());
            const local = isoLocal(table, edges[i] ?? 0);
            expect(row['start_local']).toBe(local);
            // As spreadsheets read it: the local date and time, without a zone.
            expect(Date.parse(`${row['date']}T${row['time']}Z`)).toBe(
              Date.parse(`${local.slice(0, 19)}Z`),
            );
            const count = one?.counts[i] ?? Number.NaN;
            expect(row['tweet_count']).toBe(Number.isNaN(count) ? '' : String(count));
          }
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('the wide file', () => {
  it('has a column per label, and lists those that are not settled', () => {
    expect(text({ form: 'wide', ...PLAIN, bounds, series: [oat, tea] }, 'Asia/Kolkata')).toBe(
      [
        'start_utc,end_utc,start_local,date,time,"Oat, plain",\'=SUM(A1),incomplete',
        '2026-03-08T06:00:00.000Z,2026-03-08T07:00:00.000Z,2026-03-08T11:30:00+05:30,2026-03-08,11:30,12,1,',
        '2026-03-08T07:00:00.000Z,2026-03-08T08:00:00.000Z,2026-03-08T12:30:00+05:30,2026-03-08,12:30,,2,"Oat, plain;\' =SUM(A1)"',
        '2026-03-08T08:00:00.000Z,2026-03-08T09:00:00.000Z,2026-03-08T13:30:00+05:30,2026-03-08,13:30,0,3,"Oat, plain"',
        '',
      ].join('\r\n'),
    );
  });

  it('distinguishes a separator inside a label from those between labels', () => {
    expect(listedLabel('a; b\\c')).toBe('a\\; b\\\\c');
  });

  it('has one row per bucket, however many series there are', () => {
    const job: ExportJob = {
      form: 'wide',
      ...PLAIN,
      timed: false,
      bounds,
      series: [oat, tea, oat],
    };
    expect(rowCount(job)).toBe(3);
    expect(text(job).split('\r\n')[0]).toBe(
      'start_utc,end_utc,start_local,date,"Oat, plain",\'=SUM(A1),"Oat, plain (2)",incomplete',
    );
  });
});

describe('options for spreadsheets', () => {
  const job: ExportJob = {
    form: 'long',
    separator: ';',
    mark: true,
    timed: false,
    bounds,
    series: [oat],
  };

  it('puts a byte-order mark first and semicolons between cells', () => {
    expect(text(job).split('\r\n').slice(0, 2)).toEqual([
      '\uFEFFquery;label;start_utc;end_utc;start_local;date;tweet_count;status;source;fetched_at',
      '"""oat milk"" OR #oat";"Oat, plain";2026-03-08T06:00:00.000Z;2026-03-08T07:00:00.000Z;2026-03-08T06:00:00+00:00;2026-03-08;12;settled;posts;2026-03-09T12:30:15.250Z',
    ]);
  });

  it('writes decimals with a comma where semicolons are between cells', () => {
    const half = { ...oat, counts: Float64Array.of(1.5, 4 / 3, 2) };
    for (const form of ['long', 'wide'] as const) {
      const file = text({ ...job, form, series: [half] });
      expect(file).toContain(';1,5;');
      expect(file).toContain(';1,3333333333333333;');
    }
    expect(text({ ...job, separator: ',', series: [half] })).toContain(',1.5,');
  });

  it('quotes a cell with any separator, whichever one the file uses', () => {
    for (const cell of ['a;b', 'a,b', 'a\tb', 'a|b', ' a'])
      expect(textCell(cell)).toBe(`"${cell}"`);
    expect(text({ ...job, form: 'wide', series: [oat, tea] })).toContain(
      `;;2;"Oat, plain;' =SUM(A1)"\r\n`,
    );
  });
});

describe('numbers', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [0.1, '0.1'],
    [-3, '-3'],
    [1e-7, '0.0000001'],
    [-1.25e-8, '-0.0000000125'],
    [1e21, '1000000000000000000000'],
    [1.5e22, '15000000000000000000000'],
    [2 ** 60, '1152921504606847000'],
    [1 / 3, '0.3333333333333333'],
  ])('writes %d as %s', (value, expected) => {
    expect(decimal(value)).toBe(expected);
  });

  it('writes any number without an exponent as text that parses back to it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(decimal(value)).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(decimal(value))).toBe(value === 0 ? 0 : value);
      }),
      { examples: [[Number.MIN_VALUE], [Number.MAX_VALUE], [-Number.MAX_VALUE]] },
    );
  });
});

/** Text that a spreadsheet takes for a formula. */
const FORMULA = /^[\s\0\u200b\ufeff]*[=＝+＋\-－@＠\u2212]/;

/** Reads cells like a spreadsheet: only a quote at the start opens a cell, and text after the closing one is kept. */
function leniently(text: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; at < text.length; at += 1) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] !== '"') break;
        else cell += text[(at += 1)];
      }
      at += 1;
    }
    for (; at < text.length && !`${separator}\r\n`.includes(text[at] ?? ''); at += 1)
      cell += text[at];
    cells.push(cell);
  }
  return cells;
}

describe('cells', () => {
  it.each([
    ['plain', 'plain'],
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-1', "'-1"],
    ['@user', "'@user"],
    ["'quoted", "''quoted"],
    ['\tx', '"\'\tx"'],
    ['\rx', '"\'\rx"'],
    ['\nx', '"\'\nx"'],
    ['＝1+1', "'＝1+1"],
    ['＠user', "'＠user"],
    ['\u22125', "'\u22125"],
    ['\u00a0\u200b=1', "'\u00a0\u200b=1"],
    ['\0=1', "'\0=1"],
    ['\ufeff+1', "'\ufeff+1"],
    ['a;=1+1', '"a;\'=1+1"'],
    ['a; ＝1', '"a;\' ＝1"'],
    ['a\t-1', '"a\t\'-1"'],
    ['a,@b', '"a,\'@b"'],
    ['a|+b', '"a|\'+b"'],
    ['a\n=1', '"a\n\'=1"'],
    ['a;"=1"', '"a;\'""=1"""'],
    ["a,'b'", "\"a,''b'\""],
    ['oat -milk = good', 'oat -milk = good'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=a,"b"', '"\'=a,""b"""'],
    ['', ''],
  ])('writes %j as %j', (given, cell) => {
    expect(textCell(given)).toBe(cell);
  });

  const hostile = fc.string({
    unit: fc.constantFrom(
      '=',
      '＝',
      '-',
      '@',
      "'",
      '"',
      ',',
      ';',
      '\t',
      '|',
      '\r',
      '\n',
      ' ',
      '\0',
      'a',
    ),
    minLength: 1,
    maxLength: 12,
  });
  const anyText = fc.oneof(unicodeText({ minLength: 1 }), hostile);

  it('is never taken for a formula, whichever separator a program uses', () => {
    fc.assert(
      fc.property(anyText, hostile, (given, other) => {
        const row = `${textCell(given)},${textCell(other)},x\r\n`;
        for (const separator of [',', ';', '\t', '|', '\n']) {
          for (const cell of leniently(row, separator)) expect(cell).not.toMatch(FORMULA);
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  it('reads back to any text after its apostrophes are removed', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const [[cell = ''] = []] = Papa.parse<string[]>(`${textCell(given)},x\r\n`, {
          delimiter: ',',
          newline: '\r\n',
        }).data;
        expect(cell).not.toMatch(/^[=+\-@\t\r]/);
        expect(plainText(cell)).toBe(given);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('has unique labels: changes only repeated ones, and avoids the names of fixed columns', () => {
    expect(uniqueLabels(['a', 'a', 'a (2)', 'incomplete', 'b', ''])).toEqual([
      'a',
      'a (3)',
      'a (2)',
      'incomplete (2)',
      'b',
      'Series 6',
    ]);
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('a', 'b', 'a (2)', 'start_utc', 'date', 'time', '', '\ud800', '\udfff'),
        ),
        (labels) => {
          // As encoded in the file, which has no lone surrogates.
          const names = uniqueLabels(labels).map((name) => new TextDecoder().decode(utf8(name)));
          expect(new Set(names).size).toBe(labels.length);
        },
      ),
    );
  });
});

describe('the stream', () => {
  it('consists of blocks that end at whole rows and count them', () => {
    const span = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 3, 20) };
    const table = zoneTable('Europe/Berlin', span);
    const edges = boundaries(span, 'minute', table, 1);
    const size = edges.length - 1;
    const counts = new Float64Array(size).fill(7);
    const one = {
      query: 'q',
      label: 'l',
      source: 'posts',
      counts,
      states: new Uint8Array(size).fill(5),
      fetchedAt: counts,
    };
    const job: ExportJob = { form: 'long', ...PLAIN, bounds: edges, series: [one, one] };
    let rows = -1;
    let blocks = 0;
    for (const block of csvBlocks(job, table)) {
      blocks += 1;
      const written = new TextDecoder().decode(block.bytes);
      rows += written.split('\r\n').length - 1;
      expect(written.endsWith('\r\n')).toBe(true);
      expect(block.rows).toBe(rows);
    }
    expect(rows).toBe(2 * size);
    expect(blocks).toBeGreaterThan(2);
  });

  it('rejects a count that is not finite', () => {
    const job: ExportJob = {
      form: 'wide',
      ...PLAIN,
      bounds,
      series: [{ ...oat, counts: Float64Array.of(1, Infinity, 2) }],
    };
    expect(() => text(job)).toThrow(RangeError);
  });

  it('rejects a series of another length', () => {
    const job: ExportJob = {
      form: 'wide',
      ...PLAIN,
      bounds: bounds.subarray(0, 3),
      series: [oat],
    };
    expect(() => text(job)).toThrow(RangeError);
  });
});

describe('the writer', () => {
  it('does not change a block while the next one is filled', () => {
    const out = new ByteWriter(64);
    out.bytes(utf8('first'));
    const first = out.take();
    out.bytes(utf8('second'));
    expect(new TextDecoder().decode(first)).toBe('first');
    expect(new TextDecoder().decode(out.take())).toBe('second');
  });
});

describe('the text of a time', () => {
  const instants = fc.oneof(
    fc.constantFrom(0, 1, 1000, FETCHED, start, start + 1, Date.UTC(9999, 11, 31)),
    fc.integer({ min: start - 3 * HOUR_MS, max: start + 3 * HOUR_MS }),
  );

  it('is that of Date, whatever time was written before', () => {
    fc.assert(
      fc.property(fc.array(instants), (list) => {
        const text = new TimeText(new Uint8Array(24));
        for (const at of list) {
          text.utc(at);
          expect(new TextDecoder().decode(text.bytes)).toBe(new Date(at).toISOString());
        }
      }),
    );
  });

  it('has the offset of each local time, whatever time was written before', () => {
    const zones = ['UTC', 'America/New_York', 'America/St_Johns', 'Australia/Lord_Howe'];
    const tables = zones.map((zone) => zoneTable(zone, { start: 0, end: Date.UTC(2030, 0) }));
    fc.assert(
      fc.property(fc.array(fc.tuple(instants, fc.constantFrom(...tables))), (list) => {
        const text = new TimeText(new Uint8Array(25));
        for (const [at, table] of list.filter(([at]) => at < Date.UTC(2030, 0))) {
          text.local(at, offsetAt(table, at));
          expect(new TextDecoder().decode(text.bytes)).toBe(isoLocal(table, at));
        }
      }),
    );
  });
});
