import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DataFolder } from '#server/cli/data-folder.ts';
import { openJobs } from '#server/cli/jobs.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { MAX_UPLOAD, Uploads, type UploadsDeps } from '#server/import/uploads.ts';
import type { ImportService } from '#server/api/import/routes.ts';
import type { RequestTable } from '#server/notes/request-table.ts';
import { threadEntry } from './threads.ts';

/** The service that imports files from the dashboard, as `serve` makes it; by default with its own limits. */
export function importServiceOn(
  folder: string,
  auth: Auth,
  noteRequests: Pick<RequestTable, 'addImported'>,
  { limit = MAX_UPLOAD, ...over }: Partial<UploadsDeps> = {},
): ImportService {
  const random = (n: number): Uint8Array => randomBytes(n);
  const jobs = openJobs(new DataFolder(folder), {
    auth,
    noteRequests,
    err: () => {},
    now: Date.now,
    elapsed: () => performance.now(),
    random,
    entry: threadEntry(),
  });
  return { jobs, uploads: new Uploads(join(folder, 'uploads'), { random, limit, ...over }) };
}
