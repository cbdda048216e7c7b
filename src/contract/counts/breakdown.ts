import * as v from 'valibot';
import { pageOf, PostObject } from '#contract/answers.ts';
import { endpoint, sessionEndpoint } from '#contract/endpoint.ts';
import {
  choiceIn,
  instant,
  missingParameter,
  onlyParameters,
  QUERY,
  wholeBetween,
} from '#contract/parameters.ts';
import { POST_PARAMETERS, withSelection } from '#contract/posts/selection.ts';
import {
  BreakdownAnswer,
  CausesAnswer,
  RelatedAnswer,
  RisingAnswer,
  SimilarAnswer,
} from './breakdown-answers.ts';

/** Most items of a list. */
export const MOST_ITEMS = 50;
const DEFAULT_ITEMS = 10;

/** Most Posts of the source that one answer reads, of the span and of what it is compared with. */
export const MOST_POSTS = 10_000_000;

/** Most characters of a query. */
export const MOST_QUERY = 4096;

/** Most days of a question about rising terms. */
export const MOST_RISING_DAYS = 400;

const max_results = v.optional(wholeBetween('max_results', 1, MOST_ITEMS), String(DEFAULT_ITEMS));

const SPAN = { start_time: instant('start_time'), end_time: instant('end_time') };

const BREAKDOWN_PARAMETERS = {
  query: v.optional(QUERY),
  ...SPAN,
  compare_start_time: instant('compare_start_time'),
  compare_end_time: instant('compare_end_time'),
  max_results,
};

/**
 * Parameters of a breakdown; instants become epoch ms at whole seconds. Without a query it covers every Post. The time
 * compared with is by default the one of the same length just before.
 */
export const BreakdownRequest = onlyParameters(BREAKDOWN_PARAMETERS);
export type BreakdownRequest = v.InferOutput<typeof BreakdownRequest>;

const { max_results: _, ...CAUSES_PARAMETERS } = BREAKDOWN_PARAMETERS;
/** Parameters of the causes of Posts; as of a breakdown. */
export const CausesRequest = onlyParameters(CAUSES_PARAMETERS);
export type CausesRequest = v.InferOutput<typeof CausesRequest>;

export const RelatedRequest = onlyParameters({ query: QUERY, ...SPAN, max_results });
export type RelatedRequest = v.InferOutput<typeof RelatedRequest>;

export const RisingRequest = onlyParameters({ ...SPAN, max_results });
export type RisingRequest = v.InferOutput<typeof RisingRequest>;

export const SimilarRequest = onlyParameters({ query: QUERY, max_results });
export type SimilarRequest = v.InferOutput<typeof SimilarRequest>;

/** Most Posts of a ranking, and how many there are by default. */
export const MOST_RANKED = 500;
const DEFAULT_RANKED = 100;

/**
 * `engagement`: most likes, reposts and replies first; `nearest`: by the time to `at`, of two equally
 * near the earlier one. Otherwise equal ones newest first.
 */
export const RANKINGS = ['engagement', 'nearest'] as const;

const RANKED_PARAMETERS = {
  query: QUERY,
  ...SPAN,
  order: choiceIn('order', RANKINGS),
  at: instant('at'),
  max_results: v.optional(wholeBetween('max_results', 1, MOST_RANKED), String(DEFAULT_RANKED)),
  ...POST_PARAMETERS,
};

/** Parameters of a ranking of Posts: fields and expansions as in search. */
export const RankedRequest = v.pipe(
  onlyParameters(RANKED_PARAMETERS, (name) =>
    name === 'order'
      ? `The \`order\` query parameter is not one of [${RANKINGS.join(',')}]`
      : missingParameter(name),
  ),
  withSelection(),
);
export type RankedRequest = v.InferOutput<typeof RankedRequest>;

function figures<Q extends v.GenericSchema, A extends v.GenericSchema>(
  path: string,
  query: Q,
  answer: A,
) {
  const authentication = ['app', 'oauth1', 'oauth2', 'session'] as const;
  return endpoint('GET', path, { authentication, query, answer });
}

/** The breakdown of Your posts, exact, over all Posts; `ofSource` gives the endpoints of the sample. */
export const BREAKDOWN = {
  breakdown: figures('/breakdown', BreakdownRequest, BreakdownAnswer),
  causes: figures('/causes', CausesRequest, CausesAnswer),
  related: figures('/related', RelatedRequest, RelatedAnswer),
  rising: figures('/rising', RisingRequest, RisingAnswer),
  similar: figures('/similar', SimilarRequest, SimilarAnswer),
  /** The Posts that search would find, in another order. */
  ranked: sessionEndpoint('GET', '/ranked', {
    // Of the dashboard alone: programs pay for Posts by search.
    query: RankedRequest,
    response: pageOf(PostObject),
  }),
};
