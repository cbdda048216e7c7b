import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '#server/db/place-file.ts';
import { isData } from './contents.ts';

/*
 * A restore writes into a folder within the data folder, which may be the root of a volume, so that nothing can be renamed
 * to it. The name of that folder is the state of the restore, and each rename to the next one is a step that is done or
 * not, whenever the process ends.
 */

/** Not complete; removed by the next program that locks the folder. */
const UNFINISHED = /^restoring-[\w-]+$/;
/** Complete; what it replaces is being moved to the folder {@link ASIDE}. */
const REPLACING = /^replacing-([\w-]+)$/;
/** Complete; its files are being moved to the data folder. */
const RESTORED = /^restored-([\w-]+)$/;
/** Data that a restore replaced. */
const ASIDE = 'replaced-';

/** Names that an otherwise empty folder may have: the lock, remains of a restore, and the root of a file system's own. */
const EMPTY = /^(?:lock\.sqlite(?:-wal|-shm|-journal)?|restoring-[\w-]+|lost\+found)$/;

/** Files and folders that keep a folder from being empty; none also if it does not exist. */
export function folderContent(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => !EMPTY.test(name));
}

/** A folder for the parts of a restore that is running. */
export function stageFolder(folder: string): string {
  const path = join(folder, `restoring-${randomUUID()}`);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

export interface CommitOptions {
  /** Differs from those of other restores; letters, digits and hyphens. */
  readonly name: string;
  /** True if the data folder has data, which then move aside. */
  readonly replace: boolean;
  /** Called before each rename. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Moves the files of a complete stage to its data folder, which this process has locked.
 *
 * @returns The folder with the data that were there; null if there were none.
 */
export function commit(
  folder: string,
  staged: string,
  { name, replace, onStep }: CommitOptions,
): string | null {
  onStep?.('commit');
  renameSync(staged, join(folder, `${replace ? 'replacing' : 'restored'}-${name}`));
  syncFolder(folder);
  finishRestore(folder, onStep);
  return replace ? join(folder, ASIDE + name) : null;
}

/** Moves files and folders, each by one rename. */
function moveAll(
  names: readonly string[],
  from: string,
  to: string,
  onStep?: (step: string) => void,
): void {
  for (const name of names) {
    onStep?.('move');
    renameSync(join(from, name), join(to, name));
  }
  syncFolder(from);
  syncFolder(to);
}

/**
 * Completes a restore that was interrupted after its last check, and removes one that was interrupted before. This process
 * must have locked the folder, and its files must be closed.
 */
export function finishRestore(folder: string, onStep?: (step: string) => void): void {
  for (const entry of readdirSync(folder)) {
    if (UNFINISHED.test(entry)) rmSync(join(folder, entry), { recursive: true, force: true });
    const name = REPLACING.exec(entry)?.[1];
    if (name === undefined) continue;
    const aside = join(folder, ASIDE + name);
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    moveAll(readdirSync(folder).filter(isData), folder, aside, onStep);
    onStep?.('replaced');
    renameSync(join(folder, entry), join(folder, `restored-${name}`));
    syncFolder(folder);
  }
  for (const entry of readdirSync(folder)) {
    if (!RESTORED.test(entry)) continue;
    const path = join(folder, entry);
    moveAll(readdirSync(path), path, folder, onStep);
    rmdirSync(path);
  }
}
