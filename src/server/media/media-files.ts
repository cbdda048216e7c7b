import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { plainProblem, type Fault } from '#contract/fault.ts';
import { errorCode } from '#core/thrown.ts';
import { FORMATS, type Format } from './content.ts';

/** Bytes of the disk that stay free when a client uploads. */
const RESERVED_BYTES = 256 * 1024 ** 2;

/** A finished file's name: its SHA-256 and the extension of its format. */
const NAME = new RegExp(`^([0-9a-f]{64})\\.(${Object.values(FORMATS).join('|')})$`);

/** A complete file under a temporary name, on the disk. */
export interface TemporaryFile {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
}

/** The name of a finished file, in the folder and in its address. */
export function mediaFileName(hash: string, format: Format): string {
  return `${hash}.${FORMATS[format]}`;
}

/** The content type that this service serves a finished file with; null if the name is not that of one. */
export function typeOf(name: string): Format | null {
  const extension = NAME.exec(name)?.[2];
  const found = Object.entries(FORMATS).find(([, each]) => each === extension);
  return found ? (found[0] as Format) : null;
}

function diskFull(): Fault {
  const detail =
    'The disk is full. Nothing of this request was stored; free some space and repeat it.';
  return plainProblem(507, 'Insufficient Storage', detail);
}

/** Makes the names in a folder durable. Windows does this itself, and cannot open folders. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * The files of uploaded media in one folder: finished ones by their hash, and in `incoming` the parts of unfinished
 * uploads under random names. A client's name never becomes a path.
 */
export class MediaFiles {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #random: (n: number) => Uint8Array;

  /** @param folder - For these files alone; created if it is absent. */
  constructor(folder: string, random: (n: number) => Uint8Array) {
    this.#folder = folder;
    this.#incoming = join(folder, 'incoming');
    this.#random = random;
    mkdirSync(this.#incoming, { recursive: true, mode: 0o700 });
  }

  /** Path of a finished file, or of a part. */
  path(name: string, where: 'finished' | 'incoming' = 'finished'): string {
    return join(where === 'finished' ? this.#folder : this.#incoming, name);
  }

  /**
   * Writes what arrives to a part, which is on the disk when the promise resolves.
   *
   * @param most - Maximum number of bytes.
   * @param tooLong - Makes the error for more.
   *
   * Rejects with that error, with {@link Fault} 507 if the disk is full, and with the source's own error. No file
   * remains then.
   */
  async receive(
    source: Readable | AsyncIterable<Uint8Array>,
    most: number,
    tooLong: () => Error,
    signal?: AbortSignal,
  ): Promise<TemporaryFile> {
    const { bavail, bsize } = await statfs(this.#incoming);
    if (bavail * bsize < RESERVED_BYTES) throw diskFull();
    const file = Buffer.from(this.#random(16)).toString('hex');
    const path = this.path(file, 'incoming');
    const hash = createHash('sha256');
    let size = 0;
    const measure = new Transform({
      transform(piece: Uint8Array, _encoding, done) {
        size += piece.length;
        if (size > most) return done(tooLong());
        hash.update(piece);
        done(null, piece);
      },
    });
    try {
      const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await pipeline(source, measure, target, { ...(signal && { signal }) });
      const handle = await open(path, 'r+');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      syncFolder(this.#incoming);
    } catch (error) {
      await rm(path, { force: true });
      throw ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errorCode(error)) ? diskFull() : error;
    }
    return { file, size, hash: hash.digest('hex') };
  }

  /** The bytes of parts, one after the other. */
  async *read(files: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const file of files) yield* createReadStream(this.path(file, 'incoming'));
  }

  /** The first bytes of parts, in their order. */
  async head(files: readonly string[], bytes: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of this.read(files)) {
      pieces.push(piece);
      size += piece.length;
      if (size >= bytes) break;
    }
    return Buffer.concat(pieces).subarray(0, bytes);
  }

  /** Makes a part a finished file, durably and at once: no one ever finds half of it. */
  finish({ file, hash }: TemporaryFile, format: Format): void {
    renameSync(this.path(file, 'incoming'), this.path(mediaFileName(hash, format)));
    syncFolder(this.#folder);
  }

  /** Removes parts; it is no error if they are gone. */
  drop(files: readonly string[]): void {
    for (const file of files) rmSync(this.path(file, 'incoming'), { force: true });
  }

  /** Removes a finished file. */
  remove(name: string): void {
    rmSync(this.path(name), { force: true });
  }

  /** The names of all parts. */
  parts(): string[] {
    return readdirSync(this.#incoming);
  }

  /** The names of all finished files, with their hashes. */
  finished(): { readonly name: string; readonly hash: string }[] {
    return readdirSync(this.#folder).flatMap((name) => {
      const hash = NAME.exec(name)?.[1];
      return hash === undefined ? [] : [{ name, hash }];
    });
  }
}
