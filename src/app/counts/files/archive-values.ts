import * as v from 'valibot';
import { GRANULARITIES } from '#core/time/bucket.ts';

/*
 * Schemas of the JSON in an archive. Objects are strict: an unknown field is an error, because it would be lost.
 * Fields are written in the order of these schemas.
 */

/** Latest instant of a `Date`, epoch ms. */
const LAST_INSTANT = 8.64e15;
/** Instants that can be shown in every zone: the years 0 to 9999, without a day at either end. */
export const FIRST_SHOWN = Date.UTC(1970, 0, 1) - 719_527 * 86_400_000;
export const LAST_SHOWN = Date.UTC(9999, 11, 31);
/** Maximum characters of a text: much longer than any URL that browsers accept. */
const MAX_TEXT = 2 ** 20;
/** Most entries of a list. */
export const MAX_LIST = 10_000;

/** An instant, epoch ms. */
export const instantValue = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(-LAST_INSTANT),
  v.maxValue(LAST_INSTANT),
);
/** An instant that a chart can show. */
export const shownInstant = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(FIRST_SHOWN),
  v.maxValue(LAST_SHOWN),
);
/** An instant of a corrected clock, which may have fractions of a millisecond. */
export const clockValue = v.pipe(v.number(), v.minValue(-LAST_INSTANT), v.maxValue(LAST_INSTANT));
/** A whole number from 0. */
export const naturalValue = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** A number from 0. */
export const amountValue = v.pipe(v.number(), v.finite(), v.minValue(0));
/** A text of a file. */
export const textValue = v.pipe(v.string(), v.maxLength(MAX_TEXT));
export const idValue = v.pipe(v.string(), v.minLength(1), v.maxLength(1000));
export const granularityValue = v.picklist(GRANULARITIES);
export const endpointValue = v.picklist(['recent', 'all']);

/** True if a span does not end before it starts. */
export const inOrder = <T extends { readonly start: number; readonly end: number }>() =>
  v.check<T, string>(({ start, end }) => start <= end, 'expected a start before the end');

/** Ids in ascending order. */
export const ascendingIds = <T extends { readonly id: string }>() =>
  v.check<T[], string>(
    (rows) => rows.every(({ id }, i) => i === 0 || (rows[i - 1]?.id ?? '') < id),
    'expected rows by ascending id, each once',
  );
