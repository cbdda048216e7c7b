import * as v from 'valibot';
import { pageOf, PostObject } from '#contract/answers.ts';
import { CausesRequest, RankedRequest } from '#contract/counts/breakdown.ts';
import { endpoint } from '#contract/endpoint.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';
import { SourceInfo } from '#contract/counts/source.ts';
import { ALL_TIME, MINUTE_MS } from '#core/time/span.ts';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { LINK_PASSWORD } from './links.ts';
import { CausesAnswer } from '#contract/counts/breakdown-answers.ts';

/** `type` of the problem that asks for the password of a link. */
export const PASSWORD_NEEDED = 'groundswell:password-needed';

/** Attribute of the page of a link that has a password, so that it asks for that at once. */
export const LOCKED = 'data-locked';

/** Fewest accounts that a phrase is shown of where a link shows no Posts. */
export const MIN_ACCOUNTS = 5;

/** Most questions of a request, and most buckets of their answers together. */
export const MAX_QUESTIONS = 200;
export const MAX_VIEW_BUCKETS = 600_000;

const shared = { authentication: ['link'], params: v.object({ secret: v.string() }) } as const;
const minute = v.pipe(
  v.number(),
  v.integer(),
  v.multipleOf(MINUTE_MS),
  v.minValue(ALL_TIME.start),
  v.maxValue(ALL_TIME.end),
);

/** Buckets of a query of the board, of one width from `start`, epoch ms. */
const Question = v.strictObject({
  query: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  start: minute,
  buckets: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_VIEW_BUCKETS)),
  granularity: v.picklist(GRANULARITIES),
});
export type ViewQuestion = v.InferOutput<typeof Question>;

/** The counts of a question; null where unknown. */
const Counted = v.object({
  counts: v.array(v.nullable(v.number())),
  /** Stretches of buckets in the same state of `STATES` that were counted at the same time; epoch ms, null if unknown. */
  runs: v.array(
    v.object({ buckets: v.number(), state: v.number(), fetched_at: v.nullable(v.number()) }),
  ),
});

/** The endpoints that the page of a view link reads, below its path: for anyone who has its secret. */
export const VIEW_LINK = {
  /** Counts a visit. */
  open: endpoint('POST', '/view/:secret/open', {
    ...shared,
    query: NO_PARAMETERS,
    body: v.strictObject({
      password: v.optional(v.pipe(v.string(), v.maxLength(LINK_PASSWORD.max))),
    }),
    answer: v.object({
      /** Authorizes the other requests as a bearer token; null without a password. */
      token: v.nullable(v.string()),
      name: v.string(),
      /** The board as the service stores it, in base64. */
      board: v.string(),
      /** The source that it counts, without the number of its Posts; null if all counts are in the board. */
      source: v.nullable(SourceInfo),
      posts: v.boolean(),
      presets: v.boolean(),
    }),
  }),
  counts: endpoint('POST', '/view/:secret/counts', {
    ...shared,
    query: NO_PARAMETERS,
    body: v.strictObject({
      questions: v.pipe(v.array(Question), v.minLength(1), v.maxLength(MAX_QUESTIONS)),
    }),
    maxBody: 2 * 1024 * 1024,
    answer: v.object({ answers: v.array(Counted) }),
  }),
  /** As `GET /causes`; without Posts, no account and no term of fewer than {@link MIN_ACCOUNTS} accounts is named. */
  causes: endpoint('GET', '/view/:secret/causes', {
    ...shared,
    query: CausesRequest,
    answer: CausesAnswer,
  }),
  /** As `GET /ranked`, where the link shows Posts. */
  ranked: endpoint('GET', '/view/:secret/ranked', {
    ...shared,
    query: RankedRequest,
    response: pageOf(PostObject),
  }),
};
export type OpenedView = v.InferOutput<typeof VIEW_LINK.open.answer>;
export type ViewCounts = v.InferOutput<typeof Counted>;
