import type { JobRequest, JobStatus } from '#contract/ads/ad-jobs.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

/** Times are epoch ms. */
const JOB = columns({
  /** Below 2^53, so that every client reads it exactly. */
  id: column.number,
  /** Id of the ad account. */
  account: column.text,
  status: column.word<JobStatus>(),
  request: column.json<JobRequest>(),
  createdAt: column.number,
  updatedAt: column.number,
  /** Null while it is in process. */
  expiresAt: column.numberOrNull,
  /** Name of the file with its result; null if there is none. */
  file: column.textOrNull,
});

/** A job that computes statistics. */
export type StatisticsJob = RowOf<typeof JOB>;

/** The result of a job. */
export interface JobResult {
  /** Name that cannot be guessed: anyone who knows it can read the file. */
  readonly file: string;
  /** Gzipped JSON. */
  readonly bytes: Uint8Array;
}

/** Ids a millisecond has room for. */
const IDS_PER_MS = 1000;

/** Jobs of all ad accounts, until they expire. */
export function jobTable(db: Db) {
  const last = db.prepare('SELECT coalesce(max(id), 0) FROM statistics_job');
  const insert = JOB.insert(db, 'statistics_job');
  const find = JOB.select(db, 'statistics_job WHERE account = ? AND id = ?');
  const page = JOB.select(
    db,
    `statistics_job WHERE account = ? AND id < ?
    AND (?3 IS NULL OR id IN (SELECT CAST(value AS INTEGER) FROM json_each(?3))) ORDER BY id DESC LIMIT ?`,
  );
  const inProcess = db.prepare(
    `SELECT count(*) FROM statistics_job WHERE account = ? AND status = 'PROCESSING'`,
  );
  const next = JOB.select(db, "statistics_job WHERE status = 'PROCESSING' ORDER BY id LIMIT 1");
  const isInProcess = db.prepare(
    `SELECT 1 FROM statistics_job WHERE id = ? AND status = 'PROCESSING'`,
  );
  const end = db.prepare(
    `UPDATE statistics_job SET status = ?, updated_at = ?, expires_at = ?, file = ?, result = ?
    WHERE id = ? AND status = 'PROCESSING'`,
  );
  const result = db.prepare('SELECT result FROM statistics_job WHERE file = ?');
  const expired = db.prepare('SELECT 1 FROM statistics_job WHERE expires_at <= ? LIMIT 1');
  const expire = db.prepare('DELETE FROM statistics_job WHERE expires_at <= ?');
  return {
    add: (account: string, request: JobRequest, now: number): StatisticsJob =>
      db.write('add-statistics-job', () => {
        const id = Math.max(now * IDS_PER_MS, Number(last.get()?.[0]) + 1);
        const status = 'PROCESSING';
        const times = { createdAt: now, updatedAt: now, expiresAt: null };
        const job = { id, account, status, request, ...times, file: null } as const;
        insert(job);
        return job;
      }),
    find: (account: string, id: number): StatisticsJob | undefined => find.get([account, id]),
    /** Jobs of an account, the newest first. @param before - Id; jobs with lower ones. @param ids - Only these. */
    page: (
      account: string,
      before: number,
      limit: number,
      ids?: readonly string[],
    ): readonly StatisticsJob[] =>
      page.all([account, before, ids ? JSON.stringify(ids) : null, limit]),
    /** Number of jobs of an account that are in process. */
    inProcess: (account: string): number => Number(inProcess.get([account])?.[0]),
    /** The oldest job in process. */
    next: (): StatisticsJob | undefined => next.get(),
    isInProcess: (id: number): boolean => isInProcess.get([id]) !== undefined,
    /** Ends a job that is in process. @returns False if it is not. */
    end: (
      id: number,
      status: Exclude<JobStatus, 'PROCESSING'>,
      { now, expires }: { readonly now: number; readonly expires: number },
      made?: JobResult,
    ): boolean =>
      db.write('end-statistics-job', () => {
        const { file = null, bytes = null } = made ?? {};
        return end.run([status, now, expires, file, bytes, id]) > 0;
      }),
    /** The bytes of a file. */
    result: (file: string): Uint8Array | undefined => {
      const bytes = result.get([file])?.[0];
      return bytes instanceof Uint8Array ? bytes : undefined;
    },
    /** Removes expired jobs with their results. */
    expire: (now: number): void => {
      if (expired.get([now])) db.write('expire-statistics-jobs', () => void expire.run([now]));
    },
  };
}
