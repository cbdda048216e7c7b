import { rmdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { isData } from '#server/backup/contents.ts';
import { BackupError, type BackupManifest } from '#server/backup/manifest.ts';
import { commit, folderContent, stageFolder } from '#server/backup/placement.ts';
import { readBackup } from '#server/backup/restore.ts';
import type { Lock } from '#server/db/lock.ts';
import { bytesLine, fileFault } from './backup.ts';
import { runCheck } from './check.ts';
import { absentFolders, DataFolder } from '#server/data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { ensureIndex } from './ensure-index.ts';
import { CommandError } from '#server/command-error.ts';

export interface RestoreOrder {
  readonly data: string;
  readonly file: string;
  /** True if data in the folder move aside. */
  readonly replace: boolean;
  /** Called before each step. */
  readonly onStep?: (step: string) => void;
}

/** A data folder that this process has locked, and what makes a failed restore leave nothing. */
interface Target {
  readonly folder: DataFolder;
  readonly lock: Lock;
  readonly staged: string;
  /** Removes the stage, and the folders if this process made them. */
  discard(): void;
}

/** @throws {@link CommandError} if the folder is not empty, and its data are not to move aside. */
function refuseContent(path: string, replace: boolean): void {
  const [first] = folderContent(path);
  if (first === undefined || replace) return;
  throw new CommandError(
    `${path} is not empty: it has ${first}. Restore into a new folder, or add --replace, which moves the data there aside.`,
  );
}

/** @throws {@link CommandError} if the folder is in use or cannot be created. */
function openTarget(path: string): Target {
  const made = absentFolders(path);
  const folder = new DataFolder(path);
  const lock = folder.take();
  if (!lock) throw new CommandError(`The data folder ${path} is in use. Stop the service first.`);
  const staged = stageFolder(path);
  return {
    folder,
    lock,
    staged,
    discard: () => {
      rmSync(staged, { recursive: true, force: true });
      lock.release();
      if (made.length === 0) return;
      folder.removeLock();
      for (const each of made) rmdirSync(each);
    },
  };
}

/** A name for what a restore moves: the time, in letters and digits. */
function stampOf(now: number): string {
  return new Date(now).toISOString().replace(/[:.]/g, '-');
}

/**
 * `groundswell restore`: makes a data folder from a backup, and checks it. Nothing in the folder changes until all of the
 * backup is read and its checksums match.
 *
 * @returns The exit code: 1 if the check found problems, 130 if it was interrupted.
 * @throws {@link CommandError} if the folder is not empty or in use, or the file is not a whole backup that this version can
 *   restore.
 */
export async function runRestore(
  deps: CommandDeps,
  { data, file: named, replace, onStep }: RestoreOrder,
): Promise<number> {
  const [path, file] = [resolve(data), resolve(named)];
  refuseContent(path, replace);
  const line = bytesLine(deps, 'Restoring');
  let target: Target | null = null;
  let manifest: BackupManifest;
  try {
    manifest = await readBackup(file, {
      signal: deps.stopping,
      onProgress: line.show,
      begin: () => {
        target = openTarget(path);
        // Another program may have had the folder meanwhile, or completed an earlier restore.
        refuseContent(path, replace);
        return target.staged;
      },
      onStep,
    });
  } catch (error) {
    (target as Target | null)?.discard();
    if (deps.stopping.aborted) return 130;
    if (error instanceof BackupError) throw new CommandError(error.message, { cause: error });
    const isWritten = error instanceof Error && 'syscall' in error && error.syscall === 'write';
    throw fileFault(isWritten ? path : file, error);
  } finally {
    line.clear();
  }
  const { folder, lock, staged } = target!;
  try {
    const hasData = folderContent(path).some(isData);
    const aside = commit(path, staged, { name: stampOf(deps.now()), replace: hasData, onStep });
    const { createdAt, version } = manifest;
    deps.out(`Restored the backup of ${createdAt} (version ${version}) to ${path}.\n`);
    if (aside !== null) deps.out(`The data that were there are in ${aside}.\n`);
    if (!(await ensureIndex(deps, folder, ['posts', 'sample']))) return 130;
    return await runCheck(deps, { data: path });
  } finally {
    lock.release();
  }
}
