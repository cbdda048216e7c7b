import { decimal } from '#core/export/bytes.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS } from '#core/time/span.ts';
import { escaped } from '#app/export/markup.ts';
import { SMALL_PX } from '#app/export/shapes.ts';
import type { DeckChart, Deck, DeckSeries } from './deck.ts';
import {
  LINE_PX,
  strokeXml,
  fillXml,
  runXml,
  AXIS_PX,
  LABEL_PX,
  textsXml,
  DRAWING,
} from './drawing.ts';
import { EPOCH_DAYS, letters, serialDay } from '#app/export/xlsx/sheet-rows.ts';
import { OFFICE, XML } from '#app/export/xlsx/package-parts.ts';

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
  const line = strokeXml(colour, width, dash);
  const look = isLine
    ? line
    : kind === 'bar'
      ? fillXml(colour)
      : `${fillXml(colour, chart.grouping === 'standard' ? 0.18 : 1)}${chart.grouping === 'standard' ? line : ''}`;
  const dotted =
    kind === 'bar'
      ? `<a:noFill/>${strokeXml(colour, 1, [2, 2])}`
      : strokeXml(colour, width, [1, 2]);
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
        `<c:dLbl><c:idx val="${at}"/><c:tx><c:rich><a:bodyPr/><a:p>${runXml(text, AXIS_PX, deck.base.ink, true)}</a:p></c:rich></c:tx>${isLine ? '<c:dLblPos val="t"/>' : ''}${shown(1)}</c:dLbl>`,
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
    `<c:spPr>${strokeXml(base.axis, 1)}</c:spPr>${textsXml(AXIS_PX, base.quiet)}<c:crossAx val="${crossed}"/><c:crosses val="autoZero"/>`,
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
    : `<c:majorGridlines><c:spPr>${strokeXml(base.hairline, 1)}</c:spPr></c:majorGridlines>`;
  return [
    `<c:valAx><c:axId val="${id}"/><c:scaling>${log && !isRight ? '<c:logBase val="10"/>' : ''}<c:orientation val="minMax"/>${top}</c:scaling><c:delete val="0"/><c:axPos val="${isRight ? 'r' : 'l'}"/>${grid}`,
    `<c:numFmt formatCode="${format}" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>`,
    `<c:spPr><a:ln><a:noFill/></a:ln></c:spPr>${textsXml(AXIS_PX, base.quiet)}<c:crossAx val="${crossed}"/><c:crosses val="${isRight ? 'max' : 'autoZero'}"/><c:crossBetween val="${kind === 'bar' ? 'between' : 'midCat'}"/></c:valAx>`,
  ].join('');
}

/** The chart of a slide. */
export function chartXml(deck: Deck): string {
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
      ? `<c:legend><c:legendPos val="t"/><c:overlay val="0"/>${textsXml(SMALL_PX, base.ink)}</c:legend>`
      : '',
    `<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>${textsXml(AXIS_PX, base.ink)}<c:externalData r:id="rId1"><c:autoUpdate val="0"/></c:externalData></c:chartSpace>`,
  ].join('');
}
