import type { StoredSource } from '#server/counting/counter.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { CommandDeps } from './command-deps.ts';
import { CommandError } from './data-folder.ts';
import type { DataFolder } from './data-folder.ts';
import { ensureIndex } from './ensure-index.ts';

/**
 * Makes a source readable for a command: it only reads, except for an index of another version, which it rebuilds
 * unless a service runs.
 *
 * @returns False if it was interrupted.
 * @throws {@link CommandError} if the source does not exist; {@link StoreError} if its file cannot be used.
 */
export async function readableSource(
  deps: CommandDeps,
  folder: DataFolder,
  source: StoredSource,
): Promise<boolean> {
  if (!isStoreThere(folder[source])) throw noPosts(folder, source);
  const lock = folder.take();
  try {
    return !lock || (await ensureIndex(deps, folder, [source]));
  } finally {
    lock?.release();
  }
}

/** The failure of a command about a source without Posts. */
export function noPosts(folder: DataFolder, source: StoredSource): CommandError {
  return new CommandError(
    source === 'sample'
      ? `There is no sample in ${folder.path} yet. To make it, run: groundswell sample`
      : `There are no Posts of yours in ${folder.path} yet. To add some, run: groundswell import FILE`,
  );
}
