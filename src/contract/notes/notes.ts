import * as v from 'valibot';
import { DecimalId, Whole } from '#contract/members.ts';
import { EVALUATION_BUCKETS } from '#core/notes/evaluation.ts';
import { STATUSES } from '#core/notes/status.ts';
import { MAX_WEIGHT, weigh } from '#core/text/weighted-length.ts';
import { answerWithMany, pageOf, PostObject } from '#contract/answers.ts';
import { bodyOf, booleanAt, choiceAt, idAt, listAt, objectAt } from '#contract/body.ts';
import { endpoint } from '#contract/endpoint.ts';
import { postPage, quarterHour } from '#contract/paging.ts';
import {
  about,
  flag,
  missingParameter,
  NO_PARAMETERS,
  onlyParameters,
  token,
  wholeBetween,
} from '#contract/parameters.ts';
import { NOTE_READ, POST_READ } from '#contract/counts/prices.ts';
import { listOf } from '#contract/posts/selection.ts';
import { postText } from '#contract/posts/create-request.ts';

/** The classifications that a note may give its Post (platform-openapi, NoteClassification). */
const CLASSIFICATIONS = ['misinformed_or_potentially_misleading', 'not_misleading'] as const;

/** The reasons a Post is misleading (platform-openapi, MisleadingTags). */
const TAGS = [
  'disputed_claim_as_fact',
  'factual_error',
  'manipulated_media',
  'misinterpreted_satire',
  'missing_important_context',
  'other',
  'outdated_information',
] as const;

/** Fields of a note (platform-openapi, NoteFieldsParameter). `id`, `post_id` and `note_info` are in every answer. */
const NOTE_FIELDS = ['id', 'info', 'scoring_status', 'status', 'test_result'] as const;
export type NoteField = (typeof NOTE_FIELDS)[number];

const LINK = /https?:\/\/\S+/;

const text = v.pipe(
  postText('info.text'),
  v.check((input) => input.trim() !== '', '$.info.text: must not be empty'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { weight, over } = weigh(dataset.value);
    if (over === null) return;
    const first = `at position ${over + 1}`;
    addIssue({
      message: `$.info.text: must have a weighted length of 1 to ${MAX_WEIGHT}, got ${weight} (the first character beyond it is ${first})`,
    });
  }),
  v.check(
    (input) => LINK.test(input),
    '$.info.text: must contain a link that begins with http:// or https://',
  ),
);

const tags = v.pipe(
  listAt('info.misleading_tags'),
  v.metadata({ items: { type: 'string', enum: TAGS } }),
  v.check(
    ({ length }) => length <= TAGS.length,
    ({ input }) =>
      `$.info.misleading_tags: must have at most ${TAGS.length} elements, got ${input.length}`,
  ),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const odd = dataset.value.find((each) => !TAGS.some((tag) => tag === each));
    if (odd === undefined) return TAGS.filter((tag) => dataset.value.includes(tag));
    addIssue({
      message: `$.info.misleading_tags: [${String(odd)}] is not one of [${TAGS.join(',')}]`,
    });
    return NEVER;
  }),
);

const info = v.pipe(
  objectAt('info', {
    text,
    classification: choiceAt('info.classification', CLASSIFICATIONS),
    misleading_tags: v.optional(tags, []),
    trustworthy_sources: booleanAt('info.trustworthy_sources'),
    is_media_note: v.optional(booleanAt('info.is_media_note'), false),
  }),
  v.check(
    ({ classification, misleading_tags: given }) =>
      classification === 'not_misleading' || given.length > 0,
    '$.info.misleading_tags: must name at least one tag if the classification is misinformed_or_potentially_misleading',
  ),
  v.check(
    ({ classification, misleading_tags: given }) =>
      classification !== 'not_misleading' || given.length === 0,
    '$.info.misleading_tags: must be empty if the classification is not_misleading',
  ),
);
export type NoteInfo = v.InferOutput<typeof info>;

/** Body of `POST /2/notes` (platform-facts, section 8). */
export const NoteRequest = bodyOf({
  test_mode: booleanAt('test_mode'),
  post_id: idAt('post_id'),
  info,
});
export type NoteRequest = v.InferOutput<typeof NoteRequest>;

const EvaluateRequest = bodyOf({
  post_id: idAt('post_id'),
  note_text: v.pipe(
    postText('note_text'),
    v.check((input) => input.trim() !== '', '$.note_text: must not be empty'),
  ),
});

const FEED_SIZES = ['small', 'large', 'xl'] as const;
export type FeedSize = (typeof FEED_SIZES)[number];

/** The Posts that a writer wants. */
export interface PostSelection {
  readonly size: FeedSize;
  /** A language, or `all`. */
  readonly lang: string;
}

const USUAL: PostSelection = { size: 'small', lang: 'en' };

/** Reads `feed_size: small, feed_lang: en` (platform-facts-additions, section 8); a text says what is wrong. */
function readSelection(given: string): PostSelection | string {
  const found = new Map<string, string>();
  for (const part of given.split(',')) {
    const [, name = '', value = ''] = /^\s*(\w+)\s*:\s*([\w-]+)\s*$/.exec(part) ?? [];
    if (name !== 'feed_size' && name !== 'feed_lang') {
      return `[${part.trim()}] is not of the form feed_size: SIZE or feed_lang: CODE`;
    }
    if (found.has(name)) return `${name} is given twice`;
    found.set(name, value);
  }
  const wanted = found.get('feed_size') ?? USUAL.size;
  const size = FEED_SIZES.find((each) => each === wanted);
  if (!size) return `feed_size [${wanted}] is not one of [${FEED_SIZES.join(',')}]`;
  const lang = (found.get('feed_lang') ?? USUAL.lang).toLowerCase();
  if (/^[a-z]{2,3}(?:-[a-z]{2,4})?$/.test(lang)) return { size, lang };
  return `feed_lang [${lang}] is not the code of a language or all`;
}

