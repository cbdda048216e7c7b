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

/** How an archive begins (`counts/files/archive.ts`): the header of its first entry, its name, and what it says. */
const ARCHIVE = /^PK.{28}manifest\.json\{"groundswell":"(backup|board|bundle)"/su;

/**
 * What a file is, by its first bytes; the name decides only where they do not.
 *
 * @param head - The first {@link HEAD_BYTES} of the file, or all of a shorter one.
 */
export function fileKind(name: string, head: Uint8Array): FileKind {
  const text = new TextDecoder().decode(head).trimStart();
  const own = ARCHIVE.exec(new TextDecoder('latin1').decode(head));
  if (own) return own[1] as OtherKind;
  const columns = (text.split(/[\r\n]/, 1)[0] ?? '')
    .split(/[,;\t]/)
    .slice(0, 3)
    .map((column) => column.trim().replace(/^"(.*)"$/, '$1'));
  if (COUNTS.some((names) => names.every((name, i) => name === columns[i]))) return 'counts';
  if (/\.groundswell$/i.test(name)) return 'bundle';
  return /\.groundswell-board$/i.test(name) ? 'board' : 'posts';
}
