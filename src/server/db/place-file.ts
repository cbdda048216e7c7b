import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '#core/thrown.ts';

/** Flushes a file, or a folder's list of names, to the disk. */
export function syncFile(path: string, flags: string): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Flushes a folder's list of names to the disk. */
export function syncFolder(folder: string): void {
  // Windows does this itself, and cannot open folders.
  if (process.platform !== 'win32') syncFile(folder, 'r');
}

/**
 * Gives a file its final name, on the disk.
 *
 * @throws The system's error, `EEXIST` if the name is taken.
 */
export function placeFile(begun: string, file: string): void {
  try {
    linkSync(begun, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // Not every file system supports hard links.
    if (existsSync(file)) throw error;
    renameSync(begun, file);
  }
  syncFolder(dirname(file));
}

/** Gives a file its final name, on the disk, instead of the file that has it. */
export function replaceFile(begun: string, file: string): void {
  renameSync(begun, file);
  syncFolder(dirname(file));
}
