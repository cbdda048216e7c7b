import { formatInstant } from '#contract/instant.ts';
import { clauseFor } from '#core/query/clause.ts';
import { isContentWord, languagesWith } from '#core/text/function-words.ts';
import { findPeaks, type Peak } from '#core/series/peaks.ts';
import { MIN_BUCKETS } from '#core/series/baseline.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, without, type Span } from '#core/time/span.ts';
import { PREFIX_OF } from '#server/index/forward.ts';
import { firstFrom } from '#server/index/histogram.ts';
import { and, or, size } from '#server/index/ordinals.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { byKeys, itemOf, setsOf, type Sets } from './sets.ts';
import { isMostlyOther, languagesOf } from './wording.ts';
import { countAllWords, tallyWords } from '#server/index/tally-words.ts';
import {
  countEach,
  groupEntries,
  nameOf,
  type CountedEntries,
} from '#server/index/counted-terms.ts';
import { postsIn } from '#server/index/chunk-posts.ts';
import { tallyFlags } from '#server/index/tally-flags.ts';
import type { TermGroup } from '#server/index/term-table.ts';
import type { RisingAnswer, RisingItem } from '#contract/counts/breakdown-answers.ts';

/** Fewest Posts of what rises, and the part of all Posts that it has at least: rarer terms are no topic. */
const LEAST_POSTS = 12;
const LEAST_PART = 1 / 4000;

/** Days are counted from as many on as a usual level is known from; hours in a shorter span. */
const DAYS_FROM = MIN_BUCKETS * DAY_MS;

/** The buckets of a span; the last may be cut, and those outside what the source covers are unknown. */
interface Buckets {
  readonly width: number;
  readonly bounds: Float64Array;
  readonly states: Uint8Array;
}

/** The width of a bucket of rising terms, ms. */
export function risingWidth({ start, end }: Span): number {
  return end - start >= DAYS_FROM ? DAY_MS : HOUR_MS;
}

function bucketsOf(span: Span, covered: readonly Span[]): Buckets {
  const { start, end } = span;
  const width = risingWidth(span);
  const n = Math.ceil((end - start) / width);
  const bounds = Float64Array.from({ length: n + 1 }, (_, i) => Math.min(end, start + i * width));
  const states = new Uint8Array(n).fill(STATE.settled);
  if ((end - start) % width !== 0) states[n - 1] = STATE.partial;
  for (let i = 0; i < n; i++) {
    const bucket = { start: bounds[i]!, end: bounds[i + 1]! };
    const missing = without([bucket], covered);
    const [only] = missing;
    if (!only) continue;
    const isWhole = only.start === bucket.start && only.end === bucket.end;
    states[i] = isWhole ? STATE.uncovered : STATE.partial;
  }
  return { width, bounds, states };
}

/** The terms of a kind with their Posts per bucket. */
interface Curves {
  readonly counted: CountedEntries;
  /** Of entry e and bucket b at `e * buckets + b`. */
  readonly counts: Uint32Array;
}

/** Counts the Posts of each entry per bucket. @param group - Null for words. */
function* curvesOf(
  sets: Sets,
  { bounds }: Buckets,
  counted: CountedEntries,
  group: TermGroup | null,
  due: Due,
): Steps<Curves> {
  const n = bounds.length - 1;
  const counts = new Uint32Array(counted.counts.size * n);
  for (const [i, { chunk, posts }] of sets.now.entries()) {
    const forward = chunk.forward();
    const table = group === null ? forward.words : forward.flags;
    const entries = group === null ? counted.now[i]! : groupEntries(counted, i, table, group);
    const seconds = chunk.seconds();
    for (let b = 0, from = 0; b < n; b++) {
      const to = firstFrom(seconds, bounds[b + 1]! / SECOND_MS, from);
      if (to > from) {
        countEach(table, posts, from, to, entries, (entry) => {
          counts[entry * n + b]!++;
        });
        if (due()) yield;
      }
      from = to;
    }
  }
  return { counted, counts };
}

/** True if most Posts of a peak with a word state a language of which it is a function word, as in a burst of a rare language. */
function* isFunctional(
  chunks: SourceState['chunks'],
  word: string,
  peak: Span,
  due: Due,
): Steps<boolean> {
  const terms = languagesWith(word).map((language) => `${PREFIX_OF.language}${language}`);
  if (terms.length === 0) return false;
  let all = 0;
  let functional = 0;
  for (const { chunk, posts, n } of yield* postsIn(
    chunks,
    { kind: 'term', term: word },
    peak,
    due,
  )) {
    all += n;
    functional += size(and(posts, or(terms.map((term) => chunk.list(term)))));
  }
  return functional * 2 >= all;
}

/** The counts of buckets; NaN where the source has no data. */
function knownCounts(counts: Uint32Array, { states }: Buckets): Float64Array {
  return Float64Array.from(counts, (n, i) => (states[i] === STATE.uncovered ? NaN : n));
}

/** An entry, and its most unusual peak. */
interface Rise {
  readonly entry: number;
  readonly peak: Peak;
}

/**
 * The entries with a peak, the most unusual first, each once it is asked for.
 *
 * No score exceeds the largest count of a bucket: at least none is expected there, and a spread is at least one Post per
 * whole bucket. So only entries whose largest count reaches the best score found are searched for peaks, which takes
 * most of the time.
 */
