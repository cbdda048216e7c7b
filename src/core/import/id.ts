/** Since 2010-11-04 ids are snowflakes: `(id >> 22) + EPOCH` is the time in ms (docs fundamentals/x-ids). */
const SNOWFLAKE_EPOCH = 1_288_834_974_657;
/** The first snowflake; lower ids were sequential and contain no time. */
const FIRST_SNOWFLAKE = 29_700_859_247n;
const LARGEST_ID = 0x7fffffffffffffffn;

/** The snowflake of an instant, with a number below 2^22 that distinguishes it within its millisecond. */
export function snowflake(instant: number, number: number): bigint {
  return (BigInt(instant - SNOWFLAKE_EPOCH) << 22n) | BigInt(number);
}

/** The instant in an id, or null for ids from before snowflakes. */
export function instantOf(id: bigint): number | null {
  return id < FIRST_SNOWFLAKE ? null : Number(id >> 22n) + SNOWFLAKE_EPOCH;
}

/** Whether ids of an instant contain it: no snowflake is older. */
export function hasSnowflake(instant: number): boolean {
  return snowflake(instant, 0) >= FIRST_SNOWFLAKE;
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
