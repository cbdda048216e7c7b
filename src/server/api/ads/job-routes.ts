import type { Context } from 'hono';
import { formatTime } from '#contract/ads/ad-fields.ts';
import {
  AD_JOBS,
  JOB_DAYS,
  JOB_LIMIT,
  JOB_RESULT,
  MOST_JOBS,
  type JobRequest,
} from '#contract/ads/ad-jobs.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import { cursorAfter, readCursor } from '#server/ads/cursor.ts';
import { entity as entityAnswer, listing } from '#server/ads/envelope.ts';
import type { StatisticsJob } from '#server/ads/job-table.ts';
import { nothingAt } from '#server/http/errors.ts';
import { originOf } from '#server/http/origin.ts';
import type { Route } from '#server/http/serve.ts';
import { accountZone } from './account.ts';
import type { AdsContext } from './ads-context.ts';
import { bucketsOf, localWindow } from './buckets.ts';
import { entityWithFigures } from './entity.ts';
import { jobEnd, jobParameters } from './jobs.ts';

function checkSegments({ segmentation_type: type, country }: JobRequest): void {
  if (type !== 'METROS' || country !== undefined) return;
  const message = '"country" is a missing parameter: METROS are those of a country';
  throw advertiserFault(400, 'MISSING_PARAMETER', message, { parameter: 'country' });
}

/** Serves the jobs that compute statistics, and their results. */
export function adJobs({ http, ads, opener, seal, now }: AdsContext): Route[] {
  const { jobs } = ads;
  const { open, serve } = opener(JOB_LIMIT);

  const jsonOf = (c: Context, job: StatisticsJob) => ({
    id: job.id,
    id_str: String(job.id),
    account_id: job.account,
    status: job.status,
    url: job.file && `${originOf(c)}${JOB_RESULT.path.replace(':file', job.file)}`,
    ...jobParameters(job.request),
    created_at: formatTime(job.createdAt),
    updated_at: formatTime(job.updatedAt),
    expires_at: job.expiresAt === null ? null : formatTime(job.expiresAt),
  });
  const sayLimit = (c: Context, account: string): void => {
    c.header('x-concurrent-job-limit', String(MOST_JOBS));
    c.header('x-concurrent-job-limit-remaining', String(MOST_JOBS - jobs.inProcess(account)));
  };

  return [
    serve(AD_JOBS.create, (call) => {
      const { c, query, texts, params } = call;
      const account = open(call, params.account_id);
      checkSegments(query);
      const days = query.segmentation_type ? JOB_DAYS.segmented : JOB_DAYS.whole;
      const { table, window } = localWindow(accountZone(account), query, texts, days);
      bucketsOf(table, query.granularity, window, texts);
      for (const id of query.entity_ids) {
        entityWithFigures(ads, account, query.entity, id, 'entity_ids');
      }
      sayLimit(c, account.id);
      if (jobs.inProcess(account.id) >= MOST_JOBS) {
        const message = `This ad account has ${MOST_JOBS} jobs in process; wait until one has ended`;
        throw advertiserFault(429, 'TOO_MANY_REQUESTS', message);
      }
      const job = jobs.add(account.id, { ...query, ...window }, now());
      sayLimit(c, account.id);
      return entityAnswer(call, jsonOf(c, job));
    }),
    serve(AD_JOBS.list, (call) => {
      const { c, query, params } = call;
      const { id: account } = open(call, params.account_id);
      const { job_ids: ids, count, cursor } = query;
      const bound = ['jobs', account, ids];
      const [before] = cursor === undefined ? [] : readCursor(cursor, bound, seal);
      const found = jobs.page(account, Number(before ?? Number.MAX_SAFE_INTEGER), count + 1, ids);
      const last = found[count - 1];
      sayLimit(c, account);
      return listing(call, {
        data: found.slice(0, count).map((job) => jsonOf(c, job)),
        next: last && found.length > count ? cursorAfter([String(last.id)], bound, seal) : null,
      });
    }),
    serve(AD_JOBS.cancel, (call) => {
      const { c, params } = call;
      const { id: account } = open(call, params.account_id);
      const at = { parameter: 'job_id', value: params.job_id };
      const id = Number(params.job_id);
      if (!jobs.find(account, id)) {
        const message = `There is no job of the id "${params.job_id}" in this ad account`;
        throw advertiserFault(404, 'NOT_FOUND', message, at);
      }
      const isCancelled = jobs.end(id, 'CANCELLED', jobEnd(now()));
      const job = jobs.find(account, id);
      if (!isCancelled || !job) {
        const message = `The job "${params.job_id}" has ended already`;
        throw advertiserFault(400, 'INVALID_PARAMETER', message, at);
      }
      sayLimit(c, account);
      return entityAnswer(call, jsonOf(c, job));
    }),
    http.serve(JOB_RESULT, ({ c, params: { file } }) => {
      const bytes = jobs.result(file);
      if (!bytes) throw nothingAt(c);
      // A file, not a coding of the answer: clients decompress it themselves.
      c.header('content-type', 'application/gzip');
      return c.body(new Uint8Array(bytes));
    }),
  ];
}
