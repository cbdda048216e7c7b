/** What a file is to this page: posts, unless Groundswell wrote it. */
export type FileKind = 'posts' | 'counts' | 'bundle' | 'board' | 'backup';
/** Files that are not posts. */
export type OtherKind = Exclude<FileKind, 'posts'>;

/** Bytes that tell the kind of a file. */
export const HEAD_BYTES = 1024;

/** Columns that begin the two forms of our own CSV, whatever divides them. */
const COUNTS = [
  ['query', 'label', 'start_utc'],
  ['start_utc', 'end_utc', 'start_local'],
];

/**
 * What a file is, by its first bytes; the name decides only where they do not.
 *
 * @param head - The first {@link HEAD_BYTES} of the file, or all of a shorter one.
 */
export function fileKind(name: string, head: Uint8Array): FileKind {
  const text = new TextDecoder().decode(head).trimStart();
  // As `counts/backup-file.ts` begins a cache's file.
  if (text.startsWith('GRNDSWLL')) return 'backup';
  const columns = (text.split(/[\r\n]/, 1)[0] ?? '')
    .split(/[,;\t]/)
    .slice(0, 3)
    .map((column) => column.trim().replace(/^"(.*)"$/, '$1'));
  if (COUNTS.some((names) => names.every((name, i) => name === columns[i]))) return 'counts';
  // As `counts/board-file.ts` begins a board's file, and `export/bundle.ts` a bundle.
  if (/^\{\s*"groundswell":\s*"board"/.test(text)) return 'board';
  if (text.startsWith('GRNDBNDL') || /\.groundswell$/i.test(name)) return 'bundle';
  return /\.groundswell-board\.json$/i.test(name) ? 'board' : 'posts';
}
