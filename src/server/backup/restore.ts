import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Extract } from 'tar-stream';
import { syncFolder } from '#server/db/place-file.ts';
import type { BackupProgress } from './backup.ts';
import { FOLDERS, isPartName } from './contents.ts';
import {
  BackupError,
  CHECKSUMS_NAME,
  foreign,
  MANIFEST_NAME,
  MOST_MANIFEST,
  readManifest,
  type BackupManifest,
} from './manifest.ts';

/** Most bytes of the checksums: those of some millions of files. */
const MOST_SUMS = 512 * 1024 * 1024;

export interface ReadDeps {
  readonly signal: AbortSignal;
  /** Progress in bytes of the archive. */
  readonly onProgress: (progress: BackupProgress) => void;
  /** Called once, before anything is written. @returns An empty folder for the parts. */
  readonly begin: (manifest: BackupManifest) => string;
  /** Called with the name of each part. */
  readonly onStep?: ((step: string) => void) | undefined;
}

type Entry = Extract extends AsyncIterable<infer T> ? T : never;

async function textOf(entry: Entry, most: number, tooLong: () => BackupError): Promise<string> {
  if ((entry.header.size ?? 0) > most) throw tooLong();
  const parts: Uint8Array[] = [];
  for await (const part of entry as AsyncIterable<Uint8Array>) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** The reason why an archive that has begun well cannot be read. */
function broken(file: string, why: string): BackupError {
  return new BackupError(`${file} is ${why}. Nothing was restored.`);
}

/** The names of parts with their sums. */
class PartSums {
  readonly #file: string;
  readonly #sums = new Map<string, string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws {@link BackupError} if there is a part of that name. */
  claim(name: string): void {
    if (this.#sums.has(name)) throw broken(this.#file, `damaged: it has ${name} twice`);
    this.#sums.set(name, '');
  }

  put(name: string, sum: string): void {
    this.#sums.set(name, sum);
  }

  /** @throws {@link BackupError} unless the lines are those of the parts. */
  compare(lines: string): void {
    const stated = new Map(
      lines
        .split('\n')
        .slice(0, -1)
        .map((line) => [line.slice(66), line.slice(0, 64)]),
    );
    for (const [name, sum] of this.#sums) {
      if (stated.get(name) === sum) continue;
      throw broken(this.#file, `damaged: the checksum of ${name} does not match`);
    }
    for (const name of stated.keys()) {
      if (!this.#sums.has(name)) throw broken(this.#file, `damaged: ${name} is missing`);
    }
  }
}

/** Writes a part to a file for this user alone. @returns Its SHA-256 in hexadecimal. */
async function writePart(entry: Entry, path: string, signal: AbortSignal): Promise<string> {
  const sum = createHash('sha256');
  const summed = async function* (): AsyncGenerator<Uint8Array> {
    for await (const bytes of entry as AsyncIterable<Uint8Array>) {
      sum.update(bytes);
      yield bytes;
    }
  };
  const target = createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true });
  await pipeline(Readable.from(summed()), target, { signal });
  return sum.digest('hex');
}

/** Reads the entries of an archive into a folder. @returns The manifest. */
async function readEntries(
  file: string,
  entries: AsyncIterable<Entry>,
  { begin, signal, onStep }: ReadDeps,
): Promise<BackupManifest> {
  let manifest: BackupManifest | null = null;
  let target = '';
  let isWhole = false;
  const sums = new PartSums(file);
  for await (const entry of entries) {
    const { name, type } = entry.header;
    if (manifest === null) {
      if (name !== MANIFEST_NAME) throw foreign(file);
      const text = await textOf(entry, MOST_MANIFEST, () => foreign(file));
      manifest = readManifest(text, file);
      sums.put(name, createHash('sha256').update(text).digest('hex'));
      target = begin(manifest);
      for (const folder of FOLDERS) mkdirSync(join(target, folder), { mode: 0o700 });
      continue;
    }
    if (isWhole) throw broken(file, `damaged: ${name} follows its end`);
    onStep?.(name);
    if (name === CHECKSUMS_NAME) {
      const tooLong = (): BackupError => broken(file, 'damaged: its checksums are too long');
      sums.compare(await textOf(entry, MOST_SUMS, tooLong));
      isWhole = true;
    } else if (type === 'file' && isPartName(name)) {
      sums.claim(name);
      sums.put(name, await writePart(entry, join(target, name), signal));
    } else {
      throw broken(file, `damaged: it has the part ${JSON.stringify(name.slice(0, 80))}`);
    }
  }
  if (manifest === null) throw foreign(file);
  if (!isWhole) throw broken(file, 'incomplete: it was cut off');
  for (const path of [...FOLDERS.map((folder) => join(target, folder)), target]) syncFolder(path);
  return manifest;
}

/**
 * Reads a backup into a folder, and compares all checksums. All of it is on the disk when the promise resolves.
 *
 * @param file - A file that {@link writeBackup} wrote.
 * @throws {@link BackupError} if the file is not a backup, is incomplete or altered, or needs a newer version of this
 *   program; an error with a `code` of the system if it cannot be read or its parts cannot be written; the signal's reason
 *   if it aborts. The folder is then incomplete.
 */
export async function readBackup(file: string, deps: ReadDeps): Promise<BackupManifest> {
  const { size: total } = statSync(file);
  let done = 0;
  let begun = false;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const bytes of createReadStream(file, { highWaterMark: 256 * 1024 })) {
      yield bytes as Uint8Array;
      done += (bytes as Uint8Array).length;
      deps.onProgress({ done, total });
    }
  };
  const tar = extract();
  let fault: Error | null = null;
  tar.on('error', (error) => (fault = error));
  const reading = pipeline(Readable.from(counted()), tar as unknown as NodeJS.WritableStream, {
    signal: deps.signal,
  });
  reading.catch(() => {});
  const begin: ReadDeps['begin'] = (manifest) => {
    begun = true;
    return deps.begin(manifest);
  };
  try {
    const manifest = await readEntries(file, tar, { ...deps, begin });
    await reading;
    return manifest;
  } catch (error) {
    tar.destroy();
    await reading.catch(() => {});
    deps.signal.throwIfAborted();
    // A part fails after the archive that it is read from.
    const cause: Error | null = fault;
    if (cause === null) throw error;
    if ('syscall' in cause) throw cause;
    throw begun
      ? broken(file, 'incomplete or damaged: it cannot be read to its end')
      : foreign(file);
  }
}
