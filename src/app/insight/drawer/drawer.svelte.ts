import type { RankPosts } from '#app/api/ranked-api.ts';
import { MOST_RANKED } from '#contract/counts/breakdown.ts';
import type { SearchedPost } from '#app/api/search-api.ts';
import { loadedCauses, type Samples } from '#app/insight/breakdown/loaded-breakdown.ts';
import { orderedPosts, type PostOrder } from './post-order.ts';
import { readSample, sampleSize, type FindPosts } from '#app/insight/breakdown/sampling.ts';
import type { Subject } from './inspected.ts';

/** Posts of one page of the list. */
export const POSTS_PER_PAGE = 100;

/** The way the drawer finds and prices Posts; read at each use, so that it fits the current source. */
export interface PostAccess {
  readonly find: FindPosts;
  /** The most that loading so many Posts can cost, USD; null if it is free. */
  price(most: number): { readonly posts: number; readonly money: number } | null;
  /**
   * Ranks all Posts, and counts words over all of them, so that no sample is compared here; null where only the Posts
   * that were read can be sorted.
   */
  readonly rank: RankPosts | null;
}

/** The state of a read; `offer` waits until the user accepts the price. */
type Reading = 'offer' | 'reading' | 'done' | 'failed';

/**
 * The open content of the drawer: a subject, its Posts, and samples of Posts whose words are compared. Free Posts load
 * by themselves; others only after the user accepts the offer.
 */
