import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault, plainProblem } from '#contract/fault.ts';
import { errorCode } from '#core/thrown.ts';

/** Default maximum size of a file sent by a browser, bytes. */
export const MAX_UPLOAD = 64 * 1024 ** 3;

/** Bytes of the disk that stay free when a browser sends a file, for the Posts it becomes. */
export const RESERVED_BYTES = 256 * 1024 ** 2;

export interface UploadsDeps {
  readonly random: (n: number) => Uint8Array;
  /** Maximum size of one file, bytes. */
  readonly limit: number;
  /** Free bytes on the disk of a folder; from the system by default. */
  readonly free?: (folder: string) => Promise<number>;
}

/** A complete file. The caller removes it. */
export interface Upload {
  readonly path: string;
  remove(): Promise<void>;
}

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e10 ? 1 : 0)} GB`;
}

function full(detail: string): Fault {
  return plainProblem(507, 'Insufficient Storage', detail);
}

/** @returns A Fault for a disk error; other errors unchanged. */
function uploadFault(error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return full(
      'The disk is full. Nothing of the file was stored; free some space and send it again.',
    );
  }
  return error;
}

/** Passes exactly `size` bytes, and fails for more or fewer. */
function exactly(size: number): Transform {
  const cut = (): Fault =>
    plainProblem(400, 'Bad Request', 'The file ended before its announced size.');
  const long = (): Fault =>
    plainProblem(400, 'Bad Request', 'The file is longer than its announced size.');
  let got = 0;
  return new Transform({
    transform(part: Uint8Array, _encoding, done) {
      got += part.length;
      if (got > size) done(long());
      else done(null, part);
    },
    flush: (done) => done(got < size ? cut() : null),
  });
}

/**
 * Files on their way from a browser to an import. Each is stored in one folder under a random name
 * until it is read; the browser's name never becomes a path.
 */
export class Uploads {
  readonly #folder: string;
  readonly #deps: UploadsDeps;

  /** @param folder - For these files alone; created for the first one. */
  constructor(folder: string, deps: UploadsDeps) {
    this.#folder = folder;
    this.#deps = deps;
  }

  /** Removes the remains of an earlier process. */
  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Writes a body to a file.
   *
   * @param size - Bytes that the sender announced.
   * @throws {@link Fault} 413 if that exceeds the limit, 507 if the disk has not enough space or
   *   becomes full, 400 if the body has another size. No file remains then.
   */
  async receive(
    body: ReadableStream<Uint8Array> | null,
    size: number,
    signal: AbortSignal,
  ): Promise<Upload> {
    const { random, limit, free = freeOn } = this.#deps;
    if (size > limit) {
      const detail = `A file may have ${gigabytes(limit)}; this one has ${gigabytes(size)}. The command takes files of any size: groundswell import FILE.`;
      throw plainProblem(413, 'Content Too Large', detail);
    }
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const space = await free(this.#folder);
    if (size + RESERVED_BYTES > space) {
      const detail = `The disk has ${gigabytes(space)} free; this file needs ${gigabytes(size + RESERVED_BYTES)}. Free some space and send it again.`;
      throw full(detail);
    }
    const path = join(this.#folder, Buffer.from(random(16)).toString('hex'));
    const remove = (): Promise<void> => rm(path, { force: true });
    try {
      await pipeline(
        body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([]),
        exactly(size),
        createWriteStream(path, { flags: 'wx', mode: 0o600 }),
        { signal },
      );
    } catch (error) {
      await remove();
      if (signal.aborted) throw plainProblem(400, 'Bad Request', 'The sender disconnected.');
      throw uploadFault(error);
    }
    return { path, remove };
  }
}
