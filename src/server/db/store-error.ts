/** The reason why a store cannot be used or written. */
export type StoreReason =
  | 'newer-version' // created by a later version of this program
  | 'earlier-version' // created by a version so early that this one cannot read it
  | 'not-a-store' // not a database, or another program's
  | 'empty' // the file has 0 bytes, which a store never has
  | 'missing' // the file is gone, but its log exists
  | 'unindexed' // its index is of another version, or does not fit its Posts
  | 'index-damaged' // a part of its index differs from what was written
  | 'row-damaged' // the row of a Post differs from what was written
  | 'unopenable' // the file or its folder cannot be opened or created
  | 'full' // no space on the disk
  | 'busy' // another process is writing and did not finish in time
  | 'damaged' // the file's content is broken
  | 'io';
// the disk reported an error

const FAULTS: Readonly<Record<StoreReason, string>> = {
  'newer-version': 'was written by a newer version of this program; use that version',
  'earlier-version':
    'was written by an earlier version of this program that this one cannot read: start the last version that can, which converts it, then back up with that version and restore with this one',
  'not-a-store':
    'is not a store of this program; restore it from a backup, or move it away to start again',
  empty: 'is empty: its content is lost; restore it from a backup, or delete it to start again',
  missing:
    'is missing, but its log (the file of the same name that ends in -wal) exists; restore both, or delete the log to start again',
  unindexed: 'needs its index rebuilt: run groundswell reindex',
  'index-damaged':
    'has a damaged index: groundswell check says where, groundswell reindex rebuilds it from the Posts',
  'row-damaged':
    'contains a Post that does not match its checksum: groundswell check says which; restore the file from a backup',
  unopenable: 'cannot be opened or created',
  full: 'cannot grow: the disk is full; the last step was undone, and earlier data is intact',
  busy: 'is being written by another process; try again when it has finished',
  damaged: 'is damaged; restore it from a backup or import the posts again into a new one',
  io: 'could not be read or written: the disk reported an error',
};

/** A store file that cannot be opened, read or written, for a reason outside the program. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly reason: StoreReason;
  readonly file: string;
  /** The fault and what to do about it: the end of a sentence that begins with the file. */
  readonly fault: string;

  constructor(reason: StoreReason, file: string, options?: ErrorOptions) {
    super(`${file} ${FAULTS[reason]}`, options);
    this.fault = FAULTS[reason];
    this.reason = reason;
    this.file = file;
  }
}

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const REASONS: ReadonlyMap<number, StoreReason> = new Map([
  [3, 'unopenable'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'unopenable'],
  [10, 'io'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'unopenable'],
  [26, 'not-a-store'],
] as const);

/** Extended codes that are more precise than their primary one, a disk error. */
const EXACT_REASONS: ReadonlyMap<number, StoreReason> = new Map([
  [522, 'damaged'], // SQLITE_IOERR_SHORT_READ: the file ends before a page that it points to
  [4874, 'full'], // SQLITE_IOERR_SHMSIZE: no space for the few pages that connections share
] as const);

/** An error of SQLite as one of the store. */
export function storeError(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const raw = 'rawCode' in error && typeof error.rawCode === 'number' ? error.rawCode : undefined;
  const code = raw ?? /ConnectionFailed\(.*: (\d+)/s.exec(error.message)?.[1];
  if (code === undefined) return error;
  const reason = EXACT_REASONS.get(Number(code)) ?? REASONS.get(Number(code) & 0xff);
  return reason === undefined ? error : new StoreError(reason, file, { cause: error });
}
