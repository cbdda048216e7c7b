import { textKind } from './signature.ts';
import { decodeSample, guessEncoding } from './encoding.ts';

/** A kind of file that is not imported. */
interface OtherKind {
  /** With its article: `a PDF`. */
  readonly name: string;
  /** The action to take instead: a sentence. */
  readonly advice: string;
}

const AS_TEXT = 'Save its table as CSV (UTF-8) or XLSX.';
const UNPACK = 'Unpack it and import the files in it.';
const PICTURE = 'Import the file with the Posts instead of a picture of them.';
const RECORDING = 'Import the file with the Posts instead of a recording.';

/** Kinds by the extension that file-type gives them. */
const KINDS: Readonly<Record<string, readonly [name: string, advice: string]>> = {
  pdf: ['a PDF', 'Export the Posts as CSV or XLSX instead of a PDF.'],
  docx: ['a Word document', AS_TEXT],
  pptx: ['a PowerPoint presentation', AS_TEXT],
  rtf: ['a rich text document', AS_TEXT],
  odt: ['an OpenDocument text', AS_TEXT],
  ods: ['an OpenDocument spreadsheet', 'Save it as XLSX or CSV (UTF-8).'],
  parquet: ['a Parquet file', 'Convert it to CSV or JSON lines.'],
  arrow: ['an Arrow file', 'Convert it to CSV or JSON lines.'],
  avro: ['an Avro file', 'Convert it to CSV or JSON lines.'],
  sqlite: ['an SQLite database', 'Export its table as CSV.'],
  zip: ['a zip inside another compressed file', UNPACK],
  gz: ['a gzip inside another compressed file', UNPACK],
  '7z': ['a 7z archive', UNPACK],
  rar: ['a RAR archive', UNPACK],
  tar: ['a tar archive', UNPACK],
  'tar.gz': ['a tar archive', UNPACK],
  bz2: ['a bzip2 file', UNPACK],
  xz: ['an xz file', UNPACK],
  zst: ['a zstd file', UNPACK],
  xml: ['an HTML or XML page', AS_TEXT],
  html: ['an HTML or XML page', AS_TEXT],
};

/** The content of an OLE2 file, by the name of a stream in it, which is UTF-16. */
const STREAMS: readonly [stream: string, name: string, advice: string][] = [
  [
    'EncryptedPackage',
    'an Office document with a password',
    'Open it, remove the password and save it again.',
  ],
  ['Workbook', 'an Excel 97 workbook (.xls)', 'Save it as .xlsx.'],
  ['Book', 'an Excel 95 workbook (.xls)', 'Save it as .xlsx.'],
  ['WordDocument', 'an old Word document (.doc)', AS_TEXT],
];

function oldOffice(head: Uint8Array): OtherKind {
  const text = new TextDecoder('latin1').decode(head);
  const found = STREAMS.find(([stream]) => text.includes([...stream].join('\0')));
  const [, name, advice] = found ?? ['', 'an old Excel or Word file', 'Save it as .xlsx or CSV.'];
  return { name, advice };
}

/** The article of a kind that has only its type's name. */
function media(mime: string): readonly [string, string] | null {
  if (mime.startsWith('image/')) {
    const kind = mime.slice(6).replace(/^x-/, '').toUpperCase();
    return [`${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind} image`, PICTURE];
  }
  if (mime.startsWith('video/')) return ['a video', RECORDING];
  if (mime.startsWith('audio/')) return ['an audio file', RECORDING];
  return null;
}

/** Kinds whose files are text. */
const TEXTS: ReadonlySet<string> = new Set(['pdf', 'rtf', 'xml', 'html']);

/** True if bytes are text: their signature can then only be that of a kind of text. */
function isText(head: Uint8Array): boolean {
  const encoding = guessEncoding(head);
  const text = decodeSample(head, encoding, false);
  return encoding !== 'windows-1252' && !/[^\P{Cc}\s]/u.test(text);
}

/** Loaded at the first use: what only writes Posts, or only serves, starts faster without it. */
async function fileTypeOf(head: Uint8Array) {
  const { fileTypeFromBuffer } = await import('file-type/core');
  return await fileTypeFromBuffer(head);
}

/** The byte-order marks of UTF-32, of which one begins with that of UTF-16 and looks like an audio file. */
const UTF_32: readonly (readonly number[])[] = [
  [0xff, 0xfe, 0, 0],
  [0, 0, 0xfe, 0xff],
];

/**
 * The kind of a file that is none of those that are imported, by its first bytes; null if it can be text.
 *
 * @param head - The first bytes, of a gzip the unpacked ones; more of them tell old Office files apart.
 */
export async function otherKind(head: Uint8Array): Promise<OtherKind | null> {
  if (UTF_32.some((mark) => mark.every((byte, at) => head[at] === byte))) {
    return { name: 'a text in UTF-32', advice: 'Save it as UTF-8.' };
  }
  const type = await fileTypeOf(head);
  if (type?.ext === 'cfb') return oldOffice(head);
  // A byte-order mark of UTF-16 is how some audio files begin, too, and a header may begin with any letters.
  const isPlain = isText(head);
  const known = type && (TEXTS.has(type.ext) || !isPlain) && (KINDS[type.ext] ?? media(type.mime));
  if (known) return { name: known[0], advice: known[1] };
  const begin = decodeSample(head.subarray(0, 64), 'utf-8', false);
  const found = isPlain && !begin.startsWith('<') ? null : textKind(begin);
  return found === null ? null : { name: found, advice: AS_TEXT };
}

/** The document of another program that a zip is, such as a Word document; null if it is none that is known. */
export async function otherDocument(head: Uint8Array): Promise<OtherKind | null> {
  const type = await fileTypeOf(head);
  const known = type && type.ext !== 'zip' ? KINDS[type.ext] : undefined;
  return known ? { name: known[0], advice: known[1] } : null;
}
