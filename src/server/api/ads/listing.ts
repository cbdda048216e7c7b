import type { ListingQuery } from '#contract/ads.ts';
import { AD_KINDS, SORTED } from '#contract/ad-kinds.ts';
import type { AdKind, AdKindName, Sorted } from '#contract/ad-kinds.ts';
import type { Seal } from '#core/cursor.ts';
import { advertiserFaults } from '#server/advertising/advertiser-fault.ts';
import { cursorAfter, readCursor } from '#server/advertising/cursor.ts';
import type { AdEntity, AdFilter, AdPlace, AdsStore } from '#server/advertising/store.ts';

/** A page of a listing. */
export interface AdPage {
  readonly entities: readonly AdEntity[];
  /** Cursor of the next page; null if this is the last one. */
  readonly next: string | null;
  /** Number of entities of all pages, if the request asks for it. */
  readonly total?: number;
}

interface Asked {
  readonly kind: AdKindName;
  /** The ad account, or for ad accounts the user. */
  readonly holder: string;
  readonly query: ListingQuery;
  /** The parameters as sent. */
  readonly texts: Readonly<Record<string, string>>;
}

function filterOf({ kind, holder, query }: Asked): AdFilter {
  const { ids, parent }: AdKind = AD_KINDS[kind];
  const list = (name: string | undefined): readonly string[] | undefined => {
    const value = name === undefined ? undefined : query[name];
    return Array.isArray(value) ? value : undefined;
  };
  return {
    kind,
    holder,
    ids: list(ids),
    parents: list(parent?.filter),
    q: query.q,
    withDeleted: query.with_deleted ?? false,
    withDraft: query.with_draft ?? false,
  };
}

function sortedBy([order]: readonly string[] = []): { by: Sorted | null; descending: boolean } {
  const name = order?.replace(/-(?:asc|desc)$/, '');
  const by = SORTED.find((one) => one === name) ?? null;
  return { by, descending: order?.endsWith('-desc') ?? false };
}

function placeOf([walk, key = '', seq]: readonly string[], by: Sorted | null): AdPlace {
  const isText = by === 'name' || by === 'start_time' || by === 'end_time';
  return { walk: Number(walk), key: isText ? key : Number(key), seq: Number(seq) };
}

/** @throws {@link Fault} 400 EXCLUSIVE_PARAMETERS for a cursor together with a total (platform-facts, section 10). */
function refuseBoth({ query, texts }: Asked): void {
  if (query.cursor === undefined || query.with_total_count !== true) return;
  const message = 'The parameters cursor and with_total_count exclude each other';
  throw advertiserFaults(
    400,
    ['cursor', 'with_total_count'].map((parameter) => ({
      code: 'EXCLUSIVE_PARAMETERS' as const,
      message,
      parameter,
      value: texts[parameter] ?? '',
    })),
  );
}

/**
 * Reads a page of a listing. A walk by cursors returns every entity that exists all the while exactly once, whatever else
 * is created and deleted, because each page begins after the keys of the last entity, not after a number of them.
 *
 * @throws {@link Fault} 400 for a cursor of another listing, and for a cursor together with `with_total_count`.
 */
export function readListing(store: AdsStore, asked: Asked, seal: Seal): AdPage {
  refuseBoth(asked);
  const { kind, holder, query } = asked;
  const { count, cursor } = query;
  const filter = filterOf(asked);
  const order = sortedBy(query.sort_by);
  const bound = ['ads', kind, holder, filter, order];
  const after = cursor === undefined ? null : placeOf(readCursor(cursor, bound, seal), order.by);
  const rows = store.page(filter, { ...order, after }, count + 1);
  const last = rows[count - 1];
  const keys = last && [last.place.walk, last.place.key, last.place.seq].map(String);
  return {
    entities: rows.slice(0, count).map(({ entity }) => entity),
    next: keys && rows.length > count ? cursorAfter(keys, bound, seal) : null,
    ...(query.with_total_count === true && { total: store.count(filter) }),
  };
}
