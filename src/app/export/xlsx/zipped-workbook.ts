import { Zip, ZipPassThrough, type ZipInputFile } from 'fflate';
import { utf8 } from '#core/export/bytes.ts';
import type { CsvBlock } from '#core/export/csv.ts';
import type { SharedTexts } from './sheet-rows.ts';
import {
  contentTypes,
  RELATIONS,
  workbookXml,
  workbookRelations,
  STYLES,
} from './package-parts.ts';

/**
 * Identifies the file by its first bytes: an extra field of the first entry, which readers of zips skip.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.5
 */
export const WORKBOOK_MARK = { id: 0x5747, text: 'groundswell:counts' } as const;

/** Constant, so that the same data gives the same bytes. Zip has no zones: local noon is the same text everywhere. */
export const WRITTEN_AT = new Date(1980, 0, 1, 12);

/** Compresses blocks. @param see - Called with each block before it is compressed. */
function deflated(
  blocks: Iterator<CsvBlock>,
  see: (block: CsvBlock) => void,
): ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (to) => {
      const next = blocks.next();
      if (next.done) return to.close();
      see(next.value);
      // The writer fills its block again before this one is compressed.
      to.enqueue(next.value.bytes.slice());
    },
  });
  // Not by fflate, whose streaming compression can write invalid distances.
  // https://github.com/101arrowz/fflate/issues/260
  return source.pipeThrough(new CompressionStream('deflate-raw')).getReader();
}

/** A sheet or another part of a workbook. */
export type NamedSheet = readonly [name: string, blocks: () => Iterator<CsvBlock>];

/** A part that is one text. */
export const textBlock = (text: string): Iterator<CsvBlock> =>
  [{ bytes: utf8(text) as Uint8Array<ArrayBuffer>, rows: 0 }].values();

/** @param mark - Identifies the file, see {@link WORKBOOK_MARK}; null for one that is not opened here. */
export async function* workbookBlocks(
  texts: SharedTexts,
  mark: string | null,
  sheets: readonly NamedSheet[],
): AsyncGenerator<CsvBlock> {
  let pending: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    pending.push(chunk as Uint8Array<ArrayBuffer>);
  });
  const names = sheets.map(([name]) => name);
  const parts: readonly NamedSheet[] = [
    ['[Content_Types].xml', () => textBlock(contentTypes(names))],
    ['_rels/.rels', () => textBlock(RELATIONS)],
    ['xl/workbook.xml', () => textBlock(workbookXml(names))],
    ['xl/_rels/workbook.xml.rels', () => textBlock(workbookRelations(names))],
    ['xl/styles.xml', () => textBlock(STYLES)],
    ...sheets.map(([, blocks], i) => [`xl/worksheets/sheet${i + 1}.xml`, blocks] as const),
    // The last one, because it has the texts of the sheets.
    ['xl/sharedStrings.xml', () => textBlock(texts.xml())],
  ];
  for (const [i, [filename, blocks]] of parts.entries()) {
    const sum = new ZipPassThrough('');
    sum.ondata = () => undefined;
    const entry: ZipInputFile = { filename, size: 0, crc: 0, compression: 8, mtime: WRITTEN_AT };
    if (i === 0 && mark !== null) entry.extra = { [WORKBOOK_MARK.id]: utf8(mark) };
    zip.add(entry);
    const reader = deflated(blocks(), ({ bytes, rows }) => {
      sum.push(bytes);
      entry.size = (entry.size ?? 0) + bytes.length;
      done = Math.max(done, rows);
    });
    for (;;) {
      const { done: ended, value } = await reader.read();
      if (ended) break;
      entry.ondata?.(null, value, false);
      if (pending.length < 64) continue;
      for (const bytes of pending) yield { bytes, rows: done };
      pending = [];
    }
    sum.push(new Uint8Array(), true);
    entry.crc = sum.crc;
    entry.ondata?.(null, new Uint8Array(), true);
  }
  zip.end();
  for (const bytes of pending) yield { bytes, rows: done };
}
