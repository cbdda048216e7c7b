import type { PostSearch } from '#app/api/search-api.ts';
import { Fault } from '#contract/fault.ts';
import { intersect, type Span } from '#core/time/span.ts';
import type { BoardEvent } from './event.ts';
import { LastSearch } from './last-search.ts';
import { MARK_FIELDS, ownPostEvent } from './post-event.ts';

/** A search for the Posts of accounts in the window. */
export interface OwnSearch {
  /** Usernames, without a leading @. */
  readonly accounts: readonly string[];
  readonly window: Span;
  /** The span of Your Posts, and their revision with its mark; null if there are none. */
  readonly held: (Span & { readonly revision: number; readonly mark?: string | undefined }) | null;
  /** New Posts are found some seconds later: another moment searches again. */
  readonly moment: number;
  /** Id of the account that searches; null for none. Another one may find other Posts. */
  readonly viewer: string | null;
  /** True if the service is away: what was found stays, and nothing is searched until it is back. */
  readonly offline: boolean;
}

const PAGE = 100;
/** The most Posts of a window, the newest first. */
export const MOST_OWN_POSTS = 1_000;

/** The Posts of the user's own accounts, as events. */
export class OwnPosts {
  readonly #search: PostSearch;
  events = $state.raw<readonly BoardEvent[]>([]);
  /** The reason some are missing; empty if none are. */
  lack = $state('');
  readonly #last = new LastSearch();

  /** @param search - Searches any source; only Your Posts is used. */
  constructor(search: PostSearch) {
    this.#search = search;
  }

  /** Searches unless the same was searched last, also if that failed: the page is drawn more often than it changes. */
  async load({ accounts, window, held, moment, viewer, offline }: OwnSearch): Promise<void> {
    const signal = this.#last.begin([accounts, window, held, moment, viewer], offline);
    if (!signal) return;
    const span = held && intersect(window, held);
    if (!span || accounts.length === 0) {
      [this.events, this.lack] = [[], ''];
      return;
    }
    try {
      const query = `(${accounts.map((name) => `from:${name}`).join(' OR ')})`;
      const found = await this.#read(query, span, signal);
      if (signal.aborted) return;
      this.events = found.posts;
      this.lack = found.more
        ? `Only your ${MOST_OWN_POSTS} newest Posts are shown. Zoom in for others.`
        : '';
    } catch (error) {
      if (signal.aborted) return;
      this.events = [];
      const refused = error instanceof Fault && error.status === 400;
      this.lack = `Your Posts could not be searched because ${refused ? 'an account’s name is refused' : 'the service doesn’t answer'}.`;
    }
  }

  async #read(
    query: string,
    span: Span,
    signal: AbortSignal,
  ): Promise<{ readonly posts: readonly BoardEvent[]; readonly more: boolean }> {
    const posts: BoardEvent[] = [];
    let next: string | null = null;
    do {
      const ask = { query, span, next, max: PAGE, fields: MARK_FIELDS };
      const page = await this.#search('posts', 'all', ask, signal);
      posts.push(...page.posts.map(ownPostEvent));
      next = page.next;
    } while (next !== null && posts.length < MOST_OWN_POSTS);
    return { posts: posts.slice(0, MOST_OWN_POSTS), more: next !== null };
  }
}
