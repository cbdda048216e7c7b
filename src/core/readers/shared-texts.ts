import { FeedError } from './error.ts';
import { type OpenPart, parsedXml, unescapedText } from './workbook-xml.ts';

/** Maximum number of characters that cells share: half a million Posts; they are in memory at once. */
const MAX_SHARED = 64 * 1024 * 1024;

/**
 * Reads the texts that cells share.
 *
 * @param most - Number of texts that are needed.
 * @throws {@link FeedError} `unreadable` beyond {@link MAX_SHARED} characters, `damaged`.
 */
export async function sharedTexts(file: string, open: OpenPart, most: number): Promise<string[]> {
  const texts: string[] = [];
  const blocks = most === 0 ? null : await open('xl/sharedStrings.xml');
  if (!blocks) return texts;
  let characters = 0;
  let current = '';
  let inText = false;
  // Japanese readings of a text are next to it, and no part of it.
  let inReading = false;
  const passes = parsedXml(file, blocks, {
    open: (name) => {
      if (name === 'si') current = '';
      else if (name === 'rPh') inReading = true;
      else if (name === 't') inText = !inReading;
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'rPh') inReading = false;
      else if (name === 'si') {
        characters += current.length;
        if (characters > MAX_SHARED) {
          const why = `has more than ${MAX_SHARED} characters of text; save the sheet as CSV (UTF-8).`;
          throw new FeedError('unreadable', file, why);
        }
        texts.push(unescapedText(current));
      }
    },
    text: (text) => {
      if (inText) current += text;
    },
  });
  for await (const _ of passes) if (texts.length >= most) break;
  return texts;
}
