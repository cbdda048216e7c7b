import * as v from 'valibot';
import { RATINGS, STATUSES } from '#core/notes/status.ts';
import { USERNAME } from './accounts.ts';
import { ID } from './parameters.ts';

/** Most Posts of a request, and most ratings at once. */
export const MOST_AT_ONCE = 1000;
/** Longest address of a source, and longest suggestion, in characters. */
export const LONGEST_LINK = 4096;
export const LONGEST_SUGGESTION = 1000;

const id = v.pipe(v.string(), v.regex(ID));
const username = v.pipe(v.string(), v.regex(USERNAME));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What to do with community notes. */
export const NoteOrder = v.variant('action', [
  v.strictObject({
    action: v.literal('request'),
    posts: v.pipe(v.array(id), v.minLength(1), v.maxLength(MOST_AT_ONCE)),
    link: v.nullable(v.pipe(v.string(), v.regex(/^https?:\/\/\S+$/), v.maxLength(LONGEST_LINK))),
    suggestion: v.nullable(v.pipe(v.string(), v.nonEmpty(), v.maxLength(LONGEST_SUGGESTION))),
  }),
  v.strictObject({
    action: v.literal('rate'),
    note: id,
    rating: v.picklist(RATINGS),
    count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_AT_ONCE)),
  }),
  v.strictObject({ action: v.literal('admit'), username }),
]);
export type NoteOrder = v.InferOutput<typeof NoteOrder>;

/** What an order did. */
export const NoteOutcome = v.variant('action', [
  v.object({ action: v.literal('request'), posts: v.array(id) }),
  v.object({
    action: v.literal('rate'),
    note: id,
    status: v.picklist(STATUSES),
    ratings: v.object({ helpful: count, somewhat_helpful: count, not_helpful: count }),
  }),
  v.object({ action: v.literal('admit'), username }),
]);
export type NoteOutcome = v.InferOutput<typeof NoteOutcome>;