export class Drawer {
  readonly #access: () => PostAccess;
  readonly #onclose: () => void;
  #reading = new AbortController();
  /** True if the Posts can be read only once it is known where their list begins. */
  #awaitsSummit = false;
  subject = $state.raw<Subject | null>(null);
  postsReading = $state<Reading>('offer');
  /** The order the user wants. */
  wantedOrder = $state<PostOrder>('summit');
  /** Start of the subject's highest bucket, epoch ms; null if it has none, undefined until that is known. */
  summit = $state<number | null | undefined>(undefined);
  /** The order of the list: by time where there is no summit. */
  readonly order: PostOrder = $derived.by(() =>
    this.wantedOrder === 'summit' && this.summit === null ? 'time' : this.wantedOrder,
  );
  /** The Posts that were read; see {@link listed}. */
  posts = $state.raw<readonly SearchedPost[]>([]);
  next = $state.raw<string | null>(null);
  /** The Posts in {@link order}; by time until the summit is known. */
  readonly listed = $derived.by(() => {
    const { posts, order, summit } = this;
    return orderedPosts(posts, order === 'summit' && summit == null ? 'time' : order, summit ?? 0);
  });
  /** Posts of the subject when its list was read. */
  #counted = $state(0);
  /** Posts that the curve has got since. */
  readonly arrived = $derived.by(() =>
    this.postsReading === 'done' ? Math.max(0, (this.subject?.count ?? 0) - this.#counted) : 0,
  );
  /** True if further Posts of a ranking are not listed. */
  capped = $state(false);
  postsFault = $state.raw<unknown>(null);
  wordsReading = $state<Reading>('offer');
  /** Posts of both times, once they are read. */
  samples = $state.raw<Samples | null>(null);
  /** The causes of the Posts in them; null without any. */
  readonly causes = $derived.by(() => {
    const { subject, samples } = this;
    return subject && samples ? loadedCauses(subject, samples) : null;
  });
  wordsFault = $state.raw<unknown>(null);
  /** True if the lists of what the Posts contain are open. */
  detailed = $state(false);
  /** Price of the next page of Posts; null if it is free. */
  readonly pagePrice = $derived.by(() => this.#access().price(POSTS_PER_PAGE));
  /** Price of comparing words; null if it is free. */
  readonly wordsPrice = $derived.by(() => {
    const { subject } = this;
    return subject ? this.#access().price(this.#sampled(subject)) : null;
  });

  /** @param onclose - Called when the user closes it. */
  constructor(access: () => PostAccess, onclose: () => void = () => undefined) {
    this.#access = access;
    this.#onclose = onclose;
  }

  #sampled(subject: Subject): number {
    return sampleSize(subject.count) + sampleSize(subject.countBefore);
  }

  /** True if it shows the span and query of a subject, however these are counted. */
  isShowing({ key, query, span }: Subject): boolean {
    const now = this.subject;
    const same = now?.key === key && now.query === query;
    return same && now.span.start === span.start && now.span.end === span.end;
  }

  /** Shows a subject and drops what was read for the last one; the same subject only gets its new counts. */
  open(subject: Subject): void {
    if (this.isShowing(subject)) {
      if (Number.isNaN(this.#counted)) this.#counted = subject.count;
      this.subject = subject;
      return;
    }
    this.#reset(subject);
    this.#begin();
  }

  /** Reads what is free, once it is known where the list begins. */
  #begin(): void {
    const { subject, pagePrice, order, summit } = this;
    const ranked = this.#access().rank !== null && order === 'summit';
    if (!subject || subject.query === '' || pagePrice !== null) return;
    this.#awaitsSummit = ranked && summit === undefined;
    if (this.#awaitsSummit) this.postsReading = 'reading';
    else void this.#readAll();
  }

  /** Takes the summit of the subject, once it is known. */
  foundSummit(at: number | null): void {
    if (!this.subject || this.summit !== undefined) return;
    this.summit = at;
    if (!this.#awaitsSummit) return;
    this.postsReading = 'offer';
    this.#begin();
  }

  /** Lists the Posts in another order. */
  choose(order: PostOrder): void {
    if (order === this.wantedOrder) return;
    this.wantedOrder = order;
    // Posts that were read of a priced source are only sorted again.
    if (this.#access().rank === null) return;
    const { subject, summit, samples } = this;
    if (!subject) return;
    this.#reset(subject);
    [this.summit, this.samples] = [summit, samples];
    this.#begin();
  }

  close(): void {
    this.#reset(null);
    this.#onclose();
  }

  #reset(subject: Subject | null): void {
    this.#reading.abort();
    this.#reading = new AbortController();
    this.subject = subject;
    this.posts = [];
    this.next = null;
    this.summit = undefined;
    this.#awaitsSummit = false;
    this.capped = false;
    this.samples = null;
    this.postsFault = null;
    this.wordsFault = null;
    this.postsReading = 'offer';
    this.wordsReading = 'offer';
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#reading;
    await this.readPosts();
    // Words after Posts: people read the list first.
    if (signal.aborted || this.postsReading !== 'done' || this.#access().rank) return;
    await this.compareWords();
  }

  /** Reads the next page of Posts; `again`: those that have arrived. */
  async readPosts(again = false): Promise<void> {
    const { subject } = this;
    if (!subject || this.postsReading === 'reading') return;
    const { signal } = this.#reading;
    const { query, span, count } = subject;
    if (again || this.posts.length === 0) this.#counted = count;
    this.postsReading = 'reading';
    this.postsFault = null;
    try {
      const { find, rank } = this.#access();
      const { order, summit } = this;
      if (rank && order !== 'time') {
        const more = again && this.posts.length >= POSTS_PER_PAGE ? 0 : POSTS_PER_PAGE;
        const max = Math.min(MOST_RANKED, this.posts.length + more);
        const kind = order === 'summit' ? 'nearest' : order;
        const posts = await rank(
          { query, span, order: kind, at: summit ?? span.start, max },
          signal,
        );
        if (signal.aborted) return;
        this.posts = posts;
        this.capped = posts.length === MOST_RANKED;
        this.next = posts.length === max && !this.capped ? String(max) : null;
      } else {
        const next = again ? null : this.next;
        const page = await find({ query, span, next, max: POSTS_PER_PAGE }, signal);
        if (signal.aborted) return;
        const had = new Set(this.posts.map(({ id }) => id));
        const fresh = page.posts.filter(({ id }) => !had.has(id));
        // With nothing between them, the list goes on where it ended.
        const joins = again && fresh.length < page.posts.length;
        if (joins) this.posts = [...fresh, ...this.posts];
        else this.posts = again ? page.posts : [...this.posts, ...page.posts];
        if (!joins) this.next = page.next;
      }
      this.postsReading = 'done';
    } catch (error) {
      if (signal.aborted) return;
      this.postsFault = error;
      this.postsReading = 'failed';
    }
  }

  /** Reads Posts of the time and of the time before, so that their words can be compared. */
  async compareWords(): Promise<void> {
    const { subject } = this;
    if (!subject || this.wordsReading === 'reading') return;
    const { signal } = this.#reading;
    const { query, span, count, before, countBefore } = subject;
    const { find } = this.#access();
    this.wordsReading = 'reading';
    this.wordsFault = null;
    try {
      const now = await readSample(find, query, span, count, signal);
      const earlier = await readSample(find, query, before, countBefore, signal);
      if (signal.aborted) return;
      this.samples = { now, before: earlier };
      this.wordsReading = 'done';
    } catch (error) {
      if (signal.aborted) return;
      this.wordsFault = error;
      this.wordsReading = 'failed';
    }
  }
}
