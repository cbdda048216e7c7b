/** Files of counts in their different forms. */
export type CountsKind = 'counts' | 'workbook' | 'report' | 'json';
/** The kind of a file: posts, unless Groundswell wrote it or it is a calendar. */
export type FileKind = 'posts' | CountsKind | 'bundle' | 'board' | 'backup' | 'calendar';
/** Files that are not posts. */
export type OtherKind = Exclude<FileKind, 'posts'>;

/** Bytes needed to recognise the kind of a file. */
export const HEAD_BYTES = 1024;

/** The first columns of the two forms of Groundswell's CSV, with any separator. */
const COUNTS = [
  ['query', 'label', 'start_utc'],
  ['start_utc', 'end_utc', 'start_local'],
];

/** The start of an archive (`counts/files/archive.ts`): the header of its first entry, its name, and its content. */
const ARCHIVE = /^PK.{28}manifest\.json\{"groundswell":"(backup|board|bundle)"/su;

/** The start of a workbook of counts (`export/xlsx.ts`): its first entry, and the field that says what it is. */
const WORKBOOK = /^PK.{28}\[Content_Types\]\.xml.{4}groundswell:counts/su;

/**
 * The address of a calendar in a text that has nothing else; null if it has none. Other addresses may be of anything.
 */
export function calendarAddress(text: string): string | null {
  const [, address = null] =
    /^\s*(webcals?:\/\/\S+|https?:\/\/[^\s?#]+\.ics(?:[?#]\S*)?)\s*$/i.exec(text) ?? [];
  return address;
}

/**
 * The kind of a file by its first bytes; the name decides only if they do not.
 *
 * @param head - The first {@link HEAD_BYTES} of the file, or all of a shorter one.
 */
export function fileKind(name: string, head: Uint8Array): FileKind {
  const text = new TextDecoder().decode(head).trimStart();
  const bytes = new TextDecoder('latin1').decode(head);
  const own = ARCHIVE.exec(bytes);
  if (own) return own[1] as OtherKind;
  if (WORKBOOK.test(bytes)) return 'workbook';
  const columns = (text.split(/[\r\n]/, 1)[0] ?? '')
    .split(/[,;\t]/)
    .slice(0, 3)
    .map((column) => column.trim().replace(/^"(.*)"$/, '$1'));
  if (text.startsWith('<!DOCTYPE html>\n<!--groundswell:report-->')) return 'report';
  if (text.startsWith('{"program":"Groundswell",')) return 'json';
  if (COUNTS.some((names) => names.every((name, i) => name === columns[i]))) return 'counts';
  if (/^BEGIN:VCALENDAR/i.test(text) || calendarAddress(text) !== null) return 'calendar';
  if (/\.(?:ics|ical|ifb)$/i.test(name)) return 'calendar';
  if (/\.groundswell$/i.test(name)) return 'bundle';
  return /\.groundswell-board$/i.test(name) ? 'board' : 'posts';
}
