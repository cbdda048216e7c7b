import { STATES } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { offsetAt, type ZoneTable } from '#core/time/zone.ts';
import { ByteWriter, TimeText, utf8 } from './bytes.ts';
import { exportedBuckets, type CsvBlock, type ExportSeries } from './csv.ts';

/** Format version, raised when readers of the old one would misread a file. */
const VERSION = 1;
const BLOCK = 1 << 20;
/** Maximum length of a bucket's times and punctuation, in bytes. */
const BUCKET_FIXED = 160;
/** Maximum length of a count, a state and a time of one series. */
const CELL_BYTES = 348 + 16 + 32;

/** Content of a JSON file. */
export interface JsonJob {
  readonly form: 'json';
  /** IANA name. */
  readonly zone: string;
  readonly resolution: Resolution;
  /** Boundaries of the buckets, epoch ms, ascending; one more than buckets. */
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
  /** Part of the counts that are known, 0 to 1, if the file is to state it. */
  readonly known?: number;
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
  const { zone, resolution, bounds, series, known } = job;
  const buckets = exportedBuckets(job);
  const described = series.map(({ label, query, source }) => ({ label, query, source }));
  const head = JSON.stringify({
    program: 'Groundswell',
    version: VERSION,
    zone,
    resolution,
    ...(known !== undefined && { known }),
    series: described,
  });
  const opening = utf8(`${head.slice(0, -1)},"buckets":[`);
  const rowSize = BUCKET_FIXED + CELL_BYTES * series.length;
  const file = opening.length + rowSize * (buckets + 1);
  const out = new ByteWriter(
    Math.max(Math.min(BLOCK, file), opening.length + rowSize + 8, 2 * rowSize),
  );
  const text = (value: string): void => out.bytes(bytesOf(value));
  const states = STATES.map((state) => utf8(`"${state}"`));
  const [start, end, fetched] = [quotedTime(), quotedTime(), quotedTime()];
  const local = new TimeText(new Uint8Array(25));
  out.bytes(opening);
  for (let i = 0; i < buckets; i += 1) {
    const [from = Number.NaN, to = Number.NaN] = [bounds[i], bounds[i + 1]];
    text(i === 0 ? '\n{"start":' : ',\n{"start":');
    out.bytes(start(from));
    text(',"end":');
    out.bytes(end(to));
    text(',"local":"');
    local.local(from, offsetAt(table, from));
    out.bytes(local.bytes);
    text('","counts":[');
    for (const [s, { counts }] of series.entries()) {
      const count = counts[i] ?? Number.NaN;
      if (s > 0) text(',');
      if (Number.isNaN(count)) text('null');
      else out.number(count);
    }
    text('],"states":[');
    for (const [s, shown] of series.entries()) {
      if (s > 0) text(',');
      out.bytes(states[shown.states[i] ?? 0] ?? new Uint8Array());
    }
    text('],"fetched":[');
    for (const [s, { fetchedAt }] of series.entries()) {
      const at = fetchedAt[i] ?? Number.NaN;
      if (s > 0) text(',');
      if (Number.isNaN(at)) text('null');
      else out.bytes(fetched(at));
    }
    text(']}');
    if (out.room < rowSize) yield { bytes: out.take(), rows: i + 1 };
  }
  text('\n]}\n');
  yield { bytes: out.rest(), rows: buckets };
}

/** An instant in quotes; the result changes with the next call. */
function quotedTime(): (at: number) => Uint8Array {
  const text = utf8('"YYYY-MM-DDTHH:MM:SS.mmmZ"');
  const time = new TimeText(text.subarray(1));
  return (at) => {
    time.utc(at);
    return text;
  };
}

const encoded = new Map<string, Uint8Array>();

/** UTF-8 of the constant texts between values. */
function bytesOf(text: string): Uint8Array {
  let bytes = encoded.get(text);
  if (!bytes) encoded.set(text, (bytes = utf8(text)));
  return bytes;
}
