import type { KeyWord } from '#core/text/keyness.ts';
import type { FindPosts, FoundPost, PriceOfPosts } from './found.ts';
import { samplePosts, sampleSize } from './sampling.ts';
import type { Subject } from './inspected.ts';

/** Posts of one page of the list. */
export const PAGE = 100;

/** The most distinctive words shown. */
const MOST_WORDS = 12;

/** How the drawer finds and prices Posts; read at each use, so that it fits the current source. */
export interface PostAccess {
  readonly find: FindPosts;
  readonly price: PriceOfPosts;
  /** Whether the service counts words over all Posts, so that no sample of them is compared here. */
  readonly counted?: boolean;
}

/** The state of a read; `offer` waits until the user accepts the price. */
export type Reading = 'offer' | 'reading' | 'done' | 'failed';

/** Distinctive words, and the number of Posts compared, of the time and of the time before. */
export interface WordsApart {
  readonly words: readonly KeyWord[];
  readonly posts: number;
  readonly before: number;
}

/**
 * What is open in the drawer: a subject, its Posts and its distinctive words. Free Posts load by themselves; others
 * only after the user accepts the offer.
 */
export class Drawer {
  readonly #access: () => PostAccess;
  readonly #onclose: () => void;
  #reading = new AbortController();
  subject = $state.raw<Subject | null>(null);
  postsReading = $state<Reading>('offer');
  posts = $state.raw<readonly FoundPost[]>([]);
  next = $state.raw<string | null>(null);
  postsFault = $state.raw<unknown>(null);
  wordsReading = $state<Reading>('offer');
  wordsApart = $state.raw<WordsApart | null>(null);
  wordsFault = $state.raw<unknown>(null);
  /** Price of the next page of Posts; null if it is free. */
  readonly pagePrice = $derived.by(() => this.#access().price(PAGE));
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

  /** Whether it shows the span and query of a subject, however these are counted. */
  isShowing({ key, query, span }: Subject): boolean {
    const now = this.subject;
    const same = now?.key === key && now.query === query;
    return same && now.span.start === span.start && now.span.end === span.end;
  }

  /** Shows a subject and drops what was read for the last one; the same subject only gets its new counts. */
  open(subject: Subject): void {
    if (this.isShowing(subject)) {
      this.subject = subject;
      return;
    }
    this.#reset(subject);
    if (subject.query !== '' && this.pagePrice === null) void this.#readAll();
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
    this.wordsApart = null;
    this.postsFault = null;
    this.wordsFault = null;
    this.postsReading = 'offer';
    this.wordsReading = 'offer';
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#reading;
    await this.readPosts();
    // Words after Posts: people read the list first.
    if (signal.aborted || this.postsReading !== 'done' || this.#access().counted) return;
    await this.compareWords();
  }

  /** Reads the next page of Posts. */
  async readPosts(): Promise<void> {
    const { subject } = this;
    if (!subject || this.postsReading === 'reading') return;
    const { signal } = this.#reading;
    const { query, span } = subject;
    this.postsReading = 'reading';
    this.postsFault = null;
    try {
      const ask = { query, span, next: this.next, most: PAGE };
      const page = await this.#access().find(ask, signal);
      if (signal.aborted) return;
      this.posts = [...this.posts, ...page.posts];
      this.next = page.next;
      this.postsReading = 'done';
    } catch (error) {
      if (signal.aborted) return;
      this.postsFault = error;
      this.postsReading = 'failed';
    }
  }

  /** Reads Posts of the time and of the time before, and compares their words. */
  async compareWords(): Promise<void> {
    const { subject } = this;
    if (!subject || this.wordsReading === 'reading') return;
    const { signal } = this.#reading;
    const { query, span, count, before, countBefore } = subject;
    const { find } = this.#access();
    this.wordsReading = 'reading';
    this.wordsFault = null;
    try {
      const now = await samplePosts(find, query, span, count, signal);
      const earlier = await samplePosts(find, query, before, countBefore, signal);
      const [{ bagOf, keyWords }, { parse }, { queryWords }] = await Promise.all([
        import('#core/text/keyness.ts'),
        import('#core/query/parse.ts'),
        import('#core/query/words.ts'),
      ]);
      if (signal.aborted) return;
      const parsed = parse(query, { own: true });
      const asked = parsed.ok ? queryWords(parsed.ast) : new Set<string>();
      const bags = [bagOf(now.map(textOf)), bagOf(earlier.map(textOf))] as const;
      this.wordsApart = {
        words: keyWords(...bags, asked, MOST_WORDS),
        posts: now.length,
        before: earlier.length,
      };
      this.wordsReading = 'done';
    } catch (error) {
      if (signal.aborted) return;
      this.wordsFault = error;
      this.wordsReading = 'failed';
    }
  }
}

const textOf = ({ text }: FoundPost): string => text;
