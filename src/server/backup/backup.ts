import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { toError } from '#core/thrown.ts';
import { placeFile } from '#server/db/place-file.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import { openSnapshot, type Snapshot } from '#server/db/snapshot.ts';
import { FOLDERS, STORES, TOKEN_FILES } from './contents.ts';
import { CHECKSUMS_NAME, MANIFEST_NAME, manifestText } from './manifest.ts';

/** Progress in bytes of the parts. */
export interface BackupProgress {
  readonly done: number;
  readonly total: number;
}

export interface BackupDeps {
  /** Version of this program. */
  readonly version: string;
  /** Epoch ms. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: BackupProgress) => void;
  /** Called with the name of the next part, and with `place` before the finished file gets its name. */
  readonly onStep?: (step: string) => void;
}

/** The contents of a backup. */
export interface BackupContents {
  /** Bytes of the file. */
  readonly bytes: number;
  readonly stores: number;
  readonly media: number;
  /** True if it has the platform's token. */
  readonly token: boolean;
}

type Bytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A file whose content never changes; it may be removed meanwhile. */
interface StillFile {
  readonly name: string;
  readonly path: string;
}

/** The token and its key as they belong together; empty if there are none. */
function readToken(folder: string): Map<string, Buffer> {
  const read = (): Map<string, Buffer> => {
    const found = TOKEN_FILES.filter((name) => existsSync(join(folder, name)));
    return new Map(found.map((name) => [name, readFileSync(join(folder, name))]));
  };
  // The service replaces one file after the other.
  for (;;) {
    const [files, again] = [read(), read()];
    const isSame = [...files].every(([name, content]) => again.get(name)?.equals(content));
    if (isSame && files.size === again.size) return files;
  }
}

function stillFiles(folder: string): StillFile[] {
  return FOLDERS.flatMap((name) => {
    const path = join(folder, name);
    if (!existsSync(path)) return [];
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => ({ name: `${name}/${entry.name}`, path: join(path, entry.name) }));
  });
}

/** Writes parts to a tar archive, with the sum of each. */
class PartWriter {
  readonly #tar: Pack;
  readonly #at: Date;
  readonly #deps: Pick<BackupDeps, 'signal' | 'onStep'>;
  readonly #onBytes: (bytes: number) => void;
  readonly #sums: string[] = [];

  constructor(
    tar: Pack,
    at: Date,
    deps: Pick<BackupDeps, 'signal' | 'onStep'>,
    onBytes: (bytes: number) => void,
  ) {
    this.#tar = tar;
    this.#at = at;
    this.#deps = deps;
    this.#onBytes = onBytes;
  }

  async write(name: string, size: number, content: Bytes): Promise<void> {
    this.#deps.onStep?.(name);
    const sum = createHash('sha256');
    const onBytes = this.#onBytes;
    const summed = async function* (): AsyncGenerator<Uint8Array> {
      for await (const bytes of content) {
        sum.update(bytes);
        yield bytes;
        onBytes(bytes.length);
      }
    };
    const entry = this.#tar.entry({ name, size, mode: 0o600, mtime: this.#at });
    await pipeline(
      Readable.from(summed()),
      // Its streams are not Node's own.
      entry as unknown as Writable,
      { signal: this.#deps.signal },
    );
    this.#sums.push(`${sum.digest('hex')}  ${name}\n`);
  }

  async end(): Promise<void> {
    const sums = Buffer.from(this.#sums.join(''));
    await this.write(CHECKSUMS_NAME, sums.length, [sums]);
    this.#tar.finalize();
  }
}

/** Writes a file; nothing if it was removed. @returns Whether it was there. */
async function writeStill(writer: PartWriter, { name, path }: StillFile): Promise<boolean> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!handle) return false;
  try {
    const { size } = await handle.stat();
    // One that is still growing belongs to nothing yet.
    const end = Math.max(size - 1, 0);
    const content = size === 0 ? [] : createReadStream('', { fd: handle, end, autoClose: false });
    await writer.write(name, size, content);
    return true;
  } finally {
    await handle.close();
  }
}

/**
 * Writes everything that a data folder holds to a tar archive, while other processes may read and write it. Each store is
 * as of one moment, and all are within milliseconds of each other; files of media follow.
 *
 * The archive appears under its name once it is complete and on the disk.
 *
 * @param folder - A data folder.
 * @param file - Must not exist.
 * @throws {@link StoreError} if a store cannot be read; an error with a `code` of the system if the archive cannot be
 *   written, `EEXIST` if the file exists; the signal's reason if it aborts.
 */
export async function writeBackup(
  folder: string,
  file: string,
  deps: BackupDeps,
): Promise<BackupContents> {
  const snapshots = new Map<string, Snapshot>();
  const begun = `${file}.begun-${randomUUID()}`;
  try {
    for (const [name, kind] of STORES) {
      const path = join(folder, name);
      if (isStoreThere(path)) snapshots.set(name, openSnapshot(path, kind));
    }
    const at = new Date(deps.now());
    const token = readToken(folder);
    const stills = stillFiles(folder);
    const stores = [...snapshots].map(([name, { format, bytes }]) => ({ name, format, bytes }));
    const total = stores.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    const tar = pack();
    const writer = new PartWriter(tar, at, deps, (bytes) => {
      done += bytes;
      deps.onProgress({ done, total: Math.max(total, done) });
    });
    const writing = pipeline(
      tar as unknown as NodeJS.ReadableStream,
      createWriteStream(begun, { mode: 0o600, flags: 'wx', flush: true }),
      { signal: deps.signal },
    );
    let media = 0;
    const parts = async (): Promise<void> => {
      const text = manifestText({
        version: deps.version,
        createdAt: at.toISOString(),
        stores,
      });
      const manifest = Buffer.from(text);
      await writer.write(MANIFEST_NAME, manifest.length, [manifest]);
      for (const [name, snapshot] of snapshots) {
        await writer.write(name, snapshot.bytes, snapshot.parts());
        snapshot.close();
      }
      for (const [name, content] of token) await writer.write(name, content.length, [content]);
      for (const still of stills) if (await writeStill(writer, still)) media += 1;
      await writer.end();
    };
    const written = parts().catch((error: unknown) => {
      tar.destroy(toError(error));
      throw error;
    });
    const [, whole] = await Promise.allSettled([written, writing]);
    deps.signal.throwIfAborted();
    // Whatever fails ends the archive with its error.
    if (whole.status === 'rejected') throw whole.reason;
    const { size: bytes } = statSync(begun);
    deps.onStep?.('place');
    placeFile(begun, file);
    return { bytes, stores: stores.length, media, token: token.size > 0 };
  } finally {
    for (const snapshot of snapshots.values()) snapshot.close();
    rmSync(begun, { force: true });
  }
}
