import type { PostSearch } from '#app/api/search-api.ts';
import { Fault } from '#contract/fault.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import { intersect, type Span } from '#core/time/span.ts';
import { MOST_DOTS, type LanePost } from './lane-post.ts';

/** One query of the board, as the lane searches it. */
export interface LaneQuery {
  readonly query: string;
  readonly name: string;
  readonly style: SeriesStyle;
}

/** A search for the visible queries over the window. */
export interface LaneSearch {
  readonly queries: readonly LaneQuery[];
  readonly window: Span;
  /** The span of Your Posts, and their revision with its mark; null if there are none. */
  readonly held: (Span & { readonly revision: number; readonly mark?: string | undefined }) | null;
  /** New Posts are found some seconds later: another moment searches again. */
  readonly moment: number;
  /** Id of the account that searches; null for none. Another one may find other Posts. */
  readonly viewer: string | null;
  /** True if the service is away: nothing is searched until it is back. */
  readonly offline: boolean;
}

const PAGE = 100;

/** The user's own Posts that match the queries of the board, for the lane under its chart. */
export class OwnPosts {
  readonly #search: PostSearch;
  posts = $state.raw<readonly LanePost[]>([]);
  /** Shown instead of Posts. */
  instead = $state('');
  #loaded = '';
  #stop = new AbortController();

  /** @param search - Searches any source; only Your Posts is used. */
  constructor(search: PostSearch) {
    this.#search = search;
  }

  /** Searches unless the same was searched last, also if that failed: the page is drawn more often than it changes. */
  async load({ queries, window, held, moment, viewer, offline }: LaneSearch): Promise<void> {
    if (offline) {
      this.#loaded = '';
      return;
    }
    const key = JSON.stringify([queries, window, held, moment, viewer]);
    if (key === this.#loaded) return;
    this.#loaded = key;
    this.#stop.abort();
    const stop = new AbortController();
    this.#stop = stop;
    const span = held && intersect(window, held);
    if (!span || queries.length === 0) {
      this.posts = [];
      this.instead = held ? '' : 'No Posts imported yet. Drop a file on the page.';
      return;
    }
    this.posts = [];
    this.instead = 'Searching your Posts…';
    try {
      const found = await Promise.all(
        queries.map((query) => this.#postsOf(query, span, stop.signal)),
      );
      if (stop.signal.aborted) return;
      this.posts = found.flat().sort((a, b) => a.at - b.at);
      this.instead = '';
    } catch (error) {
      if (stop.signal.aborted) return;
      this.posts = [];
      // A query that the service refuses says why at its series.
      const refused = error instanceof Fault && error.status === 400;
      this.instead = `Your Posts could not be searched because ${refused ? 'a query is refused' : 'the service doesn’t answer'}.`;
    }
  }

  /** The newest matches of one query, until they exceed what can be drawn. */
  async #postsOf(
    { query, name, style }: LaneQuery,
    span: Span,
    signal: AbortSignal,
  ): Promise<LanePost[]> {
    const found: LanePost[] = [];
    let next: string | null = null;
    do {
      const ask = { query, span, next, most: PAGE, authors: false };
      const page = await this.#search('posts', 'all', ask, signal);
      found.push(...page.posts.map(({ at, text }) => ({ at, text, style, series: name })));
      next = page.next;
    } while (next !== null && found.length <= MOST_DOTS);
    return found;
  }
}
