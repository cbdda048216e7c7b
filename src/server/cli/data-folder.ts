import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { ServeNote } from '#contract/control.ts';
import { removeUnfinished } from '#server/db/create.ts';
import { takeLock } from '#server/db/lock.ts';
import type { Lock } from '#server/db/lock.ts';

/** A command that cannot be done for a reason outside the program; the message is one clear line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** SQLite keeps these beside a file that is in use. */
const BESIDE = ['-wal', '-shm', '-journal'];
const SUFFIXES = ['', ...BESIDE];

/** Takes what others may do with a file or folder away, where it is there and this user's. */
function tighten(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Another user's, or on a disk without modes or without writing: there is nothing to take away.
    if (!['ENOENT', 'EPERM', 'EROFS', 'ENOTSUP'].includes(String(code))) throw error;
  }
}

/** The files of a data folder. */
export class DataFolder {
  readonly path: string;
  readonly posts: string;
  readonly sample: string;
  /** Where a sample is made before it takes the place of the old one. */
  readonly newSample: string;
  readonly service: string;
  readonly platform: string;
  /** Files that a browser sends, until they are read. */
  readonly uploads: string;
  /** Leads a browser to the address that signs it in. */
  readonly page: string;
  readonly #lock: string;
  readonly #note: string;

  /** @throws {@link CommandError} where the folder is not there and cannot be made. */
  constructor(path: string) {
    this.path = resolve(path);
    this.posts = join(this.path, 'posts.sqlite');
    this.sample = join(this.path, 'sample.sqlite');
    this.newSample = join(this.path, 'sample-new.sqlite');
    this.service = join(this.path, 'service.sqlite');
    this.platform = join(this.path, 'platform.sqlite');
    this.uploads = join(this.path, 'uploads');
    this.page = join(this.path, 'open.html');
    this.#lock = join(this.path, 'lock.sqlite');
    this.#note = join(this.path, 'serve.json');
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new CommandError(`The data folder ${this.path} cannot be made: ${why}`);
    }
  }

  /**
   * Takes the folder for this process; null where another one has it. Its files become this user's alone, also
   * those that an earlier version or a copy made readable for others. Windows has no such modes. Stores that
   * were begun and not finished are removed.
   */
  take(): Lock | null {
    if (process.platform !== 'win32') this.#tighten();
    const lock = takeLock(this.#lock);
    if (lock) removeUnfinished(this.path);
    return lock;
  }

  #tighten(): void {
    const stores = [this.posts, this.sample, this.newSample, `${this.newSample}.new`];
    for (const file of [...stores, this.service, this.platform, this.#lock]) {
      for (const suffix of SUFFIXES) tighten(file + suffix, 0o600);
    }
    for (const file of [this.#note, this.page]) tighten(file, 0o600);
    tighten(this.uploads, 0o700);
  }

  /** Notes how the running service is reached, for this user's eyes alone. */
  writeNote(note: ServeNote): void {
    rmSync(this.#note, { force: true });
    writeFileSync(this.#note, JSON.stringify(note), { mode: 0o600, flag: 'wx' });
  }

  readNote(): ServeNote | null {
    try {
      const read = v.safeParse(ServeNote, JSON.parse(readFileSync(this.#note, 'utf8')));
      return read.success ? read.output : null;
    } catch {
      return null;
    }
  }

  /** Removes the note, and the page that leads to an address of the service. */
  removeNote(): void {
    rmSync(this.page, { force: true });
    rmSync(this.#note, { force: true });
  }

  /** Removes what an interrupted making left. */
  dropNewSample(): void {
    for (const part of ['', '.new']) {
      for (const suffix of SUFFIXES) rmSync(this.newSample + part + suffix, { force: true });
    }
  }

  /** Puts the new sample in the place of the old one; neither may be open. */
  swapSample(): void {
    for (const suffix of BESIDE) rmSync(this.sample + suffix, { force: true });
    renameSync(this.newSample, this.sample);
    this.dropNewSample();
  }
}
