import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { grouped } from '#core/format/number-text.ts';
import { writeBackup, type BackupProgress } from '#server/backup/backup.ts';
import { STORES } from '#server/backup/contents.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { CommandDeps } from './command-deps.ts';
import { lasting, progressLine } from './progress.ts';
import { CommandError } from '#server/command-error.ts';

const MEGABYTE = 1024 * 1024;

/** The reason a file of a backup cannot be read or written, by the code of the system. */
const FAULTS: Readonly<Record<string, string>> = {
  EEXIST: 'exists already, and a backup overwrites nothing',
  ENOENT: 'is not there, or its folder is not',
  ENOSPC: 'cannot be completed: the disk is full',
  EACCES: 'may not be read or written by this user',
  EROFS: 'cannot be written: the disk is read-only',
  EISDIR: 'is a folder',
  EFBIG: 'is larger than this file system allows',
};

/**
 * Explains an error of the system.
 *
 * @returns A {@link CommandError}, or the error itself if it has no code.
 */
export function fileFault(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const { code, message } = error;
  const fault = FAULTS[String(code)] ?? `cannot be read or written: ${message}`;
  return new CommandError(`${file} ${fault}.`, { cause: error });
}

/** Shows progress in bytes. @returns The functions that clear the line and show it. */
export function bytesLine(deps: CommandDeps, what: string) {
  const line = progressLine(deps);
  const began = deps.now();
  let shown = '';
  return {
    clear: () => line.clear(),
    show: ({ done, total }: BackupProgress): void => {
      const seconds = (deps.now() - began) / 1000;
      const part = total === 0 ? 100 : Math.floor((100 * done) / total);
      const left = seconds < 1 ? '' : `, ${lasting((seconds * (total - done)) / done)} left`;
      const text = `${what}: ${part} % of ${megabytes(total)}${left}`;
      if (text !== shown) line.show(text);
      shown = text;
    },
  };
}

export function megabytes(bytes: number): string {
  return `${grouped(Math.ceil(bytes / MEGABYTE))} MB`;
}

/**
 * `groundswell backup`: writes all that a data folder holds to one file, also while a service runs on the folder.
 *
 * @returns The exit code: 130 if it was interrupted, which leaves no file.
 * @throws {@link CommandError} if there is nothing to back up, the file exists or cannot be written; {@link StoreError} if a
 *   store cannot be read.
 */
export async function runBackup(
  deps: CommandDeps,
  { data, file: named }: { data: string; file: string },
): Promise<number> {
  const [folder, file] = [resolve(data), resolve(named)];
  if (![...STORES.keys()].some((name) => isStoreThere(resolve(folder, name)))) {
    throw new CommandError(`There is nothing to back up in ${folder}.`);
  }
  if (existsSync(file)) throw new CommandError(`${file} ${FAULTS['EEXIST']}.`);
  const line = bytesLine(deps, 'Backing up');
  try {
    const { version, now } = deps;
    const done = await writeBackup(folder, file, {
      version,
      now,
      signal: deps.stopping,
      onProgress: line.show,
    });
    line.clear();
    const media = done.media === 0 ? '' : ` and ${grouped(done.media)} media files`;
    deps.out(`Wrote ${file} (${megabytes(done.bytes)}, ${done.stores} databases${media}).\n`);
    const token = done.token ? ', and the platform’s token with its key' : '';
    deps.out(
      `It holds the accounts, secrets and Posts of this service${token}: keep it where only you can read it.\n`,
    );
    return 0;
  } catch (error) {
    if (deps.stopping.aborted) return 130;
    throw fileFault(file, error);
  } finally {
    line.clear();
  }
}
