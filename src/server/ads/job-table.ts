import type { JobRequest, JobStatus } from '#contract/ads/ad-jobs.ts';
import { numberOrNull, textOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** A job that computes statistics. Times are epoch ms. */
export interface StatisticsJob {
  /** Below 2^53, so that every client reads it exactly. */
  readonly id: number;
  /** Id of the ad account. */
  readonly account: string;
  readonly status: JobStatus;
  readonly request: JobRequest;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Null while it is in process. */
  readonly expiresAt: number | null;
  /** Name of the file with its result; null if there is none. */
  readonly file: string | null;
}

/** The result of a job. */
export interface JobResult {
  /** Name that cannot be guessed: anyone who knows it can read the file. */
  readonly file: string;
  /** Gzipped JSON. */
  readonly bytes: Uint8Array;
}

/** Jobs of all ad accounts, until they expire. */
export interface JobTable {
  add(account: string, request: JobRequest, now: number): StatisticsJob;
  find(account: string, id: number): StatisticsJob | undefined;
  /** Jobs of an account, the newest first. @param before - Id; jobs with lower ones. @param ids - Only these. */
  page(
    account: string,
    before: number,
    limit: number,
    ids?: readonly string[],
  ): readonly StatisticsJob[];
  /** Number of jobs of an account that are in process. */
  inProcess(account: string): number;
  /** The oldest job in process. */
  next(): StatisticsJob | undefined;
  isInProcess(id: number): boolean;
  /** Ends a job that is in process. @returns False if it is not. */
  end(
    id: number,
    status: Exclude<JobStatus, 'PROCESSING'>,
    at: { readonly now: number; readonly expires: number },
    result?: JobResult,
  ): boolean;
  /** The bytes of a file. */
  result(file: string): Uint8Array | undefined;
  /** Removes expired jobs with their results. */
  expire(now: number): void;
}

/** Ids a millisecond has room for. */
const IDS_PER_MS = 1000;

const COLUMNS = 'id, account, status, request, created_at, updated_at, expires_at, file';

function jobOf(row: readonly Cell[]): StatisticsJob {
  const [id, account, status, request, createdAt, updatedAt, expiresAt, file] = row;
  return {
    id: Number(id),
    account: String(account),
    status: status as JobStatus,
    request: JSON.parse(String(request)) as JobRequest,
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    expiresAt: numberOrNull(expiresAt),
    file: textOrNull(file),
  };
}

export function jobTable(db: Db): JobTable {
  const last = db.prepare('SELECT coalesce(max(id), 0) FROM statistics_job');
  const insert = db.prepare(
    `INSERT INTO statistics_job (id, account, status, request, created_at, updated_at)
    VALUES (?, ?, 'PROCESSING', ?, ?, ?)`,
  );
  const find = db.prepare(`SELECT ${COLUMNS} FROM statistics_job WHERE account = ? AND id = ?`);
  const page = db.prepare(
    `SELECT ${COLUMNS} FROM statistics_job WHERE account = ? AND id < ?
    AND (?3 IS NULL OR id IN (SELECT CAST(value AS INTEGER) FROM json_each(?3))) ORDER BY id DESC LIMIT ?`,
  );
  const inProcess = db.prepare(
    `SELECT count(*) FROM statistics_job WHERE account = ? AND status = 'PROCESSING'`,
  );
  const next = db.prepare(
    `SELECT ${COLUMNS} FROM statistics_job WHERE status = 'PROCESSING' ORDER BY id LIMIT 1`,
  );
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
  const optional = (row: readonly Cell[] | undefined): StatisticsJob | undefined =>
    row && jobOf(row);
  return {
    add: (account, request, now) =>
      db.write('add-statistics-job', () => {
        const id = Math.max(now * IDS_PER_MS, Number(last.get()?.[0]) + 1);
        insert.run([id, account, JSON.stringify(request), now, now]);
        return jobOf(find.get([account, id]) ?? []);
      }),
    find: (account, id) => optional(find.get([account, id])),
    page: (account, before, limit, ids) =>
      page.all([account, before, ids ? JSON.stringify(ids) : null, limit]).map(jobOf),
    inProcess: (account) => Number(inProcess.get([account])?.[0]),
    next: () => optional(next.get()),
    isInProcess: (id) => isInProcess.get([id]) !== undefined,
    end: (id, status, { now, expires }, made) =>
      db.write('end-statistics-job', () => {
        const { file = null, bytes = null } = made ?? {};
        return end.run([status, now, expires, file, bytes, id]) > 0;
      }),
    result: (file) => {
      const bytes = result.get([file])?.[0];
      return bytes instanceof Uint8Array ? bytes : undefined;
    },
    expire: (now) => {
      if (expired.get([now])) db.write('expire-statistics-jobs', () => void expire.run([now]));
    },
  };
}