class Rises {
  readonly #curves: Curves;
  readonly #buckets: Buckets;
  /** Entries that are not searched yet, and the most that their scores can be, ascending. */
  readonly #waiting: { readonly entry: number; readonly most: number }[] = [];
  /** Searched entries, the least unusual first. */
  readonly #found: Rise[] = [];

  constructor(curves: Curves, buckets: Buckets, least: number) {
    this.#curves = curves;
    this.#buckets = buckets;
    const { counts: terms } = curves.counted;
    const { width, bounds } = buckets;
    const n = buckets.states.length;
    for (let entry = 0; entry < terms.size; entry++) {
      if (terms.posts[entry]! < least) continue;
      let most = 0;
      for (let b = 0; b < n; b++) {
        const share = (bounds[b + 1]! - bounds[b]!) / width;
        most = Math.max(most, curves.counts[entry * n + b]! / share);
      }
      this.#waiting.push({ entry, most });
    }
    this.#waiting.sort((a, b) => a.most - b.most);
  }

  /** The next one, in steps; null if there is none. */
  *next(due: Due): Steps<Rise | null> {
    for (;;) {
      const best = this.#found.at(-1);
      const waiting = this.#waiting.at(-1);
      if (!waiting || (best && waiting.most < best.peak.score)) return this.#found.pop() ?? null;
      this.#waiting.pop();
      if (due()) yield;
      this.#search(waiting.entry);
    }
  }

  #search(entry: number): void {
    const n = this.#buckets.states.length;
    const { counts, counted } = this.#curves;
    const own = knownCounts(counts.subarray(entry * n, (entry + 1) * n), this.#buckets);
    const curve = { ...this.#buckets, counts: own, fetchedAt: new Float64Array(n) };
    const [first, ...others] = findPeaks(curve, 'UTC').peaks;
    if (!first) return;
    const peak = others.reduce((best, each) => (each.score > best.score ? each : best), first);
    const isLess = (rise: Rise): boolean =>
      rise.peak.score - peak.score < 0 ||
      (rise.peak.score === peak.score && byKeys(counted.counts, rise.entry, entry) > 0);
    const at = this.#found.findIndex((rise) => !isLess(rise));
    this.#found.splice(at === -1 ? this.#found.length : at, 0, { entry, peak });
  }
}

const KINDS = [
  { kind: 'words', group: null, operator: 'word', prefix: '' },
  { kind: 'hashtags', group: 'hashtag', operator: 'hashtag', prefix: '#' },
  { kind: 'authors', group: 'author', operator: 'from', prefix: PREFIX_OF.author },
] as const;

/**
 * The words, hashtags and authors whose pace departs most from its usual level in a span, in steps: those with the
 * highest peak, in spreads, over the robust seasonal baseline of their own curve (`core/series/peaks.ts`, whose sources
 * are there). Only what at least 12 Posts and 1 of 4,000 have is searched.
 *
 * @returns As `RisingAnswer`.
 */
export function* risingIn(
  { chunks, covered }: Pick<SourceState, 'chunks' | 'covered'>,
  span: Span,
  limit: number,
  due: Due,
): Steps<RisingAnswer['data']> {
  const sets = setsOf(yield* postsIn(chunks, { kind: 'all', of: [] }, span, due), []);
  const buckets = bucketsOf(span, covered);
  const least = Math.max(LEAST_POSTS, Math.ceil(sets.posts * LEAST_PART));
  const leastOf = { hashtag: least, author: least, domain: Infinity, address: Infinity } as const;
  const flags = yield* tallyFlags(sets.now, [], leastOf, due);
  const wordCounts = yield* countAllWords(sets.now, [], due);
  const words = yield* tallyWords(sets.now, [], wordCounts, least, due);
  const languages = yield* languagesOf(sets, flags.language, due);
  const found: Record<(typeof KINDS)[number]['kind'], RisingItem[]> = {
    words: [],
    hashtags: [],
    authors: [],
  };
  for (const { kind, group, operator, prefix } of KINDS) {
    const counted = group === null ? words : flags[group];
    const curves = yield* curvesOf(sets, buckets, counted, group, due);
    const n = buckets.states.length;
    const rises = new Rises(curves, buckets, least);
    while (found[kind].length < limit) {
      const rise = yield* rises.next(due);
      if (!rise) break;
      const { entry, peak } = rise;
      const term = nameOf(counted, entry);
      if (term === undefined) continue;
      if (group === null) {
        if (!isContentWord(term, languages)) continue;
        const during = { start: buckets.bounds[peak.from]!, end: buckets.bounds[peak.to]! };
        if (yield* isFunctional(chunks, term, during, due)) continue;
        if (yield* isMostlyOther(sets, term, due)) continue;
      }
      const value = term.slice(prefix.length);
      const part = clauseFor(operator, value, { kind: 'term', term });
      if (!part) continue;
      const name = kind === 'authors' ? value : term;
      found[kind].push({
        ...itemOf(name, part, counted.counts.posts[entry]!, sets.posts),
        peak: {
          start: formatInstant(buckets.bounds[peak.from]!),
          end: formatInstant(buckets.bounds[peak.to]!),
          posts: peak.count,
          expected: peak.expected,
        },
        score: peak.score,
        counts: Array.from(
          knownCounts(curves.counts.subarray(entry * n, (entry + 1) * n), buckets),
          (count) => (Number.isNaN(count) ? null : count),
        ),
      });
    }
  }
  return {
    posts: sets.posts,
    bucket_ms: buckets.width,
    start: formatInstant(span.start),
    ...found,
  };
}
