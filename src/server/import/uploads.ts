import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault, plainProblem } from '#contract/fault.ts';

/** Bytes of a file sent by a browser at most, unless the service is told otherwise. */
export const MOST_UPLOAD = 64 * 1024 ** 3;

/** Bytes of the disk that a file sent by a browser leaves free, for the Posts that come out of it. */
export const LEFT_FREE = 256 * 1024 ** 2;

export interface UploadsDeps {
  readonly random: (n: number) => Uint8Array;
  /** Bytes at most of one file. */
  readonly most: number;
  /** Bytes that the disk of a folder has free; asked of the system unless given. */
  readonly free?: (folder: string) => Promise<number>;
}

/** A file that came whole. Whoever asked for it removes it. */
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

/** @returns A Fault for what the disk said; other errors as they are. */
function uploadFault(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return full('The disk is full. Nothing of the file was kept; make room and send it again.');
  }
  return error;
}

/** Lets through so many bytes and no more, and none fewer. */
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
 * Files on their way from a browser to an import. Each lies in one folder under a name of chance until it is
 * read; what the browser calls it never becomes a path.
 */
export class Uploads {
  readonly #folder: string;
  readonly #deps: UploadsDeps;

  /** @param folder - For these files alone; made when the first comes. */
  constructor(folder: string, deps: UploadsDeps) {
    this.#folder = folder;
    this.#deps = deps;
  }

  /** Removes what an earlier process left. */
  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Writes a body to a file.
   *
   * @param size - Bytes that the sender announced.
   * @throws {@link Fault} 413 where that is more than is taken, 507 where the disk has no room for it or is
   *   full meanwhile, 400 where the body is of another size. Nothing is left then.
   */
  async receive(
    body: ReadableStream<Uint8Array> | null,
    size: number,
    signal: AbortSignal,
  ): Promise<Upload> {
    const { random, most, free = freeOn } = this.#deps;
    if (size > most) {
      const detail = `A file may have ${gigabytes(most)}; this one has ${gigabytes(size)}. The command takes files of any size: groundswell import FILE.`;
      throw plainProblem(413, 'Content Too Large', detail);
    }
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const room = await free(this.#folder);
    if (size + LEFT_FREE > room) {
      const detail = `The disk has ${gigabytes(room)} free; this file needs ${gigabytes(size + LEFT_FREE)}. Make room and send it again.`;
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
      if (signal.aborted) throw plainProblem(400, 'Bad Request', 'The sender went away.');
      throw uploadFault(error);
    }
    return { path, remove };
  }
}
