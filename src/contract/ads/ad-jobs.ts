import * as v from 'valibot';
import { listField, textField } from './ad-fields.ts';
import { MOST_IDS, PAGE } from './ad-kind.ts';
import { OF_STATISTICS, STATISTICS_PARAMETERS } from './ad-statistics.ts';
import {
  ADVERTISER_BASE,
  entityAnswer,
  expected,
  listAnswer,
  oneOf,
  paged,
  parametersOf,
} from './advertising.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';

/** States of a job (docs analytics, asynchronous analytics). */
export type JobStatus = 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'CANCELLED';

/** Jobs of an ad account that may be in process at once. */
export const MOST_JOBS = 100;

/** Longest windows of a job, in days of the account's time zone. */
export const JOB_DAYS = { whole: 90, segmented: 45 };

/** Requests about jobs in 15 minutes (recorded of the platform: the limit is on the number of jobs). */
export const JOB_LIMIT = quarterHour(10_000);

/** A parameter that this service only repeats: a place or a platform. */
const NAME = textField(100);

const JobRequest = parametersOf({
  ...STATISTICS_PARAMETERS,
  segmentation_type: v.optional(
    oneOf('segmentation_type', ['AGE', 'CONVERSION_TAGS', 'GENDER', 'METROS', 'PLATFORMS']),
  ),
  country: v.optional(NAME('country')),
  platform: v.optional(NAME('platform')),
});
export type JobRequest = v.InferOutput<typeof JobRequest>;

const nullable = v.nullable(v.string());
const job = v.object({
  id: v.number(),
  id_str: v.string(),
  account_id: v.string(),
  status: v.picklist(['PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED']),
  url: nullable,
  entity: v.string(),
  entity_ids: v.array(v.string()),
  start_time: v.string(),
  end_time: v.string(),
  granularity: v.string(),
  metric_groups: v.array(v.string()),
  placement: v.string(),
  segmentation_type: nullable,
  country: nullable,
  platform: nullable,
  created_at: v.string(),
  updated_at: v.string(),
  expires_at: nullable,
});

const JOB_ID = /^\d{1,16}$/;
const PATH = `${ADVERTISER_BASE}/stats/jobs/accounts/:account_id`;
const rules = { ...OF_STATISTICS, limits: { user: JOB_LIMIT }, budget: 'statistics jobs' };

/** Statistics that are computed later, of longer times. */
export const AD_JOBS = {
  create: endpoint('POST', PATH, {
    ...rules,
    formParameters: true,
    query: JobRequest,
    response: entityAnswer(job),
    status: 201,
  }),
  list: endpoint('GET', PATH, {
    ...rules,
    query: parametersOf({
      job_ids: v.optional(listField(MOST_IDS, JOB_ID, 'the id of a job')('job_ids')),
      ...paged(PAGE),
    }),
    response: listAnswer(job),
  }),
  cancel: endpoint('DELETE', `${PATH}/:job_id`, {
    ...rules,
    params: v.object({
      ...OF_STATISTICS.params.entries,
      job_id: v.pipe(v.string(), v.regex(JOB_ID, expected('the id of a job', 'job_id'))),
    }),
    query: parametersOf({}),
    response: entityAnswer(job),
  }),
};

/** The file with the result of a job, gzipped JSON, for everyone who knows its address. */
export const JOB_RESULT = endpoint('GET', '/advertiser-api-async-analytics/:file', {
  authentication: ['none'],
  params: v.object({ file: v.string() }),
});
