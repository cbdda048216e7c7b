import * as v from 'valibot';
import { DecimalId, ID, Time, Whole } from '#contract/members.ts';
import { EVALUATION_BUCKETS } from '#core/notes/evaluation.ts';
import { STATUSES } from '#core/notes/status.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { RequestedNotes } from '#contract/control/note-orders.ts';
import { about, flag, onlyParameters } from '#contract/parameters.ts';

/** Entries of a page. */
export const NOTES_ON_PAGE = 50;

const bucket = v.picklist(EVALUATION_BUCKETS);

/** The Post of a request or a note; all but its id is null if it is not in Your posts. */
const AboutPost = v.object({
  id: DecimalId,
  text: v.nullable(v.string()),
  username: v.nullable(v.string()),
});

/** A Post that notes were requested for. */
const RequestedPostInfo = v.object({
  /** Of the Post. */
  id: DecimalId,
  post: AboutPost,
  /** The time at which the Post was written. */
  created_at: Time,
  requests: Whole,
  /** Suggested sources, those suggested most often first. */
  links: v.array(v.object({ url: v.string(), count: Whole })),
});
export type RequestedPostInfo = v.InferOutput<typeof RequestedPostInfo>;

export const RequestsAnswer = v.object({
  /** The number of Posts in all. */
  count: Whole,
  /** The newest Posts first. */
  requests: v.array(RequestedPostInfo),
  /** The value of `after` for the next page; null on the last one. */
  next: v.nullable(v.string()),
});
export type RequestsAnswer = v.InferOutput<typeof RequestsAnswer>;

/** Note writers, and whether each may write notes that are not tests. */
export const WritersAnswer = v.object({
  writers: v.array(v.object({ id: DecimalId, admitted: v.boolean() })),
});
export type WritersAnswer = v.InferOutput<typeof WritersAnswer>;

/** The rights of a note writer. */
export const WriterAnswer = v.object({
  /** True if it may write notes that are not tests. */
  admitted: v.boolean(),
  /** The admission requirements that its test notes do not meet, in words; empty if it is admitted or qualifies. */
  missing: v.array(v.string()),
  /** The number of notes it may write in 24 hours, and of those it wrote in the last 24 hours, deleted ones too. */
  limit: Whole,
  written: Whole,
});
export type WriterAnswer = v.InferOutput<typeof WriterAnswer>;

/** A note as its writer sees it. */
const WrittenNoteInfo = v.object({
  id: DecimalId,
  post: AboutPost,
  text: v.string(),
  created_at: Time,
  status: v.picklist(STATUSES),
  ratings: v.object({ helpful: Whole, somewhat_helpful: Whole, not_helpful: Whole }),
  /** Results of the evaluators; null if it is no test note. */
  test_result: v.nullable(
    v.object({ UrlValidity: bucket, HarassmentAbuse: bucket, ClaimOpinion: bucket }),
  ),
});
export type WrittenNoteInfo = v.InferOutput<typeof WrittenNoteInfo>;

export const WrittenNotesAnswer = v.object({
  /** The newest first. */
  notes: v.array(WrittenNoteInfo),
  /** The value of `after` for the next page; null on the last one. */
  next: v.nullable(v.string()),
});
export type WrittenNotesAnswer = v.InferOutput<typeof WrittenNotesAnswer>;

const REQUESTS = {
  /** The end of the page before: time (epoch ms) and id of a Post. */
  after: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^-?[0-9]{1,15}\.[0-9]{1,19}$/,
        ({ input }) => `${about('after', input)} is not the end of a page`,
      ),
    ),
  ),
};

const WRITTEN = {
  /** True to list test notes, or the others. */
  test: flag('test'),
  /** Id of the last note of the page before. */
  after: v.optional(
    v.pipe(
      v.string(),
      v.regex(ID, ({ input }) => `${about('after', input)} is not the id of a note`),
    ),
  ),
};

/** The id of a Post or an account. */

/** Requests for notes, and what note writers wrote, for the settings page. */
export const NOTE_SETTINGS = {
  requests: sessionEndpoint('GET', '/notes/requests', {
    query: onlyParameters(REQUESTS),
    answer: RequestsAnswer,
  }),
  /** Requests a note for each of some Posts of Your posts, or for none of them. */
  request: sessionEndpoint('POST', '/notes/requests', {
    body: RequestedNotes,
    answer: v.object({ requested: v.array(DecimalId) }),
  }),
  /** Removes all requests for a Post. */
  withdraw: sessionEndpoint('DELETE', '/notes/requests/:id', {
    answer: v.object({ deleted: v.boolean() }),
  }),
  /** Undoes {@link withdraw}, until the service ends. */
  restore: sessionEndpoint('POST', '/notes/requests/:id/restore', {
    answer: v.object({ restored: v.boolean() }),
  }),
  /** The accounts that are AI developers and note writers. */
  writers: sessionEndpoint('GET', '/notes/writers', { answer: WritersAnswer }),
  writer: sessionEndpoint('GET', '/notes/writers/:id', { answer: WriterAnswer }),
  /** Lets a note writer write notes that are not tests. */
  admit: sessionEndpoint('POST', '/notes/writers/:id/admit', {
    answer: v.object({ admitted: v.boolean() }),
  }),
  written: sessionEndpoint('GET', '/notes/writers/:id/notes', {
    query: onlyParameters(WRITTEN, (name) => `The query parameter \`${name}\` is required`),
    answer: WrittenNotesAnswer,
  }),
};
