import type { ChartOption } from './echarts.ts';
import { inRow } from './rows.ts';
import type { ValueScale } from './scale.ts';
import type { ChartPicture, ChartLine } from './chart-picture.ts';
import { rowAxis, strongLabels, AXIS_LABEL_PX, valueAxis } from './chart-axes.ts';
import { chartCurves, barsOf } from './chart-curves.ts';

/**
 * Converts the chart to an ECharts option: pure data, one interleaved array for each line.
 *
 * Nothing is animated or listens to the pointer. Labels and the line at the pointer are elements over the canvas, so that hovering
 * does not redraw it. A log scale is drawn as heights on a linear axis, because that of ECharts has no zero.
 */
export function chartOption(picture: ChartPicture): ChartOption {
  const { window, plot, scale, right, ticks, lines, stacked, colours, value, extra = [] } = picture;
  const { rows = [] } = picture;
  const values = ticks.map((tick) => tick.at);
  const byAt = new Map(ticks.map(({ at, text }) => [at, text]));
  const text = { fontFamily: colours.font, fontSize: colours.fontSize };
  const covered = lines.some(({ fill }) => fill === 'solid');
  // Stacked bands cover the whole plot, so grid lines go on top of them.
  const splitLine = {
    show: true,
    lineStyle: covered
      ? { color: colours.ink, width: 1, opacity: 0.1 }
      : { color: colours.hairline, width: 1, opacity: 1 },
  };
  const scaleOf = (line: ChartLine): ValueScale => (line.right && right?.scale) || scale;
  const curves = [
    ...rows.flatMap((row) => rowAxis(row, window, colours)),
    ...lines.flatMap((line) => {
      const row = rows.find(({ id }) => id === line.id);
      if (!row) return chartCurves(line, colours, scaleOf(line));
      return chartCurves(line, colours, row.scale).map((curve) => inRow(curve, row));
    }),
    ...extra,
    ...strongLabels(ticks, scale.low, colours),
  ];
  return {
    animation: false,
    grid: { ...plot, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      min: window.start,
      max: window.end,
      // Otherwise, an axis with bars would reach half a bar beyond the window, and the elements over it would not fit.
      containShape: false,
      axisLine: { show: true, onZero: false, lineStyle: { color: colours.axis, width: 1 } },
      axisTick: { show: true, length: 4, lineStyle: { color: colours.axis }, customValues: values },
      splitLine: { show: false },
      axisLabel: {
        // Rich texts would be laid out again for every label at every frame.
        customValues: ticks.filter(({ strong }) => !strong).map(({ at }) => at),
        margin: AXIS_LABEL_PX,
        color: colours.quiet,
        ...text,
        formatter: (at: number) => byAt.get(at) ?? '',
      },
    },
    yAxis: right
      ? [
          { ...valueAxis(scale, value, colours), z: covered ? 3 : 0, splitLine },
          { ...valueAxis(right.scale, right.value, colours), splitLine: { show: false } },
        ]
      : { ...valueAxis(scale, value, colours), z: covered ? 3 : 0, splitLine },
    series: lines.flatMap((line) => barsOf(line, colours, stacked, scaleOf(line)) ?? []),
    curves: { of: () => curves },
  };
}
