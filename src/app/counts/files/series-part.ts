import type { CellRecord, CountArray, ReceiptNote, Segment } from '#core/counts/ledger.ts';
import { BUCKET_MS, ceilTo } from '#core/time/bucket.ts';
import { CELL_MS, cellSpan } from '#core/time/span.ts';
import {
  seriesKey,
  storeKey,
  type StoredReceipt,
  type SeriesContents,
  type SeriesMetadata,
} from '#app/counts/cache/records.ts';
import type { Archive } from './archive.ts';
import { ARRAYS, cellsName, entryName } from './write-series.ts';
import type { ArchiveKind } from './archive-kind.ts';
import { SeriesEntry, type CellEntry } from './series-entry.ts';

function receiptOf(series: string, entry: SeriesEntry['receipts'][number]): StoredReceipt {
  const { asked: requested, ...rest } = entry;
  return { ...rest, series, requested };
}

function metadataOf({ series, store, run, requests, receipts }: SeriesEntry): SeriesMetadata {
  const key = seriesKey(series.source, series.store, series.canonical, series.rules);
  const { source, query, usedAt, fullHead, invalidated } = series;
  const { invalidated: raised = [], ...revision } = store ?? {};
  return {
    row: { key, source, store: series.store, query, usedAt, fullHead, invalidated },
    store: store && {
      key: storeKey(source, series.store),
      ...(revision as Omit<typeof store, 'invalidated'>),
      invalidated: raised,
    },
    run: run && { series: key, ...run },
    requests: requests.map((request) => ({ ...request, series: key })),
    receipts: receipts.map((entry) => receiptOf(key, entry)),
  };
}

/** The reason the segments of a cell are invalid; null if they are valid. */
function wrongSegments({ granularity, cell, segments, receipts }: CellEntry): string | null {
  const { start, end } = cellSpan(cell);
  let free = start;
  const used = new Set<number>();
  for (const [i, [from, to, receipt]] of segments.entries()) {
    if (from % BUCKET_MS[granularity] !== 0) return `segment ${i} begins off the grid`;
    if (from < free) return `segment ${i} begins before it may`;
    if (to <= from || to > end) return `segment ${i} ends where it may not`;
    if (!receipts[receipt]) return `segment ${i} names no receipt`;
    used.add(receipt);
    free = ceilTo(to, granularity);
  }
  return used.size === receipts.length ? null : 'no segment names one of its receipts';
}

/** The reason counts do not fit their segments; null if they do. */
function wrongCounts(
  counts: CountArray,
  { granularity, cell, segments }: CellEntry,
): string | null {
  const width = BUCKET_MS[granularity];
  const { start } = cellSpan(cell);
  let max = 0;
  let next = 0;
  for (const [from, to] of [...segments, [start + CELL_MS, start + CELL_MS] as const]) {
    const first = (from - start) / width;
    for (let i = next; i < first; i += 1) {
      if (counts[i] !== 0) return `bucket ${i} has a count and is not known`;
    }
    next = Math.ceil((to - start) / width);
    for (let i = first; i < next; i += 1) max = Math.max(max, counts[i] ?? 0);
  }
  const narrowest = max < 256 ? 1 : max < 65_536 ? 2 : 4;
  return counts.BYTES_PER_ELEMENT === narrowest ? null : 'its counts are wider than they need be';
}

const countBytes = ({ granularity, width }: CellEntry): number =>
  (CELL_MS / BUCKET_MS[granularity]) * width;

/** True if cells are in order of their keys, each once. */
const inOrder = (cells: readonly CellEntry[]): boolean =>
  cells.every(({ granularity, cell }, i) => {
    const before = cells[i - 1];
    if (!before) return true;
    return granularity === before.granularity
      ? cell > before.cell
      : granularity > before.granularity;
  });

function recordOf(
  key: string,
  entry: CellEntry,
  bytes: Uint8Array<ArrayBuffer>,
): CellRecord | string {
  const { granularity, cell, width, segments, receipts } = entry;
  const counts = new ARRAYS[width](bytes.buffer);
  const wrong = wrongSegments(entry) ?? wrongCounts(counts, entry);
  if (wrong !== null) return wrong;
  const notes = receipts.map(([id, at, generation, endpoint]): [string, ReceiptNote] => [
    id,
    { at, generation, endpoint },
  ]);
  const named = segments.map(([from, to, receipt]): Segment => ({
    from,
    to,
    receipt: receipts[receipt]?.[0] ?? '',
  }));
  return {
    key: [key, granularity, cell],
    counts,
    segments: named,
    receipts: Object.fromEntries(notes),
  };
}

async function recordsOf(
  archive: Archive<ArchiveKind>,
  n: number,
  key: string,
  { series: { query, source }, cells, receipts }: SeriesEntry,
): Promise<CellRecord[]> {
  const series = `“${query}” (${source})`;
  if (!inOrder(cells)) throw archive.bad(`The cells of ${series} are out of order.`);
  const known = new Set(receipts.map(({ id }) => id));
  const records: CellRecord[] = [];
  for (const granularity of new Set(cells.map((cell) => cell.granularity))) {
    const of = cells.filter((cell) => cell.granularity === granularity);
    const bytes = await archive.bytes(cellsName(n, granularity));
    const expected = of.reduce((sum, cell) => sum + countBytes(cell), 0);
    if (bytes.length !== expected) {
      throw archive.bad(
        `The cells of ${series} by the ${granularity} should have ${expected} bytes and have ${bytes.length}.`,
      );
    }
    let from = 0;
    for (const cell of of) {
      const where = `Cell ${cell.cell} of ${series} by the ${granularity}`;
      const missing = cell.receipts.find(([id]) => !known.has(id));
      if (missing) throw archive.bad(`${where} names the receipt ${missing[0]}, which is missing.`);
      const to = from + countBytes(cell);
      const record = recordOf(key, cell, bytes.slice(from, to));
      if (typeof record === 'string') throw archive.bad(`${where} is not valid: ${record}.`);
      records.push(record);
      from = to;
    }
  }
  return records;
}

/**
 * Reads the series of an archive one at a time. Each is checked completely before it is yielded.
 *
 * @throws {Fault} that says what is wrong.
 */
export async function* readSeries(
  archive: Archive<ArchiveKind>,
): AsyncGenerator<SeriesContents, void> {
  let last: string | null = null;
  for (let n = 1; archive.has(entryName(n)); n += 1) {
    const entry = await archive.json(entryName(n), SeriesEntry, `Series ${n}`);
    const metadata = metadataOf(entry);
    const { key } = metadata.row;
    if (last !== null && key <= last) throw archive.bad('Its series are out of order.');
    last = key;
    yield { ...metadata, records: await recordsOf(archive, n, key, entry) };
  }
}
