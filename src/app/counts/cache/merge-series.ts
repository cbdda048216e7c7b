import { usd } from '#core/counts/price.ts';
import type {
  PendingRequest,
  SeriesRow,
  StoreRow,
  StoredReceipt,
  Tally,
  SeriesMetadata,
} from './records.ts';
import { samePoint } from './store-row.ts';
import type { Invalidation } from '#core/counts/invalidation.ts';
import type { Revision } from '#core/counts/count-revisions.ts';

/*
 * Merges what two browsers have stored of one series. Each rule takes the union or the maximum of a total order, so the
 * result depends neither on the order of the browsers nor on how often they are merged.
 */

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part instanceof Object && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** The greater as text. For values that should be equal but are not: any total order will do. */
const greater = <T>(a: T, b: T): T => (text(a) >= text(b) ? a : b);

function mergeRevisions(a: readonly Revision[], b: readonly Revision[]): Revision[] {
  const all = new Map([...a, ...b].map((revision) => [text(revision), revision]));
  return [...all.values()].sort((x, y) => x.start - y.start || x.was - y.was || x.now - y.now);
}

/** True if a receipt counts as bought: it cost something, or may have. */
export function isBought({
  price,
  uncertain,
}: Pick<StoredReceipt, 'price' | 'uncertain'>): boolean {
  return price > 0 || uncertain !== undefined;
}

/** Adds a receipt to a tally. */
export function withReceipt(
  tally: Tally,
  { price, bytes, uncertain }: Pick<StoredReceipt, 'price' | 'bytes' | 'uncertain'>,
): Tally {
  if (uncertain !== undefined) {
    const { requests = 0, money = 0 } = tally.uncertain ?? {};
    return { ...tally, uncertain: { requests: requests + 1, money: usd(money + uncertain) } };
  }
  return {
    ...tally,
    requests: tally.requests + 1,
    money: usd(tally.money + price),
    bytes: tally.bytes + bytes,
  };
}

/** Merges two receipts of one purchase: the later one, with the price paid and all findings. */
export function sameReceipt(before: StoredReceipt, now: StoredReceipt): StoredReceipt {
  const price = Math.max(before.price, now.price);
  // Checking the page again finds the same faults, except that a copy of it was damaged.
  const damaged = before.faults.filter(({ kind }) => kind === 'damaged');
  return {
    ...now,
    price,
    faults: [...now.faults, ...damaged],
    revisions: mergeRevisions(before.revisions, now.revisions),
  };
}

/** Combines the findings of both browsers, which compared the answer with different counts. */
function mergeReceipts(a: StoredReceipt, b: StoredReceipt): StoredReceipt {
  const { revisions: revisionsOfA, price: priceOfA, ...restOfA } = a;
  const { revisions: revisionsOfB, price: priceOfB, ...restOfB } = b;
  const price = Math.max(priceOfA, priceOfB);
  return {
    ...greater(restOfA, restOfB),
    price,
    revisions: mergeRevisions(revisionsOfA, revisionsOfB),
  };
}

function mergeById<T extends { readonly id: string }>(
  a: readonly T[],
  b: readonly T[],
  both: (a: T, b: T) => T,
): T[] {
  const rows = new Map(a.map((row) => [row.id, row]));
  for (const row of b) {
    const before = rows.get(row.id);
    rows.set(row.id, before ? both(before, row) : row);
  }
  return [...rows.values()];
}

/** Takes the higher generation everywhere. */
function mergeInvalidated(a: readonly Invalidation[], b: readonly Invalidation[]): Invalidation[] {
  const spans = [...a, ...b];
  const edges = [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort((x, y) => x - y);
  const out: Invalidation[] = [];
  for (const [i, start] of edges.entries()) {
    const end = edges[i + 1];
    if (end === undefined) break;
    const over = spans.filter((span) => span.start <= start && end <= span.end);
    if (over.length === 0) continue;
    const generation = Math.max(...over.map((span) => span.generation));
    const last = out.at(-1);
    if (last && last.end === start && last.generation === generation) {
      out[out.length - 1] = { ...last, end };
    } else out.push({ start, end, generation });
  }
  return out;
}

/**
 * Takes the lower revision, so that changes since then are requested again for the counts of both browsers. The store
 * must know the higher revision too: if it does not, it was restored from a backup since, and counts of one browser are
 * from before that.
 */
function mergeStores(a: StoreRow | null, b: StoreRow | null): StoreRow | null {
  if (!a || !b) return a ?? b;
  const points = [a, b, ...(a.named ?? []), ...(b.named ?? [])].map(({ revision, mark }) => ({
    revision,
    mark,
  }));
  points.sort((p, q) => p.revision - q.revision || ((p.mark ?? '') < (q.mark ?? '') ? -1 : 1));
  const [lowest = a, ...higher] = points.filter(
    (point, i) => i === 0 || !samePoint(point, points[i - 1] ?? a),
  );
  const epoch = Math.max(a.epoch ?? 0, b.epoch ?? 0);
  return {
    key: a.key,
    ...lowest,
    ...(epoch > 0 && { epoch }),
    ...(higher.length > 0 && { named: higher }),
    invalidated: mergeInvalidated(a.invalidated, b.invalidated),
  };
}

function mergeRows(a: SeriesRow, b: SeriesRow): SeriesRow {
  const later = a.usedAt === b.usedAt ? greater(a, b) : a.usedAt > b.usedAt ? a : b;
  return {
    ...later,
    fullHead: Math.max(a.fullHead, b.fullHead),
    invalidated: mergeInvalidated(a.invalidated, b.invalidated),
  };
}

/**
 * Merges everything except cells. Drops pending requests for which either browser has a receipt.
 *
 * @param here - From this browser, whose approved run continues unchanged.
 */
export function mergeSeries(here: SeriesMetadata, there: SeriesMetadata): SeriesMetadata {
  const receipts = mergeById(here.receipts, there.receipts, mergeReceipts);
  const answered = new Set(receipts.map(({ request }) => request));
  const asks = mergeById<PendingRequest>(here.requests, there.requests, greater);
  return {
    row: mergeRows(here.row, there.row),
    store: mergeStores(here.store, there.store),
    run: here.run ?? there.run,
    requests: asks.filter(({ id }) => !answered.has(id)),
    receipts,
  };
}
