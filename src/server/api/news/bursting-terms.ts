import { burstsOf } from '#core/news/burst.ts';
import type { Burst } from '#core/news/burst.ts';
import type { BurstingTerm } from '#core/news/group.ts';
import { isNewsTerm } from '#core/news/news-term.ts';
import { LEAST_HOURS, lowPace, usualPace } from '#core/news/pace.ts';
import type { Hours, Pace } from '#core/news/pace.ts';
import type { Condition } from '#core/query/ast.ts';
import { ceilTo, floorTo } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import { urlTerm } from '#server/index/chunk.ts';
import { extent, histogramSteps } from '#server/index/counting.ts';
import { frequentTerms } from '#server/index/frequent-terms.ts';
import { postWindow } from '#server/index/post-window.ts';
import type { PostWindow } from '#server/index/post-window.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/source.ts';

/** Time before a day from which usual paces are learned. */
export const LEARNED_MS = 28 * DAY_MS;
/** Time before a day that is searched too, so that a burst in progress at midnight does not begin there. */
const BEFORE_MS = DAY_MS / 2;
/** Time after a day in which its bursts may end. */
export const AFTER_MS = DAY_MS;
/** Time after a day in which a burst that began before midnight may still become frequent. */
const LATE_MS = 6 * HOUR_MS;
/** Fewest Posts of a story, and the part of the day's Posts that they are at least. */
const LEAST_POSTS = 12;
const LEAST_PART = 1 / 4000;

const NULLCAST = 'is:nullcast';
const EVERY: Condition = { kind: 'not', of: { kind: 'term', term: NULLCAST } };

/** The bursting terms of a day, and where their Posts and minutes are. */
export interface BurstingTerms {
  readonly terms: readonly BurstingTerm[];
  readonly window: PostWindow;
  /** Start of the minutes of bursts, epoch ms. */
  readonly start: number;
  /** Fewest Posts of a story. */
  readonly least: number;
}

/** The times that are read for a day: all but the first from whole hours on. */
interface Times {
  readonly day: number;
  /** Where hours begin to be learned from, and how many of them are. */
  readonly learning: number;
  readonly learned: number;
  /** What is searched for bursts. */
  readonly searched: Span;
}

/**
 * @param known - From the first to the last Post.
 * @returns null if too few hours are known to say what is usual.
 */
function timesOf(day: number, known: Span, asOf: number): Times | null {
  const learning = Math.max(day - LEARNED_MS, ceilTo(known.start, 'hour'));
  const end = Math.min(day + DAY_MS, asOf);
  // Where Posts begin shortly before the day, the day itself says what is usual.
  const until =
    day - learning >= LEAST_HOURS * HOUR_MS ? day : floorTo(Math.min(end, known.end), 'hour');
  const learned = (until - learning) / HOUR_MS;
  if (learned < LEAST_HOURS) return null;
  const start = Math.max(day - BEFORE_MS, learning);
  return { day, learning, learned, searched: { start, end: Math.min(end + AFTER_MS, asOf) } };
}

