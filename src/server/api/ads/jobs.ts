import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { formatTime } from '#contract/ads/ad-fields.ts';
import type { JobRequest } from '#contract/ads/ad-jobs.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { StatisticsJob } from '#server/ads/job-table.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { FindSource } from '#server/http/current-source.ts';
import type { Steps } from '#server/index/steps.ts';
import type { Machine } from '#server/machine.ts';
import type { Slices } from '#server/posts/index/slices.ts';
import { accountZone } from './account.ts';
import { bucketsOf, tableAround } from './buckets.ts';
import { entityWithFigures } from './entity.ts';
import { inSlices, statisticsOf } from './statistics.ts';

interface JobDeps extends Pick<Machine, 'random' | 'now' | 'log'> {
  readonly ads: AdsStore;
  readonly source: FindSource;
  readonly slices: Slices;
}

/** The time for which a job and its result remain (docs analytics, asynchronous analytics). */
const EXPIRES_MS = 2 * DAY_MS;

/** When a job that ends now expires, epoch ms. */
export function jobEnd(now: number): { readonly now: number; readonly expires: number } {
  return { now, expires: now + EXPIRES_MS };
}

/** The members that a job and its result repeat of the request, null where it has none. */
export function jobParameters(request: JobRequest) {
  const { segmentation_type = null, country = null, platform = null, ...rest } = request;
  const { start_time, end_time } = request;
  return {
    ...rest,
    start_time: formatTime(start_time),
    end_time: formatTime(end_time),
    segmentation_type,
    country,
    platform,
  };
}

const compress = promisify(gzip);

/** A name that cannot be guessed; of digits alone, as clients expect it of the platform's files. */
function fileName(random: JobDeps['random']): string {
  return `stats_job_${BigInt(`0x${Buffer.from(random(16)).toString('hex')}`)}.json.gz`;
}

/**
 * Computes the result of a job, in slices between other requests.
 *
 * @returns Its JSON; null if it was cancelled meanwhile.
 */
async function resultOf(job: StatisticsJob, deps: JobDeps): Promise<string | null> {
  const { ads, source, slices, now } = deps;
  const { request, account: id } = job;
  const account = ads.find('ACCOUNT', id);
  if (!account) throw new RangeError(`expected an ad account, got none of the id ${id}`);
  const buckets = bucketsOf(
    tableAround(accountZone(account), request),
    request.granularity,
    request,
    {},
  );
  const { metric_groups: groups, placement, segmentation_type: segments } = request;
  const asked = { groups, placement, buckets, now: now() };
  const posts = request.entity === 'PROMOTED_TWEET' ? source('posts') : null;
  posts?.refresh();
  const work = inSlices(function* (due): Steps<string[] | null> {
    const parts: string[] = [];
    for (const each of request.entity_ids) {
      if (!ads.jobs.isInProcess(job.id)) return null;
      const entity = entityWithFigures(ads, account, request.entity, each, 'entity_ids');
      // Figures are not known by segments.
      const statistics = segments
        ? { id: entity.id, id_data: [] }
        : yield* statisticsOf(ads, id, posts, entity, asked, due);
      // One by one: those of an entity may have 110,000 numbers.
      parts.push(JSON.stringify(statistics));
      if (due()) yield;
    }
    return parts;
  });
  const parts = await slices.run(work, new AbortController().signal);
  const params = JSON.stringify(jobParameters(request));
  return (
    parts &&
    `{"data_type":"stats","time_series_length":${buckets.length},"data":[${parts.join(',')}],"request":{"params":${params}}}`
  );
}

/**
 * Runs the jobs of advertisers one after the other, also those that were in process when the service ended, and removes
 * expired ones.
 *
 * @returns Runs all that are in process; to be called every second or so.
 */
export function statisticsJobs(deps: JobDeps): () => Promise<void> {
  const { ads, random, now, log } = deps;
  let running: Promise<void> | null = null;
  const runAll = async (): Promise<void> => {
    try {
      ads.jobs.expire(now());
      for (let job = ads.jobs.next(); job; job = ads.jobs.next()) {
        try {
          const json = await resultOf(job, deps);
          if (json === null) continue;
          const bytes = await compress(json);
          ads.jobs.end(job.id, 'SUCCESS', jobEnd(now()), { file: fileName(random), bytes });
        } catch (error) {
          log(`The job ${job.id} of statistics failed: ${String(error)}`);
          ads.jobs.end(job.id, 'FAILED', jobEnd(now()));
        }
      }
    } catch (error) {
      log(`Jobs of statistics wait: ${String(error)}`);
    }
  };
  return () => {
    running ??= runAll().finally(() => {
      running = null;
    });
    return running;
  };
}
