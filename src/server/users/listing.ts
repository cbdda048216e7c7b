import { packCursor } from '#core/cursor.ts';
import type { Steps } from '#server/index/steps.ts';
import { readPageToken, sealBy } from '#server/http/page-token.ts';
import type { Direction } from '#server/posts/store/relation-kinds.ts';

/** An ordered listing, newest first, of entries that may lead to results. */
export interface Listing<E, T> {
  /**
   * The nearest entries in a direction.
   *
   * @param from - Lists only those after this one; all if null.
   */
  read(direction: Direction, from: E | null, limit: number): Steps<readonly E[]>;
  /** The result of each entry, in order; null for one that may not be shown. */
  show(entries: readonly E[]): readonly (T | null)[];
  /** An entry as texts of a token, which {@link Listing.unpack} reads. */
  pack(entry: E): readonly string[];
  unpack(fields: readonly string[]): E;
}

/** A request for a page. */
export interface ListingRequest {
  readonly max_results: number;
  readonly pagination_token?: string | undefined;
}

/** The scope in which tokens are valid, and the key that seals them. */
export interface TokenScope {
  /** The operation, the store and the parameters that select the entries. */
  readonly of: readonly string[];
  readonly key: Uint8Array;
}

export interface ListingPage<T> {
  /** Newest first. */
  readonly shown: readonly T[];
  readonly tokens: { readonly next_token?: string; readonly previous_token?: string };
}

/** The number of times hidden results are replaced by further ones before a page is answered with fewer. */
const ROUNDS = 8;

/**
 * Reads a page of a listing, from its newest entry or from where the request's token says. Results that may not be
 * shown are replaced by further ones. Entries that are added or removed between two pages neither repeat nor hide others.
 *
 * @throws {@link Fault} 400 for a token of another listing.
 */
export function* readPage<E, T>(
  listing: Listing<E, T>,
  { max_results: most, pagination_token }: ListingRequest,
  { of, key }: TokenScope,
): Steps<ListingPage<T>> {
  const seal = sealBy(key);
  const bound = JSON.stringify(of);
  const token = readPageToken(
    pagination_token === undefined ? {} : { pagination_token },
    bound,
    seal,
  );
  const from = token ? listing.unpack(token.slice(1)) : null;
  const direction: Direction = token?.[0] === 'newer' ? 'newer' : 'older';

  const shown: T[] = [];
  let first: E | null = null;
  let last = from;
  let more = true;
  for (let round = 0; more && shown.length < most && round < ROUNDS; round++) {
    const missing = most - shown.length;
    const entries = yield* listing.read(direction, last, missing + 1);
    more = entries.length > missing;
    const page = entries.slice(0, missing);
    first ??= page[0] ?? null;
    last = page.at(-1) ?? last;
    shown.push(...listing.show(page).filter((result) => result !== null));
  }
  first ??= from;
  const opposite: Direction = direction === 'older' ? 'newer' : 'older';
  // Without a token, the page begins at the newest entry.
  const hasMore =
    from !== null && first !== null && (yield* listing.read(opposite, first, 1)).length > 0;
  const tokenOf = (to: Direction, entry: E | null): string | undefined =>
    entry === null ? undefined : packCursor([to, ...listing.pack(entry)], bound, seal);
  const further = more ? tokenOf(direction, last) : undefined;
  const back = hasMore ? tokenOf(opposite, first) : undefined;
  const [next, previous] = direction === 'older' ? [further, back] : [back, further];
  return {
    shown: direction === 'older' ? shown : shown.reverse(),
    tokens: {
      ...(next !== undefined && { next_token: next }),
      ...(previous !== undefined && { previous_token: previous }),
    },
  };
}
