/** The kinds of files that are read, for messages. */
export const KINDS = 'CSV, JSON, JSON lines, tweets.js, or one of these gzipped or zipped';

/** Kinds of files that are not read, by how their text begins; bytes that are not UTF-8 come as half surrogates. */
const CONTENTS: readonly [begin: string, name: string][] = [
  ['\udc89PNG', 'a PNG image'],
  ['\udcff\udcd8\udcff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['%PDF-', 'a PDF'],
  ['SQLite format 3', 'an SQLite database'],
  ['PAR1', 'a Parquet file'],
  ['PK\x03\x04', 'a zip inside another packed file'],
  ['PK\x05\x06', 'a zip inside another packed file'],
  ['\x1f\udc8b', 'a gzip inside another packed file'],
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

/** What a text that is neither JSON nor CSV is, by how it begins, or null. */
export function contentOf(head: string): string | null {
  const begin = head.slice(0, 32);
  const lower = begin.toLowerCase();
  const found = CONTENTS.find(([sign]) => begin.startsWith(sign) || lower.startsWith(sign));
  return found?.[1] ?? null;
}

/** Files of the dashboard itself: zips whose first entry says what they are. */
const OWN_FILES: Readonly<Record<string, string>> = {
  backup: 'a backup of a browser’s counts, which Settings restores',
  board: 'a saved board, which the dashboard opens',
  bundle: 'a board with its counts, which the dashboard opens',
};
const OWN_FILE = /^PK.{28}manifest\.json\{"groundswell":"(\w+)"/su;

/** Bytes that tell a file of the dashboard from another zip. */
export const OWN_FILE_BYTES = 96;

/** What file of the dashboard a zip is, by its first {@link OWN_FILE_BYTES}, or null. */
export function ownFile(head: Buffer): string | null {
  const [, kind = ''] = OWN_FILE.exec(head.toString('latin1')) ?? [];
  return OWN_FILES[kind] ?? null;
}

/** Whether a line looks like UTF-16 read as UTF-8: every second character is a NUL. */
export function wideText(line: string): boolean {
  if (line.length < 4) return false;
  let nul = 0;
  for (const c of line) if (c === '\0') nul += 1;
  return nul >= Math.floor(line.length / 2) - 1;
}
