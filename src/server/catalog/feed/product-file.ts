import type { FeedSettings } from '#server/catalog/feed-table.ts';
import { firstBytes, texts } from '#server/readers/bytes.ts';
import { csvShape } from '#core/readers/csv.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import { textKind } from '#core/readers/signature.ts';
import { ColumnReader, type ColumnPlace } from './product-columns.ts';
import { ElementReader, type ElementPlace } from './product-elements.ts';
import { IgnoredNames, type ProductRow } from './product-row.ts';
import { MAX_ROW } from '#core/readers/csv-reader.ts';
import { peek, type ReadOptions, type Stretch } from '#server/readers/stretch.ts';

/** The declared format of a feed. */
export type FeedFormat = FeedSettings['feed_format'];

/** Bounds of a feed, however it is compressed. */
export interface FeedBounds {
  readonly bytes: number;
  readonly rows: number;
}

/** The specification's 8 GB, and more rows than products fit into them. */
export const FEED_BOUNDS: FeedBounds = { bytes: 8 * 2 ** 30, rows: 50_000_000 };

/** The declarations of the host about a feed. */
export interface Declared {
  readonly format: FeedFormat;
  /** Of its Content-Type; null if it has none. */
  readonly charset: string | null;
}

/** A place between two blocks of a feed, from which its rows can be read on; JSON. */
export interface FeedPlace {
  /** Rows before it. */
  readonly rows: number;
  /** Unpacked bytes before it. */
  readonly bytes: number;
  readonly reader: ColumnPlace | ElementPlace;
  readonly ignored: readonly string[];
}

/** A block of a feed. */
export interface FeedBlock {
  readonly rows: readonly ProductRow[];
  /** Bytes of the file on the disk up to its end. */
  readonly bytes: number;
  /** The place after it; null if reading cannot continue there, as in encodings other than UTF-8. */
  readonly place: FeedPlace | null;
}

/** A feed that is read from beginning to end. */
export interface ProductFile {
  /** Bytes on the disk. */
  readonly size: number;
  /** Names of columns or elements that are no attributes, of what was read so far. */
  readonly ignored: IgnoredNames;
  /**
   * The rows of the file, or those after a place of it.
   *
   * @throws {@link FeedError} where the file cannot be read on; the signal's reason if it aborts.
   */
  rows(signal: AbortSignal, from?: FeedPlace | null): AsyncGenerator<FeedBlock>;
}

const GZIP_MAGIC = 0x1f8b;

/** The encoding of a declaration (XML 1.0, section 4.3.3). */
const DECLARED = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/;

/** The standard name of an encoding. @throws {@link FeedError} `unknown-kind` for one that is not known. */
function encodingNamed(file: string, label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    const why = `is in the encoding "${shown(label)}", which is not known.`;
    throw new FeedError('unknown-kind', file, why, { cause: error });
  }
}

/**
 * The encoding of a file: by its byte-order mark, by the host, by its XML declaration, else UTF-8 (RFC 7303, section 3).
 */
function encodingOf(file: string, head: Buffer, charset: string | null): string {
  const begin = head.toString('latin1', 0, 4);
  // The reader knows marks.
  if (/^(?:\xff\xfe|\xfe\xff|\xef\xbb\xbf)/.test(begin)) return 'utf-8';
  if (charset !== null) return encodingNamed(file, charset);
  if (begin === '<\0?\0') return 'utf-16le';
  if (begin === '\0<\0?') return 'utf-16be';
  const [, declared] = DECLARED.exec(head.toString('latin1')) ?? [];
  if (declared === undefined) return 'utf-8';
  const named = encodingNamed(file, declared);
  // A text that can be read byte by byte is not UTF-16, whatever it says.
  return named.startsWith('utf-16') ? 'utf-8' : named;
}

