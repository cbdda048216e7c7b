import * as v from 'valibot';
import { ID } from './parameters.ts';

/* The schemas of members that many bodies and answers have. */

/** A whole number from 0 on. */
export const Whole = v.pipe(v.number(), v.integer(), v.minValue(0));

/** An instant as ISO text. */
export const Time = v.pipe(v.string(), v.isoTimestamp());

/** An id of a Post or a user, or another of the same form. */
export const DecimalId = v.pipe(v.string(), v.regex(ID));
