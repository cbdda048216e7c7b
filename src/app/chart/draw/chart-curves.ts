import type { DrawnCurve, CurveMark } from './curve.ts';
import type { BarOption } from './echarts.ts';
import { heightsOf, type ValueScale } from './scale.ts';
import type { ChartLine, BaseColours } from './chart-picture.ts';

const LINE_PX = 1.35;
const DOT_PX = 5;
/** Opacity of the earlier periods, the latest first: older ones are fainter. */
const EARLIER = [0.7, 0.5, 0.38, 0.3, 0.24];
/** Share of the series' colour in its fill. */
const LIGHT = 0.13;
const SOLID = 0.55;
const BAR = 0.88;

/** Blends a colour with the background. Returns colours other than `#rrggbb` and `#rgb` unchanged. */
export function mixed(colour: string, ground: string, share: number): string {
  const parts = (hex: string): number[] | null => {
    const long = /^#[0-9a-f]{3}$/i.test(hex) ? hex.replace(/[0-9a-f]/gi, '$&$&') : hex;
    if (!/^#[0-9a-f]{6}$/i.test(long)) return null;
    return [1, 3, 5].map((at) => Number.parseInt(long.slice(at, at + 2), 16));
  };
  const [over, under] = [parts(colour), parts(ground)];
  if (!over || !under) return colour;
  const mix = over.map((part, i) => Math.round(part * share + (under[i] ?? 0) * (1 - share)));
  return `#${mix.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** The marked points of a line: hollow ones, and filled ones. */
function marksOf(
  { colour, marker: symbol, dots, parts }: ChartLine,
  ground: string,
  { kind, one }: ValueScale,
): CurveMark[] {
  const marksAt = (points: Float64Array, look: Omit<CurveMark, 'at' | 'symbol' | 'size'>) => {
    const heights = heightsOf(kind, points, one);
    return Array.from({ length: points.length / 2 }, (_, i): CurveMark => {
      const at = [heights[2 * i] ?? 0, heights[2 * i + 1] ?? Number.NaN] as const;
      return { at, symbol, size: DOT_PX, ...look };
    });
  };
  return [
    ...marksAt(parts.rings, { fill: ground, stroke: colour, strokeWidth: LINE_PX }),
    ...marksAt(dots, { fill: colour }),
  ];
}

/** The bars of a series; null if it is drawn as a line. */
export function barsOf(line: ChartLine, colours: BaseColours, stacked: boolean, scale: ValueScale) {
  const { id, colour, right, parts } = line;
  const { barWidth } = parts;
  if (!barWidth) return null;
  return {
    type: 'bar',
    dimensions: ['x', 'y'],
    silent: true,
    animation: false,
    emphasis: { disabled: true },
    clip: true,
    yAxisIndex: right ? 1 : 0,
    id,
    data: heightsOf(scale.kind, parts.line, scale.one),
    barWidth,
    // When stacked, every bar begins at zero, and shorter bars cover the taller ones.
    barGap: stacked ? '-100%' : '0%',
    // Draws all bars as one path, which is faster than an element for each.
    large: true,
    largeThreshold: 1,
    itemStyle: { color: mixed(colour, colours.ground, BAR) },
  } satisfies BarOption;
}

/** The curves of a series: the earlier periods, its line, and what bars do not show. */
export function chartCurves(
  line: ChartLine,
  colours: BaseColours,
  scale: ValueScale,
): DrawnCurve[] {
  const { id, colour: color, dash, fill, right, parts } = line;
  const points = (of: Float64Array): Float64Array => heightsOf(scale.kind, of, scale.one);
  const { earlier, outlines, barWidth } = parts;
  const marks = marksOf(line, colours.ground, scale);
  const solid = fill === 'solid';
  const curves: DrawnCurve[] = [];
  // The latest in front.
  for (const { period, line: past } of earlier.toReversed()) {
    const look = { color, width: 1, opacity: EARLIER[period] ?? EARLIER[0] ?? 1, dash };
    // Behind the bars, as behind a line.
    const z = barWidth ? 1 : 3;
    const key = period === 0 ? `${id} earlier` : `${id} earlier ${period + 1}`;
    curves.push({ id: key, right, z, points: points(past), line: look });
  }
  if (!barWidth) {
    const filling = {
      color: solid ? mixed(color, colours.ground, SOLID) : color,
      opacity: solid ? 1 : LIGHT,
    };
    curves.push({
      id,
      right,
      points: points(parts.line),
      line: { color, width: LINE_PX, dash },
      ...(fill !== 'none' && { fill: filling }),
    });
  }
  if (outlines) {
    const look = { color, width: 1.2, dash: [2, 3] };
    curves.push({ id: `${id} outlines`, right, points: points(outlines), line: look });
  }
  if (marks.length > 0) curves.push({ id: `${id} marks`, right, marks });
  return curves;
}
