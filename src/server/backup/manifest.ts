import * as v from 'valibot';
import { newestFormat } from '#server/db/migrate.ts';
import { STORES } from './contents.ts';

/** Format of backups; a version that changes it for good increments it. */
const FORMAT = 1;

export const MANIFEST_NAME = 'groundswell-backup.json';
/** The last part: a line for each of the others, as `sha256sum` writes and checks them. */
export const CHECKSUMS_NAME = 'checksums.sha256';
export const MOST_MANIFEST = 1024 * 1024;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The first part of a backup. */
const BackupManifest = v.object({
  format: v.literal(FORMAT),
  /** Version of the program that wrote it. */
  version: v.pipe(v.string(), v.regex(/^[\w.+-]{1,40}$/)),
  /** The time at which its state was read: ISO 8601, UTC. */
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  stores: v.array(v.object({ name: v.picklist([...STORES.keys()]), format: count, bytes: count })),
});
export type BackupManifest = v.InferOutput<typeof BackupManifest>;

/** The fields that every format begins with. */
const Header = v.object({ format: count, version: v.string() });

/** The file is not a backup that this program can restore. The message is for the user. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export function manifestText(manifest: Omit<BackupManifest, 'format'>): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;
}

/**
 * Reads the first part of a backup.
 *
 * @param file - For messages.
 * @throws {@link BackupError} if it is no manifest, or if this program does not know the format of the backup or of one of
 *   its stores.
 */
export function readManifest(text: string, file: string): BackupManifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw foreign(file);
  }
  const header = v.safeParse(Header, json);
  if (!header.success) throw foreign(file);
  const refused = (age: string, advice: string): BackupError =>
    new BackupError(
      `${file} was written by ${age} version of this program (${header.output.version.slice(0, 40)}). Nothing was restored; ${advice}.`,
    );
  const newer = (): BackupError => refused('a newer', 'use that version');
  if (header.output.format > FORMAT) throw newer();
  const manifest = v.safeParse(BackupManifest, json);
  if (!manifest.success) throw foreign(file);
  for (const { name, format } of manifest.output.stores) {
    const kind = STORES.get(name);
    if (!kind || format > newestFormat(kind)) throw newer();
    if (format < kind.first) {
      throw refused(
        'an earlier',
        'restore it with the last version that can, start that one, and back up with it',
      );
    }
  }
  return manifest.output;
}

export function foreign(file: string): BackupError {
  return new BackupError(`${file} is not a backup of Groundswell. Nothing was restored.`);
}
