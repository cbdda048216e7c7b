import type { ChartPeak } from '#app/chart/chart-props.ts';
import { PALETTES } from '#app/chart/draw/palettes.ts';
import { Formatter } from '#app/format/formatter.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import type { SlideInput } from '#app/export/slide-rows.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

export const SLIDE_START = Date.UTC(2026, 0, 1);
const DAYS = 60;
const RANGE = { start: SLIDE_START, end: SLIDE_START + DAYS * DAY_MS };

interface Over extends Partial<Omit<SlideInput, 'shown' | 'peakText'>> {
  readonly theme?: keyof typeof PALETTES;
  readonly names?: readonly string[];
  readonly peaks?: readonly ChartPeak[];
  readonly marks?: readonly { at: number; text: string }[];
  readonly notes?: readonly string[];
  readonly form?: SlideInput['shown']['style']['form'];
  readonly dashed?: boolean;
  /** Posts of the 56th day. */
  readonly high?: number;
  /** True if the last day is unfinished. */
  readonly open?: boolean;
  /** The period that the counts are compared with; empty for none. */
  readonly earlier?: string;
}

/** A slide of some series over sixty days. */
export function slide(over: Over = {}): SlideInput {
  const { names = ['Oat & <milk>'], theme = 'light', peaks = [], marks = [], notes = [] } = over;
  const { form = 'line', dashed = false, earlier = '', high, open = false, ...rest } = over;
  const bounds = Float64Array.from({ length: DAYS + 1 }, (_, i) => SLIDE_START + i * DAY_MS);
  const series = names.map((name, id) => {
    const counts = Float64Array.from({ length: DAYS }, (_, i) => 20 + 5 * id + (i % 7));
    if (high !== undefined) counts[55] = high;
    const states = new Uint8Array(DAYS).fill(STATE.settled);
    if (open) states[DAYS - 1] = STATE.partial;
    const curve = { bounds, counts, states, fetchedAt: new Float64Array(DAYS) };
    const counted = { curve, pyramid: buildPyramid(counts) };
    return {
      id,
      name,
      style: seriesStyle(id),
      ...counted,
      ...(earlier && { earlier: [{ ...counted, period: 0 }] }),
    };
  });
  return {
    shape: rest.shape ?? '16:9',
    title: rest.title ?? 'Oat & <milk>',
    subtitle: rest.subtitle ?? 'Posts per day',
    foot: rest.foot ?? 'Source: Sample',
    causes: rest.causes ?? null,
    peakText: ({ at, count }) => `${new Date(at).toISOString().slice(0, 10)}: ${count}`,
    shown: {
      data: { series, now: RANGE.end },
      view: {
        range: RANGE,
        window: RANGE,
        resolution: 'day',
        table: zoneTable('UTC', RANGE),
        weekStart: 1,
      },
      style: {
        form,
        scale: 'linear',
        trend: { kind: 'none' },
        dashed,
        colours: PALETTES[theme],
        overview: false,
      },
      annotations: {
        marks: marks.map((mark) => ({ ...mark, full: mark.text })),
        peaks,
        notes,
        gaps: [],
        summary: '',
      },
      format: { formatter: new Formatter('en-US'), earlier: [earlier] },
    },
  };
}
