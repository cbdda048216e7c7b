import { burstsOf, LEAST_POSTS, type Burst } from '#core/news/burst.ts';
import { common, type BurstingTerm } from '#core/news/group.ts';
import { isNewsTerm } from '#core/news/news-term.ts';
import { LEAST_HOURS, lowPace, usualPace, type Hours, type Pace } from '#core/news/pace.ts';
import { ceilTo, floorTo } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import { urlTerm } from '#server/index/chunk.ts';
import { extent } from '#server/index/counting.ts';
import { frequentTerms } from '#server/index/frequent-terms.ts';
import { hourCounter, postWindow, type PostWindow } from '#server/index/post-window.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import { hiddenTerms } from '#server/posts/index/hidden-posts.ts';
import type { SourceState } from '#server/posts/index/source.ts';

/** Time before a day from which usual paces are learned. */
export const LEARNED_MS = 28 * DAY_MS;
/** Time before a day that is searched too, so that a burst in progress at midnight does not begin there. */
const BEFORE_MS = DAY_MS / 2;
/** Time after a day in which its bursts may end. */
export const AFTER_MS = DAY_MS;
/** Time after a day in which a burst that began before midnight may still become frequent. */
export const LATE_MS = 6 * HOUR_MS;
/** Part of the day's Posts that a story has at least. */
const LEAST_PART = 1 / 4000;

/** Posts for advertising only. */
const NULLCAST = 'is:nullcast';
/** The number of terms that are read at once: their lists are in memory together. */
const AT_ONCE = 256;

/** The bursting terms of a day, and where their Posts and minutes are. */
export interface BurstingTerms {
  readonly terms: readonly BurstingTerm[];
  readonly window: PostWindow;
  /** The minutes of Posts by their numbers. */
  readonly minutes: Uint16Array;
  /** Start of the minutes of bursts, epoch ms. */
  readonly start: number;
}

/** The times that are read for a day: all but the first from whole hours on. */
interface Times {
  readonly day: number;
  /** The start of the hours that are learned from, and their number. */
  readonly learning: number;
  readonly learned: number;
  /** The span that is searched for bursts. */
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

/** The number of Posts that have a minute in `[from, until)`. */
function countWithin(
  posts: Uint32Array,
  minutes: Uint16Array,
  from: number,
  until: number,
): number {
  let n = 0;
  for (let i = 0; i < posts.length; i++) {
    const minute = minutes[posts[i]!]!;
    if (minute >= from && minute < until) n++;
  }
  return n;
}

/** Counts Posts per minute, from zero, and adds them to the counts per hour. */
function countPosts(
  posts: Uint32Array,
  minutes: Uint16Array,
  perMinute: Uint16Array,
  perHour: Float64Array,
): void {
  perMinute.fill(0);
  for (let i = 0; i < posts.length; i++) {
    const minute = minutes[posts[i]!]!;
    perMinute[minute]!++;
    perHour[Math.floor(minute / 60)]!++;
  }
}

/** Parts of a list in order, of at most `size` each. */
function parts<T>(list: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
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
  for (const some of parts(terms, AT_ONCE)) {
    if (due()) yield;
    const addresses = window.of(some.map(({ term }) => urlTerm(term)));
    for (const [i, each] of some.entries()) {
      const { term, posts } = each;
      const isSigned = /^[#@$]/u.test(term);
      if (!isSigned && (signed.get(term) ?? 0) >= posts.length / 2) continue;
      if (isSigned || common(addresses[i]!, posts) < posts.length / 2) left.push(each);
    }
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
 * @param hidden - Ids of users whose Posts are left out.
 * @returns null if the day has no Post, or fewer than 14 hours are known from which to learn what is usual.
 */
export function* burstingTerms(
  { chunks }: SourceState,
  day: number,
  asOf: number,
  hidden: readonly string[],
  due: Due,
): Steps<BurstingTerms | null> {
  const { first, last } = extent(chunks);
  const times =
    first === null || last === null ? null : timesOf(day, { start: first, end: last }, asOf);
  if (!times) return null;
  const { learning, learned, searched } = times;
  const span = { start: learning, end: searched.end };
  const without = [NULLCAST, ...hiddenTerms(hidden)];
  const counts = hourCounter(chunks, span, without).all();
  const volumes: Hours = { start: learning, counts, learned };
  const usualVolumes = usualPace(volumes).hourly;
  const today = (day - learning) / HOUR_MS;
  const volume = volumes.counts
    .subarray(Math.max(0, today), today + 24)
    .reduce((sum, n) => sum + n, 0);
  if (volume === 0) return null;
  const least = Math.max(LEAST_POSTS, Math.ceil(volume * LEAST_PART));

  const window = postWindow(chunks, searched, without);
  const base = searched.start / SECOND_MS;
  const minutes = Uint16Array.from(window.seconds, (second) => Math.floor((second - base) / 60));
  const from = (day - searched.start) / MINUTE_MS;
  const until = from + DAY_MS / MINUTE_MS;
  const late = from + (DAY_MS + LATE_MS) / MINUTE_MS;
  const hoursBefore = (searched.start - learning) / HOUR_MS;
  const burstsAt = (counts: Uint16Array, hours: Hours, { hourly, noise }: Pace): Burst[] => {
    const usual = hourly.slice(hoursBefore);
    for (let i = 0; i < usual.length; i++) {
      const hour = i + hoursBefore;
      const pace = hourly[hour]!;
      const others = volumes.counts[hour]! - hours.counts[hour]!;
      const passed = Math.min(1, (searched.end - learning) / HOUR_MS - hour);
      const growth = others / (Math.max(0, usualVolumes[hour]! - pace) * passed + 1);
      // One Post an hour more than usual is chance, and so is more of a term where there is more of everything.
      usual[i] = ((pace + 1) * Math.max(1, growth)) / 60;
    }
    return burstsOf(counts, usual, noise).filter(
      (burst) => burst.first >= from && burst.first < until && burst.posts >= least,
    );
  };

  const sought = { start: day, end: Math.min(day + DAY_MS + LATE_MS, asOf) };
  const before = hourCounter(chunks, { start: learning, end: searched.start }, without);
  const perMinute = new Uint16Array((searched.end - searched.start) / MINUTE_MS + 1);
  const found: BurstingTerm[] = [];
  const frequent = yield* frequentTerms(chunks, sought, least, isNewsTerm, due);
  for (const terms of parts(frequent, AT_ONCE)) {
    if (due()) yield;
    const there = window.of(terms).flatMap((posts, i) => {
      const n = countWithin(posts, minutes, from, late);
      return n < least ? [] : [{ term: terms[i]!, posts }];
    });
    if (due()) yield;
    const history = before.of(there.map(({ term }) => term));
    for (const [i, { term, posts }] of there.entries()) {
      if (due()) yield;
      const hourly = new Float64Array(volumes.counts.length);
      hourly.set(history[i]!);
      countPosts(posts, minutes, perMinute, hourly.subarray(hoursBefore));
      const hours: Hours = { start: learning, counts: hourly, learned };
      if (burstsAt(perMinute, hours, lowPace(hours)).length === 0) continue;
      for (const burst of burstsAt(perMinute, hours, usualPace(hours))) {
        const within = posts.filter((post) => {
          const minute = minutes[post]!;
          return minute >= burst.first && minute <= burst.last;
        });
        found.push({ term, burst, posts: within });
      }
    }
  }
  return { terms: yield* named(found, window, due), window, minutes, start: searched.start };
}
