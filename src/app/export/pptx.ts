import { zipSync, type Zippable } from 'fflate';
import type { BaseColours } from '#app/chart/draw/option.ts';
import { textWidth } from '#app/chart/draw/text-width.ts';
import { bytesIn, decimal, utf8 } from '#core/export/bytes.ts';
import type { CsvBlock } from '#core/export/csv.ts';
import type { LeadingDatePart } from '#core/format/date-text.ts';
import type { Unit } from '#core/series/formula.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import { escaped } from './markup.ts';
import { SMALL_PX, type Shape } from './shapes.ts';
import {
  EPOCH_DAYS,
  letters,
  OFFICE,
  PACKAGE,
  serialDay,
  WRITTEN_AT,
  XML,
  xlsxBlocks,
  type PlainSheet,
  type XlsxJob,
} from './xlsx.ts';

/*
 * A presentation of one slide with a chart that can be edited, and the workbook behind it. Written as parts of XML
 * straight into a zip, in the order of elements that the schema demands.
 * https://ecma-international.org/publications-and-standards/standards/ecma-376/
 *
 * Not by pptxgenjs 4.0.1: its workbooks leave the cell of a count of zero empty, as if it were unknown, and have dates as
 * texts; its notes are one paragraph; and two files with the same data differ.
 */

