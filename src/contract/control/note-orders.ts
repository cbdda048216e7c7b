import * as v from 'valibot';
import { DecimalId, Whole } from '#contract/members.ts';
import { isLink } from '#core/notes/requested.ts';
import { RATINGS, STATUSES } from '#core/notes/status.ts';
import { Username } from '#contract/accounts/accounts.ts';

/** Most Posts of a request, and most ratings at once. */
export const MOST_AT_ONCE = 1000;
/** Longest suggestion, in characters. */
export const LONGEST_SUGGESTION = 1000;
/** Most refused rows of a file, and most of its notes, that an outcome lists. */
export const MOST_LISTED_ROWS = 100;

const requested = {
  posts: v.pipe(v.array(DecimalId), v.minLength(1), v.maxLength(MOST_AT_ONCE)),
  link: v.nullable(
    v.pipe(v.string(), v.check(isLink, 'is not an address that begins with http:// or https://')),
  ),
  suggestion: v.nullable(v.pipe(v.string(), v.nonEmpty(), v.maxLength(LONGEST_SUGGESTION))),
};

/** Posts to request notes for, and what each request suggests. */
export const RequestedNotes = v.strictObject(requested);
export type RequestedNotes = v.InferOutput<typeof RequestedNotes>;

/** The actions on community notes. */
export const NoteOrder = v.variant('action', [
  v.strictObject({ action: v.literal('request'), ...requested }),
  v.strictObject({
    action: v.literal('rate'),
    note: DecimalId,
    rating: v.picklist(RATINGS),
    count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_AT_ONCE)),
  }),
  /** Adds the ratings of a file. */
  v.strictObject({
    action: v.literal('import'),
    /** Absolute path. */
    file: v.string(),
    /** Column names by field. */
    map: v.record(v.string(), v.string()),
  }),
  v.strictObject({ action: v.literal('admit'), username: Username }),
]);
export type NoteOrder = v.InferOutput<typeof NoteOrder>;

/** The result of the import of a file of ratings. */
export const RatingReport = v.object({
  /** Rows; `refused` of them were not read. */
  rows: Whole,
  refused: Whole,
  /** Ratings of the other rows, new and already there. */
  added: Whole,
  already: Whole,
  /** The first refused rows. */
  reasons: v.array(v.object({ file: v.string(), line: Whole, reason: v.string() })),
  /** The first notes in the file, by id. */
  notes: v.array(v.object({ note: DecimalId, status: v.picklist(STATUSES) })),
});
export type RatingReport = v.InferOutput<typeof RatingReport>;

/** The result of an order. */
export const NoteOutcome = v.variant('action', [
  v.object({ action: v.literal('request'), posts: v.array(DecimalId) }),
  v.object({
    action: v.literal('rate'),
    note: DecimalId,
    status: v.picklist(STATUSES),
    ratings: v.object({ helpful: Whole, somewhat_helpful: Whole, not_helpful: Whole }),
  }),
  v.object({ action: v.literal('import'), ...RatingReport.entries }),
  v.object({ action: v.literal('admit'), username: Username }),
]);
export type NoteOutcome = v.InferOutput<typeof NoteOutcome>;
