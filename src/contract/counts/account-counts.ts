import * as v from 'valibot';
import { Whole } from '#contract/members.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { choiceIn, instant, onlyParameters, QUERY, wholeBetween } from '#contract/parameters.ts';

/** Most days or hours of an answer. */
export const MOST_ACCOUNT_BUCKETS = 2_000;

/** Parameters of counts of accounts; instants become epoch ms at whole seconds. */
export const AccountCountsRequest = onlyParameters({
  query: QUERY,
  start_time: instant('start_time'),
  end_time: instant('end_time'),
  /** The buckets: those of the zone's clock. */
  granularity: choiceIn('granularity', ['hour', 'day']),
  time_zone: v.string(),
  /** Buckets of a window. */
  window: wholeBetween('window', 1, MOST_ACCOUNT_BUCKETS),
});
export type AccountCountsRequest = v.InferOutput<typeof AccountCountsRequest>;

const counts = v.array(Whole);

/** The different accounts with Posts that match: an account counts once wherever it posts more. */
export const AccountCountsAnswer = v.object({
  data: v.object({
    /** Of each day or hour; the first and last may be cut by the bounds. */
    buckets: counts,
    /** Of the window that begins with each of them; those that would end after the last are left out. */
    windows: counts,
  }),
});
export type AccountCountsAnswer = v.InferOutput<typeof AccountCountsAnswer>;

/** Counts of the accounts of Your posts, exact, for the dashboard alone; `ofSource` gives the endpoint of the sample. */
export const ACCOUNT_COUNTS = sessionEndpoint('GET', '/account-counts', {
  query: AccountCountsRequest,
  answer: AccountCountsAnswer,
});
