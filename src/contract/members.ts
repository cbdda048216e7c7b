import * as v from 'valibot';

/* The schemas of members that many bodies and answers have. */

/** A whole number from 0 on. */
export const Whole = v.pipe(v.number(), v.integer(), v.minValue(0));

/** An instant as ISO text. */
export const Time = v.pipe(v.string(), v.isoTimestamp());

/** Valid ids of Posts and users (platform-facts 1.1). The message for others is recorded in 1.7. */
export const ID = /^[0-9]{1,19}$/;

/** An id of a Post or a user, or another of the same form. */
export const DecimalId = v.pipe(v.string(), v.regex(ID));
