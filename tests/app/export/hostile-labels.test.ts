import { unzipSync } from 'fflate';
import { readXlsx } from 'hucre/xlsx';
import { parse } from 'papaparse';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { deckOf } from '#app/export/pptx-slide.ts';
import { pptxBlocks } from '#app/export/pptx.ts';
import { slideOf } from '#app/export/slide.ts';
import { xlsxBlocks } from '#app/export/xlsx.ts';
import { bytesIn } from '#core/export/bytes.ts';
import { csvBlocks, uniqueLabels } from '#core/export/csv.ts';
import { jsonBlocks } from '#core/export/json.ts';
import { HOSTILE_LABELS } from '#tests/support/data/hostile-labels.ts';
import { slide, SLIDE_START } from '#tests/support/data/slides.ts';
import { plainText } from '#core/export/csv-text.ts';

/** A label without what XML cannot contain, and without spaces, which a line may end at. */
const seen = (text: string): string =>
  text.replaceAll(/[\p{Surrogate}\p{Cc}\s\uFFFD-\uFFFF]/gu, '');

/** The texts, elements and attributes of a document. @throws If it is not well-formed. */
function parsed(xml: string) {
  const found = { text: '', elements: new Set<string>(), attributes: new Map<string, string[]>() };
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    found.elements.add(name);
    for (const [key, value] of Object.entries(attributes)) {
      found.attributes.set(key, [...(found.attributes.get(key) ?? []), String(value)]);
    }
  });
  parser.on('text', (text) => (found.text += text));
  parser.write(xml).close();
  return found;
}

/** The content of files by their names, as far as it is XML. */
function documentsIn(bytes: Uint8Array): Map<string, ReturnType<typeof parsed>> {
  const files = Object.entries(unzipSync(bytes)).filter(([name]) => /\.(?:xml|rels)$/.test(name));
  return new Map(files.map(([name, part]) => [name, parsed(new TextDecoder().decode(part))]));
}

describe.each(Object.entries(HOSTILE_LABELS))('a label with %s', (_, label) => {
  const input = slide({ names: [label], title: label });
  const { table } = input.shown.view;
  const [first] = input.shown.data.series;
  if (!first) throw new Error('expected a series');
  const { bounds, counts, states, fetchedAt } = first.curve;
  const series = [{ query: label, label, source: 'sample', counts, states, fetchedAt }];
  const book = { bounds, series, timed: false };
  const [name = ''] = uniqueLabels([label]);

  it.each(['wide', 'long'] as const)('is one cell of a %s CSV, and no formula', (form) => {
    const blocks = csvBlocks({ ...book, form, separator: ',', mark: false }, table);
    const text = new TextDecoder().decode(
      Buffer.concat(Array.from(blocks, ({ bytes }) => bytes.slice())),
    );
    const { data, errors } = parse<string[]>(text, { newline: '\r\n', skipEmptyLines: true });
    expect(errors).toEqual([]);
    expect(new Set(data.map(({ length }) => length)).size).toBe(1);
    const cells = data[form === 'wide' ? 0 : 1] ?? [];
    expect(cells.map(plainText)).toContain(name);
    for (const cell of cells) expect(cell).not.toMatch(/^[\p{Z}\p{C}]*[=+\-@\uFF1D]/u);
  });

  it('is a text of a JSON file', () => {
    const job = { form: 'json', ...book, zone: 'UTC', resolution: 'day' } as const;
    const parts = Array.from(jsonBlocks(job, table), ({ bytes }) => bytes.slice());
    const { series } = JSON.parse(new TextDecoder().decode(Buffer.concat(parts)));
    expect(series[0].label).toBe(label);
  });

  it('is a text of a picture', () => {
    const { text, elements, attributes } = parsed(slideOf(input, null).svg);
    expect(seen(text)).toContain(seen(label));
    for (const element of elements) expect(element).not.toMatch(/script|foreign|image|^a$|iframe/i);
    for (const [attribute, values] of attributes) {
      expect(attribute).not.toMatch(/^on/i);
      if (attribute.endsWith('href')) for (const value of values) expect(value).toMatch(/^#/);
    }
  });

  it('is a text of a workbook', async () => {
    const job = { form: 'xlsx', shape: 'wide', ...book, method: [], events: [] } as const;
    const bytes = await bytesIn(xlsxBlocks(job, table));
    const { sheets } = await readXlsx(bytes);
    const texts = sheets.flatMap(({ rows }) => rows.flat().map(String));
    expect(texts.map(seen)).toContain(seen(label));
    for (const [file, { elements, attributes }] of documentsIn(bytes)) {
      if (file.includes('worksheets')) expect(elements.has('f')).toBe(false);
      expect(attributes.has('TargetMode')).toBe(false);
    }
  });

  it('is a text of a presentation', async () => {
    const deck = deckOf(input, book, [label], SLIDE_START);
    const job = { form: 'pptx', ...book, method: [], events: [], deck } as const;
    const documents = documentsIn(await bytesIn(pptxBlocks(job, table)));
    expect(seen(documents.get('ppt/slides/slide1.xml')?.text ?? '')).toContain(seen(label));
    expect(seen(documents.get('ppt/charts/chart1.xml')?.text ?? '')).toContain(seen(label));
    for (const { elements, attributes } of documents.values()) {
      expect(attributes.has('TargetMode')).toBe(false);
      expect(elements.has('a:hlinkClick')).toBe(false);
    }
  });
});
