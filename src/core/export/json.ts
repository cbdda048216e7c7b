import { STATES } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { offsetAt, type ZoneTable } from '#core/time/zone.ts';
import { ByteWriter, utf8 } from './bytes.ts';
import { bucketsOf, type CsvBlock, type ExportSeries } from './csv.ts';

/** Format version, raised when readers of the old one would misread a file. */
const VERSION = 1;
const BLOCK = 1 << 20;
/** Maximum length of a bucket's times and punctuation, in bytes. */
const BUCKET_FIXED = 160;
/** Maximum length of a count, a state and a time of one series. */
const CELL_BYTES = 348 + 16 + 32;
const COLUMN = { start: 0, end: 1, local: 2, fetched: 3 } as const;

/** Content of a JSON file. */
export interface JsonJob {
  readonly form: 'json';
  /** IANA name. */
  readonly zone: string;
  readonly resolution: Resolution;
  /** Boundaries of the buckets, epoch ms, ascending; one more than buckets. */
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
}

/**
 * Writes a JSON file in blocks:
 * ```json
 * { "program": "Groundswell", "version": 1, "zone": "Europe/Berlin", "resolution": "day",
 *   "series": [{ "label": "Oat milk", "query": "\"oat milk\"", "source": "posts" }],
 *   "buckets": [{ "start": "2026-03-08T06:00:00.000Z", "end": "…", "local": "2026-03-08T07:00:00+01:00",
 *     "counts": [12], "states": ["settled"], "fetched": ["2026-03-09T12:30:15.250Z"] }] }
 * ```
 * The lists of a bucket have one entry per series, in the same order; a missing count or time is null.
 *
 * @throws {RangeError} if a series does not have one entry per bucket, or a count is infinite.
 */
export function* jsonBlocks(job: JsonJob, table: ZoneTable): Generator<CsvBlock, void, void> {
  const { zone, resolution, bounds, series } = job;
  const buckets = bucketsOf(job);
  const described = series.map(({ label, query, source }) => ({ label, query, source }));
  const head = JSON.stringify({
    program: 'Groundswell',
    version: VERSION,
    zone,
    resolution,
    series: described,
  });
  const start = utf8(`${head.slice(0, -1)},"buckets":[`);
  const rowSize = BUCKET_FIXED + CELL_BYTES * series.length;
  const out = new ByteWriter(Math.max(BLOCK, start.length + rowSize + 8, 2 * rowSize), 4);
  const text = (value: string): void => out.bytes(bytesOf(value));
  const states = STATES.map((state) => utf8(`"${state}"`));
  const times = (at: number, column: number): void => {
    out.byte(0x22);
    out.utc(at, column);
    out.byte(0x22);
  };
  out.bytes(start);
  for (let i = 0; i < buckets; i += 1) {
    const [from = Number.NaN, to = Number.NaN] = [bounds[i], bounds[i + 1]];
    text(i === 0 ? '\n{"start":' : ',\n{"start":');
    times(from, COLUMN.start);
    text(',"end":');
    times(to, COLUMN.end);
    text(',"local":"');
    out.local(from, offsetAt(table, from), COLUMN.local);
    text('","counts":[');
    for (const [s, { counts }] of series.entries()) {
      const count = counts[i] ?? Number.NaN;
      if (s > 0) text(',');
      if (Number.isNaN(count)) text('null');
      else out.number(count);
    }
    text('],"states":[');
    for (const [s, one] of series.entries()) {
      if (s > 0) text(',');
      out.bytes(states[one.states[i] ?? 0] ?? new Uint8Array());
    }
    text('],"fetched":[');
    for (const [s, { fetchedAt }] of series.entries()) {
      const at = fetchedAt[i] ?? Number.NaN;
      if (s > 0) text(',');
      if (Number.isNaN(at)) text('null');
      else times(at, COLUMN.fetched);
    }
    text(']}');
    if (out.room < rowSize) yield { bytes: out.take(), rows: i + 1 };
  }
  text('\n]}\n');
  yield { bytes: out.take(), rows: buckets };
}

const encoded = new Map<string, Uint8Array>();

/** UTF-8 of the constant texts between values. */
function bytesOf(text: string): Uint8Array {
  let bytes = encoded.get(text);
  if (!bytes) encoded.set(text, (bytes = utf8(text)));
  return bytes;
}
