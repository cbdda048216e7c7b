import { zipSync, type Zippable } from 'fflate';
import { bytesIn, utf8 } from '#core/export/bytes.ts';
import type { CsvBlock } from '#core/export/csv.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import { escaped } from './markup.ts';
import { xlsxBlocks } from './xlsx.ts';
import type { Deck } from '#app/export/pptx/deck.ts';
import { PART_TYPE, relationsXml, NAMESPACES, emu, NO_GROUP } from '#app/export/pptx/drawing.ts';
import {
  NOTES_PAGE,
  themeXml,
  masterXml,
  holderXml,
  notesMasterXml,
} from '#app/export/pptx/master-xml.ts';
import { slideXml, notesXml } from '#app/export/pptx/slide-xml.ts';
import { chartXml } from '#app/export/pptx/chart-xml.ts';
import { PACKAGE, XML } from '#app/export/xlsx/package-parts.ts';
import { WRITTEN_AT } from '#app/export/xlsx/zipped-workbook.ts';
import type { XlsxJob } from '#app/export/xlsx/counts-sheet.ts';

/** A presentation to write, with the counts behind its chart. */
export interface PptxJob extends Omit<XlsxJob, 'form' | 'shape'> {
  readonly form: 'pptx';
  readonly deck: Deck;
}

/** Parts by the end of their content type. */
const PARTS = {
  'ppt/presentation.xml': 'presentationml.presentation.main',
  'ppt/slideMasters/slideMaster1.xml': 'presentationml.slideMaster',
  'ppt/slideLayouts/slideLayout1.xml': 'presentationml.slideLayout',
  'ppt/slides/slide1.xml': 'presentationml.slide',
  'ppt/notesMasters/notesMaster1.xml': 'presentationml.notesMaster',
  'ppt/notesSlides/notesSlide1.xml': 'presentationml.notesSlide',
  'ppt/theme/theme1.xml': 'theme',
  'ppt/theme/theme2.xml': 'theme',
  'ppt/charts/chart1.xml': 'drawingml.chart',
} as const;
/** Parts with figures. */
export const PPTX_PARTS = {
  chart: 'ppt/charts/chart1.xml',
  notes: 'ppt/notesSlides/notesSlide1.xml',
} as const;
/** The workbook behind the chart. */
export const DATA_SHEET = 'ppt/embeddings/Microsoft_Excel_Sheet1.xlsx';

function partsOf(deck: Deck): Readonly<Record<string, string>> {
  const { width, height, base, accents, title, at } = deck;
  const types = Object.entries(PARTS).map(
    ([name, type]) => `<Override PartName="/${name}" ContentType="${PART_TYPE}.${type}+xml"/>`,
  );
  const paper = { ink: '#17181c', quiet: '#6b6e78', hairline: '#e7e7ea', ground: '#ffffff' };
  const written = new Date(at).toISOString().slice(0, 19);
  return {
    '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="xlsx" ContentType="${PART_TYPE}.spreadsheetml.sheet"/>${types.join('')}<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
    '_rels/.rels': relationsXml(
      ['officeDocument', 'ppt/presentation.xml'],
      [`${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'],
    ),
    'docProps/core.xml': `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${escaped(title.said)}</dc:title><dc:creator>Groundswell</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${written}Z</dcterms:created></cp:coreProperties>`,
    'ppt/presentation.xml': `${XML}<p:presentation ${NAMESPACES}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="rId2"/></p:notesMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="rId3"/></p:sldIdLst><p:sldSz cx="${emu(width)}" cy="${emu(height)}"/><p:notesSz cx="${emu(NOTES_PAGE.width)}" cy="${emu(NOTES_PAGE.height)}"/></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationsXml(
      ['slideMaster', 'slideMasters/slideMaster1.xml'],
      ['notesMaster', 'notesMasters/notesMaster1.xml'],
      ['slide', 'slides/slide1.xml'],
      ['theme', 'theme/theme1.xml'],
    ),
    'ppt/theme/theme1.xml': themeXml(base, accents),
    'ppt/theme/theme2.xml': themeXml(paper, accents),
    'ppt/slideMasters/slideMaster1.xml': masterXml(deck),
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relationsXml(
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      ['theme', '../theme/theme1.xml'],
    ),
    'ppt/slideLayouts/slideLayout1.xml': `${XML}<p:sldLayout ${NAMESPACES} type="titleOnly"><p:cSld name="Title only"><p:spTree>${NO_GROUP}${holderXml(2, 'title', title)}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>`,
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationsXml([
      'slideMaster',
      '../slideMasters/slideMaster1.xml',
    ]),
    'ppt/slides/slide1.xml': slideXml(deck),
    'ppt/slides/_rels/slide1.xml.rels': relationsXml(
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      ['chart', '../charts/chart1.xml'],
      ['notesSlide', '../notesSlides/notesSlide1.xml'],
    ),
    'ppt/notesMasters/notesMaster1.xml': notesMasterXml(deck),
    'ppt/notesMasters/_rels/notesMaster1.xml.rels': relationsXml(['theme', '../theme/theme2.xml']),
    'ppt/notesSlides/notesSlide1.xml': notesXml(deck),
    'ppt/notesSlides/_rels/notesSlide1.xml.rels': relationsXml(
      ['notesMaster', '../notesMasters/notesMaster1.xml'],
      ['slide', '../slides/slide1.xml'],
    ),
    'ppt/charts/chart1.xml': chartXml(deck),
    'ppt/charts/_rels/chart1.xml.rels': relationsXml(['package', `../${DATA_SHEET.slice(4)}`]),
  };
}

/**
 * Writes a presentation of one slide in blocks. The same job gives the same bytes.
 *
 * @param table - Offsets of the view's zone, over all of `job.bounds`.
 * @throws {RangeError} as {@link xlsxBlocks}.
 */
export async function* pptxBlocks(job: PptxJob, table: ZoneTable): AsyncGenerator<CsvBlock> {
  const { deck } = job;
  const sheets = deck.drawn ? [deck.drawn] : [];
  const book = { ...job, form: 'xlsx', shape: 'wide', moment: job.timed } as const;
  const packed = await bytesIn(xlsxBlocks(book, table, sheets));
  const options = { mtime: WRITTEN_AT };
  const files: Zippable = {};
  for (const [name, xml] of Object.entries(partsOf(deck))) files[name] = [utf8(xml), options];
  // It is compressed already.
  files[DATA_SHEET] = [packed, { ...options, level: 0 }];
  yield { bytes: zipSync(files) as Uint8Array<ArrayBuffer>, rows: job.bounds.length - 1 };
}
