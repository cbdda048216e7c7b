import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as v from 'valibot';
import { ServeNote } from '#contract/control/control.ts';
import { errorMessage, errorCode } from '#core/thrown.ts';
import { finishRestore } from '#server/backup/placement.ts';
import { removeUnfinished } from '#server/db/create.ts';
import { takeLock, type Lock } from '#server/db/lock.ts';
import { CommandError } from './command-error.ts';

/** Suffixes of SQLite's extra files next to a database in use. */
const SIDE_FILES = ['-wal', '-shm', '-journal'];
const SUFFIXES = ['', ...SIDE_FILES];

/** Removes other users' permissions from a file or folder, if it exists and belongs to this user. */
function tighten(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const code = errorCode(error);
    // Another user's file, or a disk without permissions or without write access: nothing can be removed.
    if (!['ENOENT', 'EPERM', 'EROFS', 'ENOTSUP'].includes(String(code))) throw error;
  }
}

/** @throws {@link CommandError} if this user may not write to a data folder. */
export function checkWritable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const isReadOnly = errorCode(error) === 'EROFS';
    const why = isReadOnly ? 'is on a read-only disk' : 'may not be written by this user';
    throw new CommandError(`The data folder ${folder} ${why}.`, { cause: error });
  }
}

/** The folders that do not exist on the way to a path, the innermost first. */
export function absentFolders(path: string): string[] {
  if (existsSync(path)) return [];
  const above = dirname(path);
  return above === path ? [path] : [path, ...absentFolders(above)];
}

/**
 * Makes a folder and those above it, one after another: below `/proc`, which refuses folders as if the one above were
 * absent, Node's recursive way never ends.
 */
function makeFolders(path: string): void {
  for (const each of absentFolders(path).reverse()) {
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch (error) {
      // Another process was faster.
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  // Throws if it is a file.
  mkdirSync(path, { recursive: true });
}

/** The files of a data folder. */
export class DataFolder {
  readonly path: string;
  readonly posts: string;
  readonly sample: string;
  /** A new sample, before it replaces the old one. */
  readonly newSample: string;
  /** Posts that wait for their replay. */
  readonly replay: string;
  readonly service: string;
  readonly platform: string;
  /** The platform's token, encrypted, and its key. */
  readonly platformToken: string;
  readonly platformKey: string;
  /** Deliveries to webhooks. */
  readonly deliveries: string;
  /** Catalogs of products. */
  readonly catalog: string;
  /** Folder of feeds that are being downloaded and read. */
  readonly feeds: string;
  /** Entities of advertisers and their statistics. */
  readonly ads: string;
  /** Folder of uploaded files that wait for their import. */
  readonly uploads: string;
  /** Folder of uploaded media. */
  readonly media: string;
  /** Page that redirects a browser to its sign-in address. */
  readonly page: string;
  readonly #lock: string;
  readonly #note: string;

  /** @throws {@link CommandError} if the folder does not exist and cannot be created. */
  constructor(path: string) {
    this.path = resolve(path);
    this.posts = join(this.path, 'posts.sqlite');
    this.sample = join(this.path, 'sample.sqlite');
    this.newSample = join(this.path, 'sample-new.sqlite');
    this.replay = join(this.path, 'replay.sqlite');
    this.service = join(this.path, 'service.sqlite');
    this.platform = join(this.path, 'platform.sqlite');
    this.platformToken = join(this.path, 'platform-token.json');
    this.platformKey = join(this.path, 'platform-token.key');
    this.deliveries = join(this.path, 'deliveries.sqlite');
    this.catalog = join(this.path, 'catalog.sqlite');
    this.feeds = join(this.path, 'feeds');
    this.ads = join(this.path, 'ads.sqlite');
    this.uploads = join(this.path, 'uploads');
    this.media = join(this.path, 'media');
    this.page = join(this.path, 'open.html');
    this.#lock = join(this.path, 'lock.sqlite');
    this.#note = join(this.path, 'serve.json');
    try {
      makeFolders(this.path);
    } catch (error) {
      const why = errorMessage(error);
      throw new CommandError(`Cannot create the data folder ${this.path}: ${why}`);
    }
  }

  /**
   * Locks the folder for this process; null if another process has it. Makes its files private, because an earlier
   * version or a copy may have left them readable for others (Windows has no such modes), removes unfinished stores, and
   * completes or removes a restore that was interrupted.
   *
   * @throws {@link CommandError} if this user may not write to the folder; {@link StoreError} as `takeLock`.
   */
  take(): Lock | null {
    checkWritable(this.path);
    if (process.platform !== 'win32') this.#tighten();
    const lock = takeLock(this.#lock);
    if (lock) {
      finishRestore(this.path);
      removeUnfinished(this.path);
      this.dropReplay();
    }
    return lock;
  }

  #tighten(): void {
    const stores = [this.posts, this.sample, this.newSample, `${this.newSample}.new`];
    for (const file of [
      ...stores,
      this.service,
      this.platform,
      this.deliveries,
      this.catalog,
      this.ads,
      this.#lock,
    ]) {
      for (const suffix of SUFFIXES) tighten(file + suffix, 0o600);
    }
    for (const file of [this.#note, this.page, this.platformToken, this.platformKey])
      tighten(file, 0o600);
    for (const path of [this.uploads, this.media, this.feeds]) tighten(path, 0o700);
  }

  /** Removes the lock's file, once the lock is released. */
  removeLock(): void {
    for (const suffix of SUFFIXES) rmSync(this.#lock + suffix, { force: true });
  }

  /** Writes how to reach the running service, readable only for this user. */
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

  /** Removes the note and the redirecting page. */
  removeNote(): void {
    rmSync(this.page, { force: true });
    rmSync(this.#note, { force: true });
  }

  /** Removes what waited for a replay. */
  dropReplay(): void {
    for (const suffix of SUFFIXES) rmSync(this.replay + suffix, { force: true });
  }

  /** Removes a partly made sample. */
  dropNewSample(): void {
    for (const part of ['', '.new']) {
      for (const suffix of SUFFIXES) rmSync(this.newSample + part + suffix, { force: true });
    }
  }

  /** Replaces the sample with the new one; neither may be open. */
  swapSample(): void {
    for (const suffix of SIDE_FILES) rmSync(this.sample + suffix, { force: true });
    renameSync(this.newSample, this.sample);
    this.dropNewSample();
  }
}
