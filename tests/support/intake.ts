import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { DataFolder } from '#server/cli/data-folder.ts';
import { worksOn } from '#server/cli/jobs.ts';
import type { Gate } from '#server/auth/tokens.ts';
import { MAX_UPLOAD, Uploads } from '#server/import/uploads.ts';
import type { UploadsDeps } from '#server/import/uploads.ts';
import type { Intake } from '#server/api/import/routes.ts';
import { randomBytes } from 'node:crypto';

/** The built program of an import's thread. */
export function importEntry(): URL {
  return pathToFileURL(join(inject('programs'), 'import-entry.js'));
}

/** What takes files from the dashboard, as `serve` makes it; limits are its own unless given. */
export function intakeOn(
  folder: string,
  gate: Gate,
  { limit = MAX_UPLOAD, ...over }: Partial<UploadsDeps> = {},
): Intake {
  const random = (n: number): Uint8Array => randomBytes(n);
  const works = worksOn(new DataFolder(folder), {
    gate,
    err: () => {},
    now: Date.now,
    entry: importEntry(),
  });
  return { works, uploads: new Uploads(join(folder, 'uploads'), { random, limit, ...over }) };
}
