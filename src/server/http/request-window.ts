import type { Context } from 'hono';
import { END_LAG_MS, UNTIL_NOW_HEADER } from '#contract/counts/counts.ts';
import { RECENT_DAYS } from '#contract/counts/reach.ts';
import type { CountsRequest } from '#contract/counts/count-operations.ts';
import { invalidParameters, type WrongParameter } from '#contract/fault.ts';
import { formatMinute } from '#contract/instant.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { ceilTo } from '#core/time/bucket.ts';
import { ARCHIVE_START, DAY_MS, PAGE_DAYS, SECOND_MS, type Span } from '#core/time/span.ts';
import { instantOf, snowflake } from '#core/import/id.ts';
import type { Caller } from '#server/auth/caller.ts';

/** Days that counts/all covers if only an end is given (platform-facts 1.2, older reference; section 0). */
const ALL_DAYS = 30;

/** Bits of an id below its millisecond. */
const SEQUENCE_MASK = (1n << 22n) - 1n;

type Bounds = Pick<CountsRequest, 'start_time' | 'end_time' | 'since_id' | 'until_id'>;
type Texts = Readonly<Partial<Record<keyof Bounds, string>>>;

function floorSecond(instant: number): number {
  return Math.floor(instant / SECOND_MS) * SECOND_MS;
}

/** The time by which the window of a request is resolved, see {@link UNTIL_NOW_HEADER}. @param now - Epoch ms. */
export function windowTime(c: Context, { kind }: Pick<Caller, 'kind'>, now: number): number {
  const isLive = kind === 'session' && c.req.header(UNTIL_NOW_HEADER) !== undefined;
  return isLive ? now + END_LAG_MS + SECOND_MS : now;
}

/** The earliest whole second of a Post after the id; null where the id contains no time. */
function afterId(id: bigint): number | null {
  const instant = instantOf(id);
  return instant === null ? null : floorSecond(instant);
}

/** The whole second that every Post before the id precedes; null where the id contains no time. */
function beforeId(id: bigint): number | null {
  const instant = instantOf(id);
  if (instant === null) return null;
  const last = (id & SEQUENCE_MASK) === 0n ? instant - 1 : instant;
  return floorSecond(last) + SECOND_MS;
}

/** Checks each bound by itself, with recorded messages (platform-facts 1.7). */
function wrongBounds(
  bounds: Bounds,
  texts: Texts,
  endpoint: CountsEndpoint,
  now: number,
): WrongParameter[] {
  const earliest = earliestOf(endpoint, now);
  const wrong: WrongParameter[] = [];
  const say = (parameter: keyof Bounds, rule: string): void => {
    const value = texts[parameter] ?? '';
    wrong.push({
      parameter,
      value,
      message: `Invalid '${parameter}':'${value}'. '${parameter}' ${rule}`,
    });
  };
  const check = (parameter: 'start_time' | 'end_time', instant: number | undefined): void => {
    if (instant === undefined) return;
    if (instant > now - END_LAG_MS) {
      say(parameter, 'must be a minimum of 10 seconds prior to the request time.');
    } else if (instant < earliest) {
      say(parameter, `must be on or after ${formatMinute(earliest)}`);
    } else if (parameter === 'end_time' && instant === earliest) {
      say(parameter, `must be after ${formatMinute(earliest)}`);
    }
  };
  if (bounds.since_id === undefined) check('start_time', bounds.start_time);
  check('end_time', bounds.end_time);
  if (endpoint === 'recent') {
    for (const parameter of ['since_id', 'until_id'] as const) {
      const id = bounds[parameter];
      if (id === undefined) continue;
      const oldest = snowflake(earliest, 0);
      if (id >= oldest) continue;
      wrong.push({
        parameter,
        value: texts[parameter] ?? '',
        // The recorded message for since_id lacks the usual beginning.
        message: `'${parameter}' must be a tweet id created after ${formatMinute(earliest)}. Please use a '${parameter}' that is larger than ${oldest}`,
      });
    }
  }
  return wrong;
}

/** The earliest instant that the endpoint reaches. */
function earliestOf(endpoint: CountsEndpoint, now: number): number {
  return endpoint === 'recent' ? floorSecond(now) - RECENT_DAYS * DAY_MS : ARCHIVE_START;
}

function defaultStart(
  endpoint: CountsEndpoint,
  end: number,
  endIsGiven: boolean,
  now: number,
): number {
  if (endpoint === 'recent') {
    const start = end - RECENT_DAYS * DAY_MS;
    return endIsGiven ? Math.max(start, earliestOf('recent', now)) : start;
  }
  // One formula for both recordings without bounds and for pages (platform-facts 1.2).
  const start = endIsGiven ? end - ALL_DAYS * DAY_MS : ceilTo(end, 'day') - PAGE_DAYS * DAY_MS;
  return Math.max(start, ARCHIVE_START);
}

/**
 * The span that a request covers, in whole seconds (platform-facts 1.1, 1.2 and section 0).
 *
 * `since_id` replaces `start_time`; of `end_time` and `until_id` the earlier applies. An id from before
 * snowflakes sets no time: it only bounds the Posts.
 *
 * @param texts - The bounds as sent, for messages.
 * @returns The span, or null if the ids leave none, so that nothing can match.
 * @throws {@link Fault} 400 with the recorded text for a bound out of reach, or an end not after its start.
 */
export function resolveWindow(
  bounds: Bounds,
  texts: Texts,
  endpoint: CountsEndpoint,
  now: number,
): Span | null {
  const wrong = wrongBounds(bounds, texts, endpoint, now);
  if (wrong.length > 0) throw invalidParameters(wrong);

  const { since_id: since, until_id: until } = bounds;
  const latest = floorSecond(now - END_LAG_MS);
  const untilTime = until === undefined ? null : beforeId(until);
  const givenEnd = Math.min(bounds.end_time ?? Infinity, untilTime ?? Infinity);
  const end = Math.min(givenEnd, latest);
  const givenStart = since === undefined ? bounds.start_time : (afterId(since) ?? ARCHIVE_START);
  const start = givenStart ?? defaultStart(endpoint, end, givenEnd !== Infinity, now);

  const reversed = since !== undefined && until !== undefined ? since >= until : start >= givenEnd;
  if (reversed) {
    const lower = since === undefined ? 'start_time' : 'since_id';
    const upper = until === undefined ? 'end_time' : 'until_id';
    const value = texts[lower] ?? '';
    throw invalidParameters([
      {
        parameter: lower,
        value,
        message: `Invalid '${lower}':'${value}'. '${lower}' must be earlier than '${upper}'`,
      },
    ]);
  }
  return start < end ? { start, end } : null;
}

/**
 * The newest page of a span: from the UTC midnight {@link PAGE_DAYS} days before the end of its last day, or
 * from the span's start where that is later (platform-facts 1.2, 1.3).
 */
export function newestWindow(span: Span): Span {
  return {
    start: Math.max(span.start, ceilTo(span.end, 'day') - PAGE_DAYS * DAY_MS),
    end: span.end,
  };
}