/** A line, bar or area of a chart. */
export interface DeckSeries {
  /** The heading of its column. */
  readonly name: string;
  /** NaN is a gap. */
  readonly values: readonly number[];
  readonly colour: string;
  readonly dash: readonly number[];
  readonly thin: boolean;
  /** True if it is a line on the right axis. */
  readonly right: boolean;
  readonly labels: readonly { readonly i: number; readonly text: string }[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DeckChart {
  /** For those who do not see it. */
  readonly description: string;
  readonly box: Box;
  /** The place inside the axes, on the slide. */
  readonly plot: Box;
  readonly kind: 'line' | 'area' | 'bar';
  readonly grouping: 'standard' | 'clustered' | 'stacked' | 'percentStacked';
  /** True if bars touch each other. */
  readonly full: boolean;
  readonly share: boolean;
  readonly log: boolean;
  /** Of its axes; null for no right one. */
  readonly unit: { readonly left: Unit; readonly right: Unit | null };
  readonly legend: boolean;
  /** The sheet with its values. */
  readonly sheet: string;
  readonly resolution: Resolution;
  readonly order: LeadingDatePart;
  /** True if the sheet has times after its dates, and both in one cell after these. */
  readonly timed: boolean;
  /** Wall times of its points, ms as if they were UTC. */
  readonly walls: readonly number[];
  /** True for unfinished points. */
  readonly open: readonly boolean[];
  readonly series: readonly DeckSeries[];
}

/** A slide; positions in px, which are points. */
export interface Deck {
  readonly width: number;
  readonly height: number;
  readonly base: BaseColours;
  /** Colours of series. */
  readonly accents: readonly string[];
  readonly title: { readonly said: string; readonly size: number } & Box;
  readonly shapes: readonly Shape[];
  readonly chart: DeckChart;
  /** The values of the chart, if these are not the counts. */
  readonly drawn: PlainSheet | null;
  /** Paragraphs of the speaker's notes. */
  readonly notes: readonly string[];
  /** The time of writing, epoch ms. */
  readonly at: number;
}

/** A presentation to write, with the counts behind its chart. */
export interface PptxJob extends Omit<XlsxJob, 'form' | 'shape'> {
  readonly form: 'pptx';
  readonly deck: Deck;
}

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const SHOW = 'http://schemas.openxmlformats.org/presentationml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument';
const SPACES = `xmlns:a="${DRAWING}/main" xmlns:r="${OFFICE}" xmlns:p="${SHOW}"`;
/** English Metric Units in a point. */
const EMU = 12_700;
const LINE_PX = { thin: 1, thick: 2 };
const AXIS_PX = 11.5;
/** Width of a label on the axis of time, px. */
const LABEL_PX = 76;

const emu = (px: number): number => Math.round(px * EMU);
const fill = (colour: string, opacity = 1): string =>
  `<a:solidFill><a:srgbClr val="${colour.slice(1).toUpperCase()}">${opacity < 1 ? `<a:alpha val="${Math.round(opacity * 100_000)}"/>` : ''}</a:srgbClr></a:solidFill>`;
const place = ({ x, y, width, height }: Box, of = 'a'): string =>
  `<${of}:xfrm><a:off x="${emu(x)}" y="${emu(y)}"/><a:ext cx="${emu(width)}" cy="${emu(height)}"/></${of}:xfrm>`;
const stroke = (colour: string, width: number, dash: readonly number[] = []): string => {
  const pairs = dash.flatMap((on, i) => (i % 2 === 0 ? [[on, dash[i + 1] ?? on] as const] : []));
  const parts = pairs.map(
    ([on, off]) =>
      `<a:ds d="${Math.round((on / width) * 100_000)}" sp="${Math.round((off / width) * 100_000)}"/>`,
  );
  const pattern = parts.length > 0 ? `<a:custDash>${parts.join('')}</a:custDash>` : '';
  return `<a:ln w="${emu(width)}" cap="${pattern ? 'flat' : 'rnd'}">${fill(colour)}${pattern}<a:round/></a:ln>`;
};
const run = (said: string, size: number, colour: string, bold = false): string =>
  `<a:r><a:rPr lang="en-GB" sz="${Math.round(size * 100)}"${bold ? ' b="1"' : ''} dirty="0">${fill(colour)}</a:rPr><a:t>${escaped(said)}</a:t></a:r>`;
/** Properties of the texts of a chart. */
const texts = (size: number, colour: string, bold = false): string =>
  `<c:txPr><a:bodyPr rot="-60000000" vert="horz"/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="${Math.round(size * 100)}" b="${bold ? 1 : 0}">${fill(colour)}</a:defRPr></a:pPr><a:endParaRPr lang="en-GB"/></a:p></c:txPr>`;

/** The columns of the instants of points and of the first series in a sheet. */
const columnsOf = ({ timed }: DeckChart) => (timed ? { at: 2, first: 3 } : { at: 0, first: 1 });

/** Lines over hours and minutes have an axis of numbers: one of dates has no part of a day. */
type Kind = DeckChart['kind'] | 'scatter';

const serialOf = (wall: number, timed: boolean): string =>
  timed ? decimal(wall / DAY_MS + EPOCH_DAYS) : String(serialDay(wall));

function categories(chart: DeckChart, of: 'cat' | 'xVal'): string {
  const { sheet, timed, walls } = chart;
  const column = letters(columnsOf(chart).at);
  const points = walls.map(
    (wall, i) => `<c:pt idx="${i}"><c:v>${serialOf(wall, timed)}</c:v></c:pt>`,
  );
  return `<c:${of}><c:numRef><c:f>${sheet}!$${column}$2:$${column}$${walls.length + 1}</c:f><c:numCache><c:formatCode>yyyy\\-mm\\-dd${timed ? '\\ hh:mm' : ''}</c:formatCode><c:ptCount val="${walls.length}"/>${points.join('')}</c:numCache></c:numRef></c:${of}>`;
}

function seriesXml(deck: Deck, kind: Kind, series: DeckSeries): string {
  const isLine = kind === 'line' || kind === 'scatter';
  const { chart } = deck;
  const { sheet, open } = chart;
  const { name, values, colour, dash, thin, labels } = series;
  const i = chart.series.indexOf(series);
  const column = letters(columnsOf(chart).first + i);
  const width = thin ? LINE_PX.thin : LINE_PX.thick;
  const line = stroke(colour, width, dash);
  const look = isLine
    ? line
    : kind === 'bar'
      ? fill(colour)
      : `${fill(colour, chart.grouping === 'standard' ? 0.18 : 1)}${chart.grouping === 'standard' ? line : ''}`;
  const dotted =
    kind === 'bar' ? `<a:noFill/>${stroke(colour, 1, [2, 2])}` : stroke(colour, width, [1, 2]);
  const unfinished = open.flatMap((isOpen, at) =>
    isOpen && kind !== 'area' && !Number.isNaN(values[at])
      ? [
          `<c:dPt><c:idx val="${at}"/>${kind === 'bar' ? '<c:invertIfNegative val="0"/>' : '<c:marker><c:symbol val="none"/></c:marker>'}<c:bubble3D val="0"/><c:spPr>${dotted}</c:spPr></c:dPt>`,
        ]
      : [],
  );
  const shown = (value: 0 | 1): string =>
    `<c:showLegendKey val="0"/><c:showVal val="${value}"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/>`;
  const labelled = [...labels]
    .sort((a, b) => a.i - b.i)
    .map(
      ({ i: at, text }) =>
        `<c:dLbl><c:idx val="${at}"/><c:tx><c:rich><a:bodyPr/><a:p>${run(text, AXIS_PX, deck.base.ink, true)}</a:p></c:rich></c:tx>${isLine ? '<c:dLblPos val="t"/>' : ''}${shown(1)}</c:dLbl>`,
    );
  const points = values.flatMap((value, at) =>
    Number.isNaN(value) ? [] : [`<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`],
  );
  return [
    `<c:ser><c:idx val="${i}"/><c:order val="${i}"/>`,
    `<c:tx><c:strRef><c:f>${sheet}!$${column}$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>${escaped(name)}</c:v></c:pt></c:strCache></c:strRef></c:tx>`,
    `<c:spPr>${look}</c:spPr>`,
    isLine ? '<c:marker><c:symbol val="none"/></c:marker>' : '',
    kind === 'bar' ? '<c:invertIfNegative val="0"/>' : '',
    ...unfinished,
    labelled.length > 0 ? `<c:dLbls>${labelled.join('')}${shown(0)}</c:dLbls>` : '',
    categories(chart, kind === 'scatter' ? 'xVal' : 'cat'),
    `<c:${kind === 'scatter' ? 'yVal' : 'val'}><c:numRef><c:f>${sheet}!$${column}$2:$${column}$${values.length + 1}</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="${values.length}"/>${points.join('')}</c:numCache></c:numRef></c:${kind === 'scatter' ? 'yVal' : 'val'}>`,
    isLine ? '<c:smooth val="0"/>' : '',
    '</c:ser>',
  ].join('');
}

/** Distances of labels on an axis of dates. */
const DATES = [
  ...[1, 2, 7, 14].map((every) => ({ unit: 'days', every, days: every }) as const),
  ...[1, 3, 6].map((every) => ({ unit: 'months', every, days: 30.4 * every }) as const),
  ...[1, 2, 5, 10].map((every) => ({ unit: 'years', every, days: 365 * every }) as const),
];
/** Distances of labels in points, by the length of these. */
const SKIPS: Readonly<Record<Resolution, readonly number[]>> = {
  minute: [1, 5, 15, 30, 60, 180, 360, 720, 1440, 2880],
  hour: [1, 3, 6, 12, 24, 48, 72, 168, 336],
  day: [1, 2, 7, 14, 28, 91, 182, 364],
  week: [1, 2, 4, 13, 26, 52],
  month: [1, 3, 6, 12, 24, 60],
  quarter: [1, 2, 4, 8, 20],
  year: [1, 2, 5, 10],
};

/** Units of an axis of dates, by the length of the bars on it. */
const BAR_UNITS: Readonly<Partial<Record<Resolution, string>>> = {
  day: 'days',
  month: 'months',
  year: 'years',
};

/** Numbers of the axes: of categories and of values, on the left and on the right. */
const AXES = { left: [1, 2], right: [3, 4] } as const;

function timeAxis(deck: Deck, isRight: boolean): string {
  const { chart, base } = deck;
  const { walls, timed, order, kind, plot, resolution } = chart;
  const [id, crossed] = isRight ? AXES.right : AXES.left;
  const most = Math.max(1, plot.width / LABEL_PX);
  const days = ((walls.at(-1) ?? 0) - (walls[0] ?? 0)) / DAY_MS;
  const step = DATES.find(({ days: each }) => days / each <= most) ?? DATES.at(-1)!;
  const skip =
    SKIPS[resolution].find((each) => walls.length / each <= most) ?? Math.ceil(walls.length / most);
  // A bar on an axis of dates is as wide as the axis' unit.
  const unit = kind === 'bar' ? BAR_UNITS[resolution] : 'days';
  const dayFormat = order === 'day' ? 'd mmm' : order === 'month' ? 'mmm d' : 'yyyy\\-mm\\-dd';
  const isDated = unit !== undefined && !timed;
  const far = isDated ? step.unit : 'days';
  const format =
    resolution === 'year' || far === 'years'
      ? 'yyyy'
      : far === 'months' || resolution === 'month' || resolution === 'quarter'
        ? 'mmm yyyy'
        : `${dayFormat}${timed && (walls[skip] ?? 0) - (walls[0] ?? 0) < DAY_MS ? '\\ hh:mm' : ''}`;
  const isScatter = timed && kind === 'line';
  const kindOf = isDated ? 'dateAx' : isScatter ? 'valAx' : 'catAx';
  const ends = `<c:max val="${serialOf(walls.at(-1) ?? 0, true)}"/><c:min val="${serialOf(walls[0] ?? 0, true)}"/>`;
  const every = decimal(((walls[skip] ?? walls.at(-1) ?? 0) - (walls[0] ?? 0)) / DAY_MS);
  return [
    `<c:${kindOf}><c:axId val="${id}"/><c:scaling><c:orientation val="minMax"/>${isScatter ? ends : ''}</c:scaling><c:delete val="${isRight ? 1 : 0}"/><c:axPos val="b"/>`,
    `<c:numFmt formatCode="${format}" sourceLinked="0"/><c:majorTickMark val="out"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>`,
    `<c:spPr>${stroke(base.axis, 1)}</c:spPr>${texts(AXIS_PX, base.quiet)}<c:crossAx val="${crossed}"/><c:crosses val="autoZero"/>`,
    isDated
      ? `<c:auto val="0"/><c:lblOffset val="100"/><c:baseTimeUnit val="${unit}"/><c:majorUnit val="${step.every}"/><c:majorTimeUnit val="${step.unit}"/>`
      : isScatter
        ? `<c:crossBetween val="midCat"/><c:majorUnit val="${every}"/>`
        : `<c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:tickLblSkip val="${skip}"/><c:tickMarkSkip val="${skip}"/><c:noMultiLvlLbl val="1"/>`,
    `</c:${kindOf}>`,
  ].join('');
}

function valueAxis(deck: Deck, isRight: boolean): string {
  const { chart, base } = deck;
  const { unit, share, grouping, log, kind } = chart;
  const [crossed, id] = isRight ? AXES.right : AXES.left;
  const of = isRight ? unit.right : unit.left;
  const isShare = share && !isRight;
  const format = isShare || of === 'part' ? '0%' : of === 'count' ? '#,##0' : 'General';
  const top = isShare && grouping === 'stacked' ? '<c:max val="1"/>' : '';
  const grid = isRight
    ? ''
    : `<c:majorGridlines><c:spPr>${stroke(base.hairline, 1)}</c:spPr></c:majorGridlines>`;
  return [
    `<c:valAx><c:axId val="${id}"/><c:scaling>${log && !isRight ? '<c:logBase val="10"/>' : ''}<c:orientation val="minMax"/>${top}</c:scaling><c:delete val="0"/><c:axPos val="${isRight ? 'r' : 'l'}"/>${grid}`,
    `<c:numFmt formatCode="${format}" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>`,
    `<c:spPr><a:ln><a:noFill/></a:ln></c:spPr>${texts(AXIS_PX, base.quiet)}<c:crossAx val="${crossed}"/><c:crosses val="${isRight ? 'max' : 'autoZero'}"/><c:crossBetween val="${kind === 'bar' ? 'between' : 'midCat'}"/></c:valAx>`,
  ].join('');
}

function chartXml(deck: Deck): string {
  const { chart, base } = deck;
  const { kind, grouping, full, box, plot, legend } = chart;
  const drawn = (shown: DeckChart['kind'], isRight: boolean): string => {
    const series = chart.series.filter(({ right }) => right === isRight);
    if (series.length === 0) return '';
    const of: Kind = kind === 'line' && chart.timed ? 'scatter' : shown;
    const group = of === 'line' ? 'standard' : grouping;
    const form =
      of === 'scatter' ? '<c:scatterStyle val="lineMarker"/>' : `<c:grouping val="${group}"/>`;
    const axes = (isRight ? AXES.right : AXES.left).map((id) => `<c:axId val="${id}"/>`).join('');
    const gap = `<c:gapWidth val="${full ? 0 : 28}"/>${group === 'clustered' ? '' : '<c:overlap val="100"/>'}`;
    const after = of === 'bar' ? gap : of === 'line' ? '<c:marker val="1"/>' : '';
    return `<c:${of}Chart>${of === 'bar' ? '<c:barDir val="col"/>' : ''}${form}<c:varyColors val="0"/>${series.map((each) => seriesXml(deck, of, each)).join('')}${after}${axes}</c:${of}Chart>`;
  };
  const right = drawn('line', true);
  const part = (value: number, of: number): string => (value / of).toFixed(5);
  const layout = `<c:x val="${part(plot.x - box.x, box.width)}"/><c:y val="${part(plot.y - box.y, box.height)}"/><c:w val="${part(plot.width, box.width)}"/><c:h val="${part(plot.height, box.height)}"/>`;
  return [
    `${XML}<c:chartSpace xmlns:c="${DRAWING}/chart" xmlns:a="${DRAWING}/main" xmlns:r="${OFFICE}"><c:date1904 val="0"/><c:roundedCorners val="0"/><c:chart><c:autoTitleDeleted val="1"/><c:plotArea>`,
    `<c:layout><c:manualLayout><c:layoutTarget val="inner"/><c:xMode val="edge"/><c:yMode val="edge"/>${layout}</c:manualLayout></c:layout>`,
    drawn(kind, false) + right + timeAxis(deck, false) + valueAxis(deck, false),
    right === '' ? '' : timeAxis(deck, true) + valueAxis(deck, true),
    '<c:spPr><a:noFill/></c:spPr></c:plotArea>',
    legend
      ? `<c:legend><c:legendPos val="t"/><c:overlay val="0"/>${texts(SMALL_PX, base.ink)}</c:legend>`
      : '',
    `<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>${texts(AXIS_PX, base.ink)}<c:externalData r:id="rId1"><c:autoUpdate val="0"/></c:externalData></c:chartSpace>`,
  ].join('');
}

const NO_GROUP =
  '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>';

function shapeXml(shape: Shape, id: number): string {
  const form = (of: string, box: Box, look: string): string =>
    `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="Shape ${id}"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>${place(box)}<a:prstGeom prst="${of}"><a:avLst/></a:prstGeom>${look}<a:ln><a:noFill/></a:ln></p:spPr></p:sp>`;
  if (shape.is === 'rect') return form('rect', shape, fill(shape.fill, shape.opacity));
  if (shape.is === 'circle') {
    const { x, y, r } = shape;
    return form('ellipse', { x: x - r, y: y - r, width: 2 * r, height: 2 * r }, fill(shape.fill));
  }
  if (shape.is === 'line') {
    const { x1, x2, y1, y2 } = shape;
    const box = { x: x1, y: y1, width: x2 - x1, height: y2 - y1 };
    return `<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="${id}" name="Line ${id}"/><p:cNvCxnSpPr/><p:nvPr/></p:nvCxnSpPr><p:spPr>${place(box)}<a:prstGeom prst="line"><a:avLst/></a:prstGeom>${stroke(shape.stroke, 1, shape.dash)}</p:spPr></p:cxnSp>`;
  }
  const { x, y, said, style } = shape;
  const { fill: colour, size = SMALL_PX, weight = 400, anchor = 'start' } = style;
  const width = textWidth(said, size) + 4;
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  const box = { x: left, y: y - size, width, height: size * 1.3 };
  const align = { start: 'l', middle: 'ctr', end: 'r' }[anchor];
  return `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="Text ${id}"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr>${place(box)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr><p:txBody><a:bodyPr wrap="none" lIns="0" tIns="0" rIns="0" bIns="0"/><a:lstStyle/><a:p><a:pPr algn="${align}"/>${run(said, size, colour, weight > 500)}</a:p></p:txBody></p:sp>`;
}

function titleXml({ title, base }: Deck): string {
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Title"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr>${place(title)}</p:spPr><p:txBody><a:bodyPr lIns="0" tIns="0" rIns="0" bIns="0" anchor="b"><a:normAutofit/></a:bodyPr><a:lstStyle/><a:p>${run(title.said, title.size, base.ink, true)}</a:p></p:txBody></p:sp>`;
}

function slideXml(deck: Deck): string {
  const { chart, shapes } = deck;
  const shown = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="Chart" descr="${escaped(chart.description)}"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>${place(chart.box, 'p')}<a:graphic><a:graphicData uri="${DRAWING}/chart"><c:chart xmlns:c="${DRAWING}/chart" r:id="rId2"/></a:graphicData></a:graphic></p:graphicFrame>`;
  const drawn = shapes.map((shape, i) => shapeXml(shape, i + 4)).join('');
  return `${XML}<p:sld ${SPACES}><p:cSld><p:spTree>${NO_GROUP}${titleXml(deck)}${drawn}${shown}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`;
}

function notesXml({ notes }: Deck): string {
  const paragraphs = notes.map((said) =>
    said === ''
      ? '<a:p><a:endParaRPr lang="en-GB"/></a:p>'
      : `<a:p><a:r><a:rPr lang="en-GB" dirty="0"/><a:t>${escaped(said)}</a:t></a:r></a:p>`,
  );
  return `${XML}<p:notes ${SPACES}><p:cSld><p:spTree>${NO_GROUP}<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/></p:cNvSpPr><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp><p:sp><p:nvSpPr><p:cNvPr id="3" name="Notes"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>${paragraphs.join('')}</p:txBody></p:sp></p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>`;
}

const MAP =
  '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>';
const BACKGROUND =
  '<p:bg><p:bgPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>';
const holder = (id: number, type: string, box: Box): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="${type}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="${type}"${type === 'body' ? ' idx="1"' : ''}/></p:nvPr></p:nvSpPr><p:spPr>${place(box)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:endParaRPr lang="en-GB"/></a:p></p:txBody></p:sp>`;

function masterXml({ title, chart }: Deck): string {
  const level =
    '<a:lvl1pPr algn="l"><a:defRPr sz="1800"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl1pPr>';
  return `${XML}<p:sldMaster ${SPACES}><p:cSld>${BACKGROUND}<p:spTree>${NO_GROUP}${holder(2, 'title', title)}${holder(3, 'body', chart.box)}</p:spTree></p:cSld>${MAP}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst><p:txStyles><p:titleStyle>${level}</p:titleStyle><p:bodyStyle>${level}</p:bodyStyle><p:otherStyle>${level}</p:otherStyle></p:txStyles></p:sldMaster>`;
}

/** The page of the speaker's notes, in points: A4. */
const PAGE = { width: 595, height: 842 };

function notesMasterXml({ width, height }: Deck): string {
  const wide = PAGE.width - 110;
  const image = { x: 55, y: 60, width: wide, height: (wide * height) / width };
  const said = { x: 55, y: image.y + image.height + 30, width: wide, height: 400 };
  return `${XML}<p:notesMaster ${SPACES}><p:cSld>${BACKGROUND}<p:spTree>${NO_GROUP}${holder(2, 'sldImg', image)}${holder(3, 'body', said)}</p:spTree></p:cSld>${MAP}<p:notesStyle><a:lvl1pPr algn="l"><a:defRPr sz="1000"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl1pPr></p:notesStyle></p:notesMaster>`;
}

function themeXml(
  base: Pick<BaseColours, 'ink' | 'quiet' | 'hairline' | 'ground'>,
  accents: readonly string[],
): string {
  const colour = (name: string, value: string): string =>
    `<a:${name}><a:srgbClr val="${value.slice(1).toUpperCase()}"/></a:${name}>`;
  const { ink, quiet, hairline, ground } = base;
  const colours = [
    ['dk1', ink],
    ['lt1', ground],
    ['dk2', quiet],
    ['lt2', hairline],
    ...Array.from({ length: 6 }, (_, i) => [`accent${i + 1}`, accents[i] ?? ink]),
    ['hlink', accents[0] ?? ink],
    ['folHlink', quiet],
  ].map(([name = '', value = '']) => colour(name, value));
  const font = '<a:latin typeface="Inter"/><a:ea typeface=""/><a:cs typeface=""/>';
  const plain = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>';
  const three = (of: string): string => of.repeat(3);
  return `${XML}<a:theme xmlns:a="${DRAWING}/main" name="Groundswell"><a:themeElements><a:clrScheme name="Groundswell">${colours.join('')}</a:clrScheme><a:fontScheme name="Groundswell"><a:majorFont>${font}</a:majorFont><a:minorFont>${font}</a:minorFont></a:fontScheme><a:fmtScheme name="Groundswell"><a:fillStyleLst>${three(plain)}</a:fillStyleLst><a:lnStyleLst>${three(`<a:ln w="9525">${plain}</a:ln>`)}</a:lnStyleLst><a:effectStyleLst>${three('<a:effectStyle><a:effectLst/></a:effectStyle>')}</a:effectStyleLst><a:bgFillStyleLst>${three(plain)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`;
}

const relations = (...targets: readonly (readonly [type: string, target: string])[]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${targets.map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${type.includes('/') ? type : `${OFFICE}/${type}`}" Target="${target}"/>`).join('')}</Relationships>`;

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
    ([name, type]) => `<Override PartName="/${name}" ContentType="${TYPE}.${type}+xml"/>`,
  );
  const paper = { ink: '#17181c', quiet: '#6b6e78', hairline: '#e7e7ea', ground: '#ffffff' };
  const written = new Date(at).toISOString().slice(0, 19);
  return {
    '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="xlsx" ContentType="${TYPE}.spreadsheetml.sheet"/>${types.join('')}<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
    '_rels/.rels': relations(
      ['officeDocument', 'ppt/presentation.xml'],
      [`${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'],
    ),
    'docProps/core.xml': `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${escaped(title.said)}</dc:title><dc:creator>Groundswell</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${written}Z</dcterms:created></cp:coreProperties>`,
    'ppt/presentation.xml': `${XML}<p:presentation ${SPACES}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="rId2"/></p:notesMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="rId3"/></p:sldIdLst><p:sldSz cx="${emu(width)}" cy="${emu(height)}"/><p:notesSz cx="${emu(PAGE.width)}" cy="${emu(PAGE.height)}"/></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ['slideMaster', 'slideMasters/slideMaster1.xml'],
      ['notesMaster', 'notesMasters/notesMaster1.xml'],
      ['slide', 'slides/slide1.xml'],
      ['theme', 'theme/theme1.xml'],
    ),
    'ppt/theme/theme1.xml': themeXml(base, accents),
    'ppt/theme/theme2.xml': themeXml(paper, accents),
    'ppt/slideMasters/slideMaster1.xml': masterXml(deck),
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relations(
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      ['theme', '../theme/theme1.xml'],
    ),
    'ppt/slideLayouts/slideLayout1.xml': `${XML}<p:sldLayout ${SPACES} type="titleOnly"><p:cSld name="Title only"><p:spTree>${NO_GROUP}${holder(2, 'title', title)}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>`,
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relations([
      'slideMaster',
      '../slideMasters/slideMaster1.xml',
    ]),
    'ppt/slides/slide1.xml': slideXml(deck),
    'ppt/slides/_rels/slide1.xml.rels': relations(
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      ['chart', '../charts/chart1.xml'],
      ['notesSlide', '../notesSlides/notesSlide1.xml'],
    ),
    'ppt/notesMasters/notesMaster1.xml': notesMasterXml(deck),
    'ppt/notesMasters/_rels/notesMaster1.xml.rels': relations(['theme', '../theme/theme2.xml']),
    'ppt/notesSlides/notesSlide1.xml': notesXml(deck),
    'ppt/notesSlides/_rels/notesSlide1.xml.rels': relations(
      ['notesMaster', '../notesMasters/notesMaster1.xml'],
      ['slide', '../slides/slide1.xml'],
    ),
    'ppt/charts/chart1.xml': chartXml(deck),
    'ppt/charts/_rels/chart1.xml.rels': relations(['package', `../${DATA_SHEET.slice(4)}`]),
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
