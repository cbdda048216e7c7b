import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of real posts with their true counts, named by `GROUNDSWELL_TEST_DATA`.
 *
 * @returns The folder, or null if the variable is not set: tests over real posts then do not run.
 * @throws {Error} if it is set and there is no such folder.
 */
export function realData(): string | null {
  const folder = process.env['GROUNDSWELL_TEST_DATA'];
  if (!folder) return null;
  if (!existsSync(join(folder, 'posts'))) {
    throw new Error(`GROUNDSWELL_TEST_DATA names ${folder}, which holds no folder "posts".`);
  }
  return folder;
}

/** Paths of the files of a corpus, in order of name. */
export function postFiles(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, 'posts'))
    .filter((name) => name.startsWith(prefix))
    .sort()
    .map((name) => join(folder, 'posts', name));
}
