/** Since 2010-11-04 ids are snowflakes: `(id >> 22) + EPOCH` is the time in ms (docs fundamentals/x-ids). */
const SNOWFLAKE_EPOCH = 1_288_834_974_657;
/** The first snowflake; lower ids were sequential and contain no time. */
const FIRST_SNOWFLAKE = 29_700_859_247n;
/** Earlier Posts have sequential ids, epoch ms. */
export const FIRST_SNOWFLAKE_AT = Number(FIRST_SNOWFLAKE >> 22n) + SNOWFLAKE_EPOCH;
const LARGEST_ID = 0x7fffffffffffffffn;

/** The last instant in an id: 2080-07-10T17:30:30.208Z. */
const LAST_INSTANT = Number(LARGEST_ID >> 22n) + SNOWFLAKE_EPOCH;

/**
 * The snowflake of an instant, with a number below 2^22 that distinguishes it within its millisecond. As a bound: instants
 * outside what ids contain have a negative one, or the largest id. A new id is made by {@link newSnowflake}.
 */
export function snowflake(instant: number, number: number): bigint {
  if (instant > LAST_INSTANT) return LARGEST_ID;
  return (BigInt(instant - SNOWFLAKE_EPOCH) << 22n) | BigInt(number);
}

/** The clock shows a time that no id contains, so nothing new can get one. The message is for people. */
export class ClockError extends Error {
  override readonly name = 'ClockError';
}

/**
 * A new id.
 *
 * @param now - The time of the clock, epoch ms.
 * @param number - As of {@link snowflake}.
 * @throws {@link ClockError} if no id contains that time.
 */
export function newSnowflake(now: number, number: number): bigint {
  checkClock(now);
  return snowflake(now, number);
}

/** @throws {@link ClockError} if the clock shows a time that no new id can contain. */
export function checkClock(now: number): void {
  const isEarly = snowflake(now, 0) < FIRST_SNOWFLAKE;
  if (!isEarly && now <= LAST_INSTANT) return;
  const than = isEarly ? 'earlier than any Post id' : 'later than any Post id can be';
  throw new ClockError(
    `The clock of this service shows ${new Date(now).toISOString()}, which is ${than}. Correct the clock, then try again.`,
  );
}

/** The instant in an id, or null for ids from before snowflakes. */
export function instantOf(id: bigint): number | null {
  return id < FIRST_SNOWFLAKE ? null : Number(id >> 22n) + SNOWFLAKE_EPOCH;
}

/** Reads a Post's id: 1 to 19 digits, above 0, at most 2^63 − 1; null for anything else. */
export function readId(text: string): bigint | null {
  if (text.length === 0 || text.length > 19) return null;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 48 || c > 57) return null;
  }
  const id = BigInt(text);
  return id > 0n && id <= LARGEST_ID ? id : null;
}
