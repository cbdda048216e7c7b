/** Why a file cannot be read on. */
export type FeedProblem =
  | 'missing'
  | 'folder'
  | 'unreadable'
  | 'empty'
  | 'truncated'
  | 'damaged'
  | 'unknown-kind'
  | 'columns';

/** A whole file that cannot be read, or not to its end; a single bad row is a {@link BadRow} instead. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
  readonly problem: FeedProblem;
  /** The file as it was named, with the entry's name behind it inside a zip. */
  readonly file: string;

  constructor(problem: FeedProblem, file: string, message: string) {
    super(`${file}: ${message}`);
    this.problem = problem;
    this.file = file;
  }
}

/** Turns what the file system says into a {@link FeedError}; other errors pass unchanged. */
export function feedError(file: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new FeedError('missing', file, 'there is no such file.');
    case 'EISDIR':
      return new FeedError('folder', file, 'is a folder; name the files in it.');
    case 'EACCES':
    case 'EPERM':
      return new FeedError('unreadable', file, 'may not be read by this user.');
    case 'EIO':
      return new FeedError('unreadable', file, 'the disk reports an error while reading it.');
    default:
      return error;
  }
}
