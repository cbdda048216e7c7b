import {
  clockText,
  dateText,
  localTime,
  momentText,
  type LeadingDatePart,
} from '#core/format/date-text.ts';
import { formatNumber } from '#core/format/number-text.ts';
import { nounFor } from '#core/format/plural.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import type { WatchUnit } from './local-day.ts';
import type { AlertMessage, BucketPosts } from './alert-message.ts';

/** The manner of the sentences about an alert. */
export interface AlertWords {
  /** The topic's name, as a sentence begins with it. */
  readonly topic: string;
  readonly unit: WatchUnit;
  /** IANA name. */
  readonly zone: string;
  readonly order: LeadingDatePart;
  /** BCP 47; by default the engine's. */
  readonly locale?: string;
}

/** Below this a usual number of Posts is written as none. */
const ALMOST_NONE = 0.05;

/** `76`, `2.4`, `0.35`: two digits at least. */
function usualText(usual: number, { locale }: AlertWords): string {
  if (usual < ALMOST_NONE) return 'almost none';
  const maximumFractionDigits = usual >= 10 ? 0 : usual >= 1 ? 1 : 2;
  return formatNumber(usual, locale, { maximumFractionDigits });
}

/** `at 4.1 times its usual`; without a usual number, a rise has no factor. */
function levelText({ posts, usual }: BucketPosts, { locale }: AlertWords): string {
  if (usual < ALMOST_NONE) return 'far above its usual';
  const times = posts / usual;
  const maximumFractionDigits = times >= 10 ? 0 : 1;
  return `at ${formatNumber(times, locale, { maximumFractionDigits })} times its usual`;
}

function postsText(posts: number, { locale }: AlertWords): string {
  return `${formatNumber(posts, locale)} ${nounFor(posts, 'Post')}`;
}

/** `between 14:00 and 15:00`, `on 24 Jul 2026`. */
function bucketText({ start, end }: Span, { unit, zone, order }: AlertWords): string {
  const [from, to] = [start, end].map((at) => localTime(at, zone)) as [number, number];
  if (unit === 'day') return `on ${dateText(from, order)}`;
  return `between ${clockText(from)} and ${clockText(to)}`;
}

/** `since 14:00`, or with the date if it is another than that of a time. */
function sinceText(start: number, at: number, { zone, order }: AlertWords): string {
  const [from, now] = [start, at].map((of) => localTime(of, zone)) as [number, number];
  const isToday = Math.floor(from / DAY_MS) === Math.floor(now / DAY_MS);
  return `since ${isToday ? clockText(from) : momentText(from, order)}`;
}

/** `5 hours`, `2 days`. */
function lengthText({ start, end }: Span, { unit, locale }: AlertWords): string {
  const size = Math.max(1, Math.round((end - start) / (unit === 'hour' ? HOUR_MS : DAY_MS)));
  return `${formatNumber(size, locale)} ${nounFor(size, unit)}`;
}

/** `312 Posts between 14:00 and 15:00, usually 76`; of a bucket that is not over, what it has so far. */
function countText(of: BucketPosts, running: boolean, words: AlertWords): string {
  const { bucket, posts, usual } = of;
  const usually = `usually ${usualText(usual, words)}`;
  if (!running) return `${postsText(posts, words)} ${bucketText(bucket, words)}, ${usually}`;
  const since = clockText(localTime(bucket.start, words.zone));
  return `${postsText(posts, words)} since ${since}, ${usually} in the whole ${words.unit}`;
}

/** A message of an alert as one sentence, without a full stop: it also serves as a subject. */
export function alertSentence(message: AlertMessage, words: AlertWords): string {
  const { topic, zone, order } = words;
  switch (message.kind) {
    case 'rise': {
      const already = message.running ? 'already ' : '';
      return `${topic} is ${already}${levelText(message, words)}: ${countText(message, message.running, words)}`;
    }
    case 'stronger':
      return `${topic} is now ${levelText(message, words)}: ${countText(message, message.running, words)}`;
    case 'over':
      return `${topic} is back to its usual after ${lengthText(message.span, words)} and ${postsText(message.posts, words)}`;
    case 'found-later': {
      const day =
        words.unit === 'hour'
          ? ` on ${dateText(localTime(message.bucket.start, zone), order)}`
          : '';
      return `${topic} was ${levelText(message, words)}${day}: ${countText(message, false, words)}, found later`;
    }
    case 'low-day': {
      const day = countText(message, false, { ...words, unit: 'day' });
      return `${topic} had a low day: ${day}`;
    }
    case 'silence':
      return `${topic} is silent: no Post ${sinceText(message.span.start, message.at, words)}, usually ${usualText(message.usual, words)} in that time`;
    case 'cannot-see':
      return `${topic} cannot be seen: its counts have been incomplete ${sinceText(message.span.start, message.at, words)}`;
  }
}