/** Removes words that are part of an address or of a hashtag, mention or cashtag that bursts at the same time. */
function* named(
  terms: readonly BurstingTerm[],
  window: PostWindow,
  due: Due,
): Steps<BurstingTerm[]> {
  const signed = new Map<string, number>();
  for (const { term, posts } of terms) {
    if (!/^[#@$]/u.test(term)) continue;
    const bare = term.slice(1);
    signed.set(bare, Math.max(signed.get(bare) ?? 0, posts.length));
  }
  const left: BurstingTerm[] = [];
  for (const each of terms) {
    if (due()) yield;
    const { term, posts } = each;
    if (/^[#@$]/u.test(term)) {
      left.push(each);
      continue;
    }
    if ((signed.get(term) ?? 0) >= posts.length / 2) continue;
    const addresses = new Set(window.of(urlTerm(term)));
    const inAddresses = posts.reduce((n, post) => n + (addresses.has(post) ? 1 : 0), 0);
    if (inAddresses < posts.length / 2) left.push(each);
  }
  return left;
}

/**
 * Finds the terms with a burst that begins on a UTC day, from the index alone: no Post is read. Terms that enough Posts
 * contain are compared with their usual pace, which is that of the 28 days before, in proportion to the number of all
 * Posts where that is higher than usual too. In steps.
 *
 * @param day - Its start, epoch ms.
 * @param asOf - Posts from then on are ignored, epoch ms.
 * @returns null if the day has no Post, or fewer than 14 hours are known from which to learn what is usual.
 */
export function* burstingTerms(
  { chunks }: SourceState,
  day: number,
  asOf: number,
  due: Due,
): Steps<BurstingTerms | null> {
  const { first, last } = extent(chunks);
  const times =
    first === null || last === null ? null : timesOf(day, { start: first, end: last }, asOf);
  if (!times) return null;
  const { learning, learned, searched } = times;
  const hoursOf = function* (condition: Condition): Steps<Hours> {
    const span = { start: learning, end: searched.end };
    const counts = yield* histogramSteps(chunks, condition, span, 'hour', {}, due);
    return { start: learning, counts: Float64Array.from(counts), learned };
  };

  const volumes = yield* hoursOf(EVERY);
  const usualVolumes = usualPace(volumes).hourly;
  const today = (day - learning) / HOUR_MS;
  const volume = volumes.counts
    .subarray(Math.max(0, today), today + 24)
    .reduce((sum, n) => sum + n, 0);
  if (volume === 0) return null;
  const least = Math.max(LEAST_POSTS, Math.ceil(volume * LEAST_PART));

  const window = postWindow(chunks, searched, NULLCAST);
  const base = searched.start / SECOND_MS;
  const minutes = Uint16Array.from(window.seconds, (second) => Math.floor((second - base) / 60));
  const from = (day - searched.start) / MINUTE_MS;
  const until = from + DAY_MS / MINUTE_MS;
  const late = from + (DAY_MS + LATE_MS) / MINUTE_MS;
  const hoursBefore = (searched.start - learning) / HOUR_MS;
  const burstsAt = (counts: Uint16Array, hours: Hours, { hourly, noise }: Pace): Burst[] => {
    const usual = hourly.map((pace, hour) => {
      const others = (volumes.counts[hour] ?? 0) - (hours.counts[hour] ?? 0);
      const growth = others / (Math.max(0, (usualVolumes[hour] ?? 0) - pace) + 1);
      // One Post an hour more than usual is chance, and so is more of a term where there is more of everything.
      return ((pace + 1) * Math.max(1, growth)) / 60;
    });
    const usualAt = (minute: number): number => usual[Math.floor(minute / 60) + hoursBefore] ?? 0;
    return burstsOf(counts, usualAt, noise).filter(
      (burst) => burst.first >= from && burst.first < until && burst.posts >= least,
    );
  };

  const sought = { start: day, end: Math.min(day + DAY_MS + LATE_MS, asOf) };
  const found: BurstingTerm[] = [];
  for (const term of yield* frequentTerms(chunks, sought, least, isNewsTerm, due)) {
    if (due()) yield;
    const posts = window.of(term);
    const counts = new Uint16Array((searched.end - searched.start) / MINUTE_MS + 1);
    let frequent = 0;
    for (const post of posts) {
      const minute = minutes[post]!;
      counts[minute]!++;
      if (minute >= from && minute < late) frequent++;
    }
    if (frequent < least) continue;
    const hours = yield* hoursOf({ kind: 'term', term });
    if (burstsAt(counts, hours, lowPace(hours)).length === 0) continue;
    for (const burst of burstsAt(counts, hours, usualPace(hours))) {
      const within = posts.filter((post) => {
        const minute = minutes[post]!;
        return minute >= burst.first && minute <= burst.last;
      });
      found.push({ term, burst, posts: within });
    }
  }
  return { terms: yield* named(found, window, due), window, start: searched.start, least };
}
