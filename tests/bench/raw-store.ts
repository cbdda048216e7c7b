import { recordsOf } from '#core/counts/ledger.ts';
import { ARCHIVE_START, CELL_MS } from '#core/time/span.ts';

/** The records and the receipt of a page that has all minutes of a cell, as a run writes them. @param id - Of the receipt. */
export function cellPage(
  series: string,
  cell: number,
  counts: Uint32Array,
  id: string,
  at: number,
) {
  const start = ARCHIVE_START + cell * CELL_MS;
  const span = { start, end: start + CELL_MS };
  const note = { at, generation: 0, endpoint: 'all' } as const;
  const receipt = {
    id,
    request: id,
    series,
    purpose: 'count',
    index: 0,
    price: 0,
    bytes: 0,
    accepted: true,
    granularity: 'minute',
    requested: span,
    reported: span,
    total: 0,
    faults: [],
    ...note,
  } as const;
  return { records: recordsOf(series, 'minute', { ...span, counts, receipt: id, note }), receipt };
}

/** Waits for an event of a raw store. */
export function eventOf(target: EventTarget, good: string): Promise<void> {
  return new Promise((resolve, reject) => {
    target.addEventListener(good, () => resolve());
    for (const bad of ['error', 'abort']) {
      target.addEventListener(bad, () => reject(new Error(`the raw store: ${bad}`)));
    }
  });
}

/** Opens a database without the app's cache: the limit that the browser sets. */
export async function openRaw(name: string, stores: readonly string[]): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.addEventListener('upgradeneeded', () => {
    for (const store of stores) request.result.createObjectStore(store);
  });
  await eventOf(request, 'success');
  return request.result;
}

export async function putRaw(
  raw: IDBDatabase,
  store: string,
  key: IDBValidKey,
  value: unknown,
): Promise<void> {
  const transaction = raw.transaction(store, 'readwrite', { durability: 'relaxed' });
  transaction.objectStore(store).put(value, key);
  await eventOf(transaction, 'complete');
}

export async function allRaw(raw: IDBDatabase, store: string): Promise<unknown[]> {
  const request = raw.transaction(store).objectStore(store).getAll();
  await eventOf(request, 'success');
  return request.result as unknown[];
}
