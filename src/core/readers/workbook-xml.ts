import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FeedError } from './error.ts';

/** Opens a part of a workbook, such as `xl/workbook.xml`, as blocks of text; null if it has no such part. */
export type OpenPart = (name: string) => Promise<AsyncIterable<string> | null>;

/** An element without its namespace: some writers give every element a prefix. */
function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** The value of an attribute of a tag; undefined without it. */
export function xmlAttribute({ attributes }: SaxesTagPlain, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' ? value : undefined;
}

interface Handlers {
  readonly open: (name: string, tag: SaxesTagPlain) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Parses a part block by block, pausing after each, so that rows can be passed on. */
export async function* parsedXml(
  file: string,
  blocks: AsyncIterable<string>,
  { open, close, text }: Handlers,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', (error) => {
    throw new FeedError('damaged', file, `is damaged: its XML cannot be read (${error.message}).`);
  });
  parser.on('opentag', (tag) => open(localName(tag.name), tag));
  if (close) parser.on('closetag', (tag) => close(localName(tag.name)));
  if (text) parser.on('text', text);
  for await (const block of blocks) {
    parser.write(block);
    yield;
  }
  parser.close();
}

/** Reads a whole part. */
export async function parseXml(
  file: string,
  blocks: AsyncIterable<string> | null,
  handlers: Handlers,
): Promise<void> {
  if (!blocks) return;
  const passes = parsedXml(file, blocks, handlers);
  while (!(await passes.next()).done);
}

/** Characters that a workbook writes as `_x000D_` and the like (ECMA-376 part 1, 22.9.2.19). */
export function unescapedText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