/** A page, perhaps after a declaration and comments. */
const HTML = /^(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b/is;

/** The kind of a file, by the beginning of its text; null if that could be any table. */
function kindOf(head: string): string | null {
  const text = head.trimStart();
  if (HTML.test(text.slice(0, 2000))) return 'HTML';
  if (text.startsWith('<')) return 'XML';
  if (/^[[{]/.test(text)) return 'JSON';
  const content = textKind(head);
  if (content !== null) return content;
  const line = text.split(/[\r\n]/, 1)[0] ?? '';
  if (line.includes('\0')) return 'not text';
  if (!/[,;\t]/.test(line)) return null;
  return csvShape(head).delimiter === '\t' ? 'TSV' : 'CSV';
}

/** @throws {@link FeedError} `unknown-kind` unless the text is of the declared format. */
function checkFormat(file: string, head: string, format: FeedFormat): void {
  const kind = kindOf(head) ?? (format === 'XML' ? 'not XML' : format);
  if (kind === format) return;
  const why = `is declared as ${format}, but the file is ${kind}.`;
  throw new FeedError('unknown-kind', file, why);
}

/** @throws {@link FeedError} if the file cannot be read at all; damage further on is found again with the rows. */
async function beginning(stretch: Stretch, encoding: string): Promise<string> {
  let head = '';
  try {
    for await (const text of texts(stretch, { encoding })) {
      head += text;
      if (head.length >= MAX_ROW) break;
    }
  } catch (error) {
    if (!(error instanceof FeedError) || head === '') throw error;
  }
  return head;
}

/**
 * Opens a feed of products, plain or gzipped.
 *
 * @throws {@link FeedError} `empty`; `unknown-kind` if it is not what it is declared as, or of an unknown encoding; and if
 *   it cannot be read.
 */
export async function openProductFile(
  path: string,
  { format, charset }: Declared,
  { bytes, rows: most }: FeedBounds,
): Promise<ProductFile> {
  const { size, head } = peek(path, 4);
  if (size === 0) throw new FeedError('empty', path, 'is empty.');
  if (head.toString('latin1').startsWith('PK')) {
    const why = `is declared as ${format}, but the file is a zip archive.`;
    throw new FeedError('unknown-kind', path, why);
  }
  const isGzip = head.length >= 2 && head.readUInt16BE(0) === GZIP_MAGIC;
  const packing = isGzip ? 'gzip' : 'plain';
  const stretch = { path, file: path, packing, start: 0, length: size } as const;
  const encoding = encodingOf(path, await firstBytes(stretch, 256), charset);
  const begin = await beginning(stretch, encoding);
  if (begin.trim() === '') throw new FeedError('empty', path, 'is empty.');
  checkFormat(path, begin, format);
  const ignored = new IgnoredNames();
  return {
    size,
    ignored,
    rows: async function* (signal, from = null) {
      ignored.addAll(from?.ignored ?? []);
      const reader =
        format === 'XML'
          ? new ElementReader(path, ignored, from?.reader as ElementPlace | undefined)
          : new ColumnReader(
              path,
              csvShape(begin),
              ignored,
              from?.reader as ColumnPlace | undefined,
            );
      let [count, taken] = [from?.rows ?? 0, 0];
      let decoded: number | null = null;
      const blockOf = (rows: ProductRow[], place: FeedPlace['reader'] | null): FeedBlock => {
        count += rows.length;
        if (count > most) throw new FeedError('damaged', path, `has more than ${most} rows.`);
        if (decoded === null || place === null) return { rows, bytes: taken, place: null };
        const at = { rows: count, bytes: decoded, reader: place, ignored: ignored.names };
        return { rows, bytes: taken, place: at };
      };
      const how: ReadOptions = {
        signal,
        encoding,
        mostBytes: bytes,
        from: from?.bytes ?? 0,
        onBytes: (at) => (taken = at),
        onText: (at) => (decoded = at),
      };
      for await (const text of texts(stretch, how)) {
        const rows = reader.push(text);
        yield blockOf(rows, reader.place);
      }
      yield blockOf(reader.end(), null);
      if (reader instanceof ColumnReader) reader.checkEnd();
    },
  };
}
