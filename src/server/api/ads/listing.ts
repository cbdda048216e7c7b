import type { ListingQuery } from '#contract/ads/ads.ts';
import { SORTED, type AdKind, type Sorted } from '#contract/ads/ad-kind.ts';
import { AD_KINDS, type AdKindName } from '#contract/ads/ad-kinds.ts';
import type { Seal } from '#core/cursor.ts';
import { advertiserFaults } from '#server/ads/advertiser-fault.ts';
import { cursorAfter, readCursor } from '#server/ads/cursor.ts';
import type { AdFilter, AdOrder, AdPlace } from '#server/ads/entity-pages.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';

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

/** The values of a filter, which a request gives as one or as a list; none if it does not give it. */
function valuesOf(query: ListingQuery, name: string | undefined): readonly string[] | undefined {
  const value = name === undefined ? undefined : query[name];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value : undefined;
}

function filterOf({ kind, holder, query }: Asked): AdFilter {
  const { key, keyed, parent, filters = [], search }: AdKind = AD_KINDS[kind];
  const given = filters.flatMap(({ parameter, by }) => {
    const values = valuesOf(query, parameter);
    return values ? [{ by, values }] : [];
  });
  const through = given.flatMap(({ by, values }) =>
    'through' in by ? [{ kinds: by.through, ids: values }] : [],
  );
  return {
    kind,
    holder,
    ids: valuesOf(query, `${key}s`),
    keyed: keyed === true,
    parents:
      valuesOf(query, parent?.filter) ?? through.find(({ kinds }) => kinds.length === 0)?.ids,
    above: through.filter(({ kinds }) => kinds.length > 0),
    fields: given.flatMap(({ by, values }) => ('field' in by ? [{ field: by.field, values }] : [])),
    q: query.q,
    isBeginning: search === 'beginning',
    withDeleted: query.with_deleted ?? false,
    withDraft: query.with_draft ?? false,
  };
}

function sortedBy(orders: readonly string[] = []): AdOrder['by'] {
  return orders.flatMap((order) => {
    const name = SORTED.find((each) => each === order.replace(/-(?:asc|desc)$/, ''));
    return name === undefined ? [] : [{ name, descending: order.endsWith('-desc') }];
  });
}

const TEXTS: ReadonlySet<Sorted> = new Set(['name', 'start_time', 'end_time'] as const);

function placeOf([walk, ...rest]: readonly string[], by: AdOrder['by']): AdPlace {
  const keys = by.map(({ name }, i) => (TEXTS.has(name) ? (rest[i] ?? '') : Number(rest[i])));
  return { walk: Number(walk), keys, seq: Number(rest.at(-1)) };
}

/** @throws {@link Fault} 400 EXCLUSIVE_PARAMETERS for a cursor together with a total (platform-facts, section 10). */
export function refuseBoth({
  query,
  texts,
}: {
  readonly query: { readonly cursor?: unknown; readonly with_total_count?: unknown };
  readonly texts: Readonly<Record<string, string>>;
}): void {
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
 * is created, changed and deleted: each page begins after the keys of the last entity, not after a number of them, and
 * entities keep the keys that they had when the walk began.
 *
 * @throws {@link Fault} 400 for a cursor of another listing, and for a cursor together with `with_total_count`.
 */
export function readListing(store: AdsStore, asked: Asked, seal: Seal): AdPage {
  refuseBoth(asked);
  const { kind, holder, query } = asked;
  const { count, cursor } = query;
  const filter = filterOf(asked);
  const by = sortedBy(query.sort_by);
  const bound = ['ads', kind, holder, filter, by];
  const after = cursor === undefined ? null : placeOf(readCursor(cursor, bound, seal), by);
  const rows = store.page(filter, { by, after }, count + 1);
  const last = rows[count - 1]?.place;
  const keys = last && [last.walk, ...last.keys, last.seq].map(String);
  return {
    entities: rows.slice(0, count).map(({ entity }) => entity),
    next: keys && rows.length > count ? cursorAfter(keys, bound, seal) : null,
    ...(query.with_total_count === true && { total: store.count(filter) }),
  };
}
