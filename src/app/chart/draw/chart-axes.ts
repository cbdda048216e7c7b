import type { Span } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Tick } from './axis.ts';
import type { Unit } from '#core/series/formula.ts';
import type { Form } from './form.ts';
import type { DrawnCurve } from './curve.ts';
import { inRow } from './rows.ts';
import { fromHeight, toHeight, type ValueScale } from './scale.ts';
import type { BaseColours, PictureRow } from './chart-picture.ts';

/** Between an axis and its labels. */
export const AXIS_LABEL_PX = 8;

/** Formats a value on an axis. */
export function axisText(value: number, unit: Unit, form: Form, format: Formatter): string {
  if (unit === 'part') return format.part(value);
  return unit === 'count' && form === 'share' ? format.share(value) : format.short(value);
}

/** The names of longer units, where ECharts' axis has the other labels. */
export function strongLabels(
  ticks: readonly Tick[],
  low: number,
  { ink, font, fontSize }: BaseColours,
): DrawnCurve[] {
  return ticks.flatMap(({ at, text, strong }) => {
    if (!strong) return [];
    const look = { color: ink, fontFamily: font, fontSize, fontWeight: 640 };
    const place = { offset: [0, AXIS_LABEL_PX], align: 'center', verticalAlign: 'top' } as const;
    const label = { at: [at, low] as const, text, ...place, ...look };
    return [{ id: `label ${at}`, label }];
  });
}

/** The grid lines of a row with their labels. */
export function rowAxis(
  row: PictureRow,
  { start, end }: Span,
  { hairline, axis, quiet, font, fontSize }: BaseColours,
): DrawnCurve[] {
  const { id, scale, value } = row;
  return scale.ticks.map((tick) => {
    const height = toHeight(scale.kind, tick, scale.one);
    const look = { color: quiet, fontFamily: font, fontSize };
    const place = { offset: [-AXIS_LABEL_PX, 0], align: 'right', verticalAlign: 'middle' } as const;
    const curve: DrawnCurve = {
      id: `${id} at ${tick}`,
      z: 0,
      points: Float64Array.of(start, height, end, height),
      line: { color: tick === 0 ? axis : hairline, width: 1 },
      label: { at: [start, height], text: value(tick), ...place, ...look },
    };
    return inRow(curve, row);
  });
}

/** A value axis, of which only the labels are drawn. */
export function valueAxis(
  scale: ValueScale,
  value: (value: number) => string,
  colours: BaseColours,
) {
  const { kind, one, ticks } = scale;
  const heights = ticks.map((tick) => toHeight(kind, tick, one));
  const byHeight = new Map(ticks.map((tick, i) => [heights[i], tick]));
  return {
    type: 'value' as const,
    min: scale.low,
    max: scale.high,
    axisLine: { show: false },
    axisTick: { show: false, customValues: heights },
    axisLabel: {
      color: colours.quiet,
      margin: AXIS_LABEL_PX,
      fontFamily: colours.font,
      fontSize: colours.fontSize,
      customValues: heights,
      formatter: (height: number) => value(byHeight.get(height) ?? fromHeight(kind, height, one)),
    },
  };
}
