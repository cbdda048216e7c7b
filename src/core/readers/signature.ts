/** The readable kinds of files, for messages. */
export const READABLE_KINDS =
  'CSV, TSV, XLSX, JSON, JSON lines, tweets.js, or one of these gzipped or zipped';

/**
 * Unreadable kinds of files, by how their text begins; bytes that are not UTF-8 appear as half
 * surrogates.
 */
const CONTENTS: readonly [begin: string, name: string][] = [
  ['\udc89PNG', 'a PNG image'],
  ['\udcff\udcd8\udcff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['%PDF-', 'a PDF'],
  ['SQLite format 3', 'an SQLite database'],
  ['PAR1', 'a Parquet file'],
  ['PK\x03\x04', 'a zip inside another compressed file'],
  ['PK\x05\x06', 'a zip inside another compressed file'],
  ['\x1f\udc8b', 'a gzip inside another compressed file'],
  ['7z\udcbc\udcaf', 'a 7z archive'],
  ['Rar!', 'a RAR archive'],
  ['BZh', 'a bzip2 file'],
  ['\udcfd7zXZ', 'an xz file'],
  ['(\udcb5/\udcfd', 'a zstd file'],
  ['\udcd0\udccf\x11\udce0', 'an old Excel or Word file'],
  ['<!doctype', 'an HTML or XML page'],
  ['<html', 'an HTML or XML page'],
  ['<?xml', 'an HTML or XML page'],
];

/** The kind of a text that is neither JSON nor CSV, by its beginning, or null. */
export function textKind(head: string): string | null {
  const begin = head.slice(0, 32);
  const lower = begin.toLowerCase();
  const found = CONTENTS.find(([sign]) => begin.startsWith(sign) || lower.startsWith(sign));
  return found?.[1] ?? null;
}

/** Files the dashboard writes: zips whose first entry names their kind. */
const OWN_FILES: Readonly<Record<string, string>> = {
  backup: 'a backup of a browser’s counts, which Settings restores',
  board: 'a saved board, which the dashboard opens',
  bundle: 'a board with its counts, which the dashboard opens',
};
const OWN_FILE = /^PK.{28}manifest\.json\{"groundswell":"(\w+)"/su;

/** Number of bytes that distinguish a file of the dashboard from another zip. */
export const OWN_FILE_BYTES = 96;

/** The kind of dashboard file a zip is, by its first {@link OWN_FILE_BYTES}, or null. */
export function ownFile(head: Uint8Array): string | null {
  const [, kind = ''] = OWN_FILE.exec(new TextDecoder('latin1').decode(head)) ?? [];
  return OWN_FILES[kind] ?? null;
}

/** True if a line looks like UTF-16 read as UTF-8: every second character is a NUL. */
export function wideText(line: string): boolean {
  if (line.length < 4) return false;
  let nul = 0;
  for (const c of line) if (c === '\0') nul += 1;
  return nul >= Math.floor(line.length / 2) - 1;
}
