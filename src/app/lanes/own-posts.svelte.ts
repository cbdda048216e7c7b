import type { PostSearch } from '#app/api/search-api.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import { intersect, type Span } from '#core/time/span.ts';
import { MOST_POSTS, type LanePost } from './lane-post.ts';

/** One query of the board, as the lane searches it. */
export interface LaneQuery {
  readonly query: string;
  readonly name: string;
  readonly style: SeriesStyle;
}

/** What is looked for: the queries in sight over the window. */
export interface LaneLook {
  readonly queries: readonly LaneQuery[];
  readonly window: Span;
  /** All that Your posts hold, and their revision with its mark; null where there are none. */
  readonly held: (Span & { readonly revision: number; readonly mark?: string | undefined }) | null;
  /** What came just now is found some seconds later: another moment looks again. */
  readonly moment: number;
}

const PAGE = 100;

/** The user's own Posts that match the queries of the board, for the lane under its chart. */
export class OwnPosts {
  readonly #search: PostSearch;
  posts = $state.raw<readonly LanePost[]>([]);
  /** Said in the stead of Posts. */
  instead = $state('');
  #looked = '';
  #stop = new AbortController();

  /** @param search - Of any source; Your posts alone are asked. */
  constructor(search: PostSearch) {
    this.#search = search;
  }

  /** Searches what is looked for unless that was searched last. */
  async look({ queries, window, held, moment }: LaneLook): Promise<void> {
    const key = JSON.stringify([queries, window, held, moment]);
    if (key === this.#looked) return;
    this.#looked = key;
    this.#stop.abort();
    const stop = new AbortController();
    this.#stop = stop;
    const span = held && intersect(window, held);
    if (!span || queries.length === 0) {
      this.posts = [];
      this.instead = held ? '' : 'Your posts hold none yet: drop a file of them on the page.';
      return;
    }
    this.posts = [];
    this.instead = 'Searching your posts …';
    try {
      const found = await Promise.all(queries.map((one) => this.#postsOf(one, span, stop.signal)));
      if (stop.signal.aborted) return;
      this.posts = found.flat().sort((a, b) => a.at - b.at);
      this.instead = '';
    } catch {
      if (stop.signal.aborted) return;
      this.#looked = '';
      this.posts = [];
      this.instead = 'Your posts could not be searched: the service does not answer.';
    }
  }

  /** The newest matches of one query, one more than are drawn at most. */
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
    } while (next !== null && found.length <= MOST_POSTS);
    return found;
  }
}
