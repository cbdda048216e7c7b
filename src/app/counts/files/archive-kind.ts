import { Fault } from '#contract/fault.ts';
import { BAD_BACKUP } from '#app/counts/cache/records.ts';
import { BAD_BOARD } from '#app/counts/cache/saved-board.ts';
import type { Manifest } from './archive-schema.ts';

/*
 * The container of all files of this program: a zip whose first entry, `manifest.json`, says what the file is.
 *
 * The manifest is not compressed and begins with its kind, so that the first bytes identify a file. Entries follow each
 * other without gaps, the directory follows the last one, and nothing follows the directory: every byte that matters is
 * either covered by a CRC-32 or has only one possible value.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */

/** The kinds of files. */
export type ArchiveKind = Manifest['groundswell'];

/** Type of the fault for a file that is not a bundle, or a damaged one. */
export const BAD_BUNDLE = 'groundswell:bad-bundle';

/** The entry that describes the others. */
export const MANIFEST = 'manifest.json';

export const STORED = 0;
export const DEFLATED = 8;
/** Maximum number of entries in a zip without the zip64 extension. */
export const MAX_ENTRIES = 65_535;
/** Maximum size of an entry, which is read into memory whole: minutes of twenty years take 42 MB. */
export const MAX_ENTRY = 2 ** 28;

interface Kind {
  /** Type of the fault. */
  readonly type: string;
  /** With its article. */
  readonly name: string;
  /** Maximum size of the file in bytes, and of its unpacked content. */
  readonly maxFile: number;
  readonly maxInflated: number;
}

/** Bundles and boards are in memory as a whole, backups one series at a time. */
export const ARCHIVE_KINDS: Readonly<Record<ArchiveKind, Kind>> = {
  backup: { type: BAD_BACKUP, name: 'a backup', maxFile: 2 ** 32 - 1, maxInflated: 2 ** 34 },
  board: { type: BAD_BOARD, name: 'a board', maxFile: 2 ** 25, maxInflated: 2 ** 27 },
  bundle: { type: BAD_BUNDLE, name: 'a bundle', maxFile: 2 ** 29, maxInflated: 2 ** 30 },
};

/** The fault for a file that cannot be read. @param detail - The problem, as a sentence. */
export function badArchive(kind: ArchiveKind, detail: string): Fault {
  const { type, name } = ARCHIVE_KINDS[kind];
  return new Fault(0, { title: `This file cannot be read as ${name}`, detail, type });
}

/** Formats a value from a file for a message. Not with `String`, which could call a `toString` from the file. */
export const shownEntry = (value: unknown): string =>
  (JSON.stringify(value) ?? 'nothing').slice(0, 40);
