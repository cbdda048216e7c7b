import { errorCode } from '#core/thrown.ts';

/** The reason a file cannot be read to its end. */
export type FeedProblem =
  | 'missing'
  | 'folder'
  | 'unreadable'
  | 'empty'
  | 'truncated'
  | 'damaged'
  | 'unknown-kind'
  | 'columns'
  | 'no-posts';

/** A whole file that cannot be read, or not to its end; a single bad row is a {@link BadRow} instead. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
  readonly problem: FeedProblem;
  /** The file as named by the user, followed by the entry's name inside a zip. */
  readonly file: string;

  constructor(problem: FeedProblem, file: string, message: string, options?: ErrorOptions) {
    super(`${file}: ${message}`, options);
    this.problem = problem;
    this.file = file;
  }
}

/** Turns an error of the file system into a {@link FeedError}; other errors pass unchanged. */
export function feedError(file: string, error: unknown): unknown {
  const code = errorCode(error);
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
    case 'ELOOP':
      return new FeedError('missing', file, 'is a link that leads back to itself.');
    case 'ENAMETOOLONG':
      return new FeedError('missing', file, 'there is no such file: the name is too long.');
    case 'EMFILE':
    case 'ENFILE':
      return new FeedError('unreadable', file, 'cannot be opened: too many files are open.');
    default:
      return error;
  }
}

/** Maximum length of a quotation from a file in a message, in UTF-16 units. */
const SHOWN = 60;

/** Text from a file for a message: truncated, without characters that a terminal interprets. */
export function shown(text: string): string {
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
}
