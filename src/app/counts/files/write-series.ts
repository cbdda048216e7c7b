import type { PageFault } from '#core/counts/check.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import { omit } from '#core/omit.ts';
import { GRANULARITIES, type Granularity } from '#core/time/bucket.ts';
import type {
  RevisionPoint,
  RunRow,
  StoredReceipt,
  StoreRow,
  SeriesContents,
} from '#app/counts/cache/records.ts';
import { check } from './archive-schema.ts';
import { jsonPart, type Part } from './write-archive.ts';
import { SeriesEntry, type CellEntry } from './series-entry.ts';

/*
 * A series of the cache in an archive: `series/<n>.json`, and for each granularity `cells/<n>-<granularity>.bin` with the
 * counts of its cells as in memory, one cell after another. Series are numbered from 1.
 */

export const entryName = (n: number): string => `series/${n}.json`;
/** The name of the entry with a series' counts. */
export const cellsName = (n: number, granularity: Granularity): string =>
  `cells/${n}-${granularity}.bin`;

const byId = <T extends { readonly id: string }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

/** A fault for JSON, with non-finite numbers as text. */
function plainFault({ kind, at, expected, got, times }: PageFault): PageFault {
  const plain = <T>(value: T): T | string =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  return {
    kind,
    ...(at === undefined || !Number.isInteger(at) ? {} : { at }),
    ...(expected === undefined ? {} : { expected: plain(expected) }),
    ...(got === undefined ? {} : { got: plain(got) }),
    times,
  };
}

function writtenReceipt(stored: StoredReceipt): SeriesEntry['receipts'][number] {
  const { requested, faults, total, revisions, ...rest } = stored;
  return {
    ...omit(rest, 'series'),
    asked: requested,
    total: Number.isFinite(total) ? total : 0,
    faults: faults.map(plainFault),
    revisions: [...revisions],
  };
}

const writtenRevision = ({ revision, mark }: RevisionPoint) => ({
  revision,
  ...(mark !== undefined && { mark }),
});

function writtenStore(store: StoreRow): NonNullable<SeriesEntry['store']> {
  const { epoch, named, invalidated } = store;
  return {
    ...writtenRevision(store),
    ...(epoch !== undefined && { epoch }),
    ...(named && { named: named.map(writtenRevision) }),
    invalidated: [...invalidated],
  };
}

/** A run to write: paused, so that an approval in one browser buys nothing in another without approval there. */
function writtenRun(run: RunRow): NonNullable<SeriesEntry['run']> {
  return { ...omit(run, 'series'), paused: true };
}

function writtenCell({ key, counts, segments, receipts }: CellRecord): CellEntry {
  const [, granularity, cell] = key;
  const ids = [...new Set(segments.map(({ receipt }) => receipt))];
  return {
    granularity,
    cell,
    width: counts.BYTES_PER_ELEMENT as CellEntry['width'],
    segments: segments.map(({ from, to, receipt }) => [from, to, ids.indexOf(receipt)]),
    receipts: ids.map((id) => {
      const { at = Number.NaN, generation = 0, endpoint = 'all' } = receipts[id] ?? {};
      return [id, at, generation, endpoint];
    }),
  };
}

function writtenEntry({
  row,
  store,
  run,
  requests,
  receipts,
  records,
}: SeriesContents): SeriesEntry {
  const [source, storeId, canonical, rules] = JSON.parse(row.key) as [
    SeriesEntry['series']['source'],
    string,
    string,
    number,
  ];
  const { query, usedAt, fullHead, invalidated } = row;
  const result = check(SeriesEntry, {
    series: {
      source,
      store: storeId,
      canonical,
      rules,
      query,
      usedAt,
      fullHead,
      invalidated,
    },
    store: store && writtenStore(store),
    run: run && writtenRun(run),
    requests: byId(requests).map((ask) => omit(ask, 'series')),
    receipts: byId(receipts).map(writtenReceipt),
    cells: records.map(writtenCell),
  });
  if ('wrong' in result)
    throw new TypeError(`the cache has something that a file cannot contain: ${result.wrong}`);
  return result.output;
}

/** The parts of a series. @param n - Its number in the file, from 1. */
export function seriesParts(contents: SeriesContents, n: number): Part[] {
  const bytes = GRANULARITIES.map((granularity): Part => {
    const records = contents.records.filter(({ key }) => key[1] === granularity);
    const pieces = records.map(
      ({ counts }) => new Uint8Array(counts.buffer, counts.byteOffset, counts.byteLength),
    );
    return { name: cellsName(n, granularity), pieces };
  });
  return [
    jsonPart(entryName(n), writtenEntry(contents)),
    ...bytes.filter(({ pieces }) => pieces.length > 0),
  ];
}

/** The arrays of counts, by the bytes of a number. */
export const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;