const selection = v.optional(
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const read = readSelection(dataset.value);
      if (typeof read !== 'string') return read;
      addIssue({ message: `${about('post_selection', dataset.value)} is not valid: ${read}` });
      return NEVER;
    }),
  ),
);

const MODE = v.optional(flag('test_mode'));

const WrittenRequest = onlyParameters({
  test_mode: flag('test_mode'),
  max_results: v.optional(wholeBetween('max_results', 1, 100), '10'),
  pagination_token: token('pagination_token'),
  'note.fields': listOf('note.fields', NOTE_FIELDS),
});
export type WrittenRequest = v.InferOutput<typeof WrittenRequest>;

/** `test_mode` is required. */
const EligibleRequest = v.pipe(
  postPage({ min: 1, max: 100, default: 10 }, { test_mode: MODE, post_selection: selection }),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const { test_mode: test, post_selection: wanted = USUAL, ...rest } = dataset.value;
    if (test !== undefined && (!test || wanted.size === 'small')) {
      return { ...rest, test_mode: test, post_selection: wanted };
    }
    const key = test === undefined ? 'test_mode' : 'post_selection';
    addIssue({
      message:
        test === undefined
          ? missingParameter('test_mode')
          : `feed_size [${wanted.size}] is not available in test mode`,
      path: [{ type: 'object', origin: 'value', input: { ...dataset.value }, key, value: test }],
    });
    return NEVER;
  }),
);
export type EligibleRequest = v.InferOutput<typeof EligibleRequest>;

const bucket = v.picklist(EVALUATION_BUCKETS);
const result = { evaluator_type: v.string(), evaluator_score_bucket: bucket };

const InfoObject = v.object({
  text: v.string(),
  classification: v.picklist(CLASSIFICATIONS),
  misleading_tags: v.array(v.picklist(TAGS)),
  trustworthy_sources: v.boolean(),
  is_media_note: v.boolean(),
});

/** A note in an answer (platform-openapi, Note). `evaluation_outcome` is what newer clients read. */
export const NoteObject = v.object({
  id: DecimalId,
  post_id: DecimalId,
  note_info: InfoObject,
  info: v.optional(InfoObject),
  status: v.optional(v.picklist(STATUSES)),
  scoring_status: v.optional(
    v.object({
      has_access: v.boolean(),
      rating_counts_per_model: v.object({
        model_name: v.string(),
        value: v.object({
          neutral_factor_bucket_counts: v.object({
            helpful_count: Whole,
            somewhat_helpful_count: Whole,
            not_helpful_count: Whole,
          }),
        }),
      }),
    }),
  ),
  test_result: v.optional(v.object({ ...result, evaluation_outcome: v.array(v.object(result)) })),
});
export type NoteObject = v.InferOutput<typeof NoteObject>;

const COMMON = { authentication: ['oauth1', 'oauth2'] } as const;
const READING = { ...COMMON, scopes: ['tweet.read'], level: 'read' } as const;
const WRITING = {
  ...COMMON,
  scopes: ['tweet.write'],
  level: 'read-write',
  query: NO_PARAMETERS,
} as const;

/**
 * Community notes. The documents give no price for writing and evaluating them. Sources: platform-facts, sections 8, 9
 * and 12; platform-facts-additions, section 8.
 */
export const NOTES = {
  eligible: endpoint('GET', '/2/notes/search/posts_eligible_for_notes', {
    ...READING,
    price: POST_READ,
    source: 'GET /2/notes/search/posts_eligible_for_notes',
    limits: { user: quarterHour(90) },
    query: EligibleRequest,
    response: pageOf(PostObject),
  }),
  written: endpoint('GET', '/2/notes/search/notes_written', {
    ...READING,
    price: NOTE_READ,
    source: 'GET /2/notes/search/notes_written',
    limits: { user: quarterHour(90) },
    query: WrittenRequest,
    response: v.object({
      data: answerWithMany(NoteObject).entries.data,
      meta: v.object({
        result_count: Whole,
        next_token: v.optional(v.string()),
        previous_token: v.optional(v.string()),
      }),
    }),
  }),
  evaluate: endpoint('POST', '/2/evaluate_note', {
    ...WRITING,
    aliases: ['/2/notes/evaluate'],
    source: 'POST /2/evaluate_note',
    limits: { user: quarterHour(90) },
    body: EvaluateRequest,
    response: v.object({ data: v.object({ claim_opinion_score: v.number() }) }),
  }),
  create: endpoint('POST', '/2/notes', {
    ...WRITING,
    source: 'POST /2/notes',
    limits: {
      user: quarterHour(90),
      userDay: { requests: 250, windowSeconds: 86_400 },
    },
    body: NoteRequest,
    response: v.object({ data: v.object({ id: DecimalId }) }),
  }),
  remove: endpoint('DELETE', '/2/notes/:id', {
    ...WRITING,
    source: 'platform-facts, section 12',
    limits: { user: quarterHour(90) },
    response: v.object({ data: v.object({ deleted: v.boolean() }) }),
  }),
};
