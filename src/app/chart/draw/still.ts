import { withArticle } from '#core/format/plural.ts';
import { analyse } from '#app/chart/forecast/analysis.ts';
import { ChartState } from '#app/chart/chart.svelte.ts';
import type { PlacedNote } from '#app/chart/chart-props.ts';
import { notesOn } from '#app/chart/notes/dated-notes.ts';
import { endNames } from './end-labels.ts';
import { incompleteOf, placesOf } from './incomplete.ts';
import type { PlacedPeak } from '#app/chart/interact/peak-markers.ts';
import { peakMarkers } from '#app/chart/interact/peak-room.ts';
import { marksOn, type DrawnMark } from '#app/chart/notes/marks.ts';
import { chartCaveats } from '#app/chart/notes/notes.ts';
import { optionOf, type Shown } from './picture.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { ChartOption } from './echarts.ts';
import type { RowBand } from './rows.ts';
import type { Span } from '#core/time/span.ts';
import type { Plot } from './chart-picture.ts';

/** A stretch of time on the plot, px. */
export interface PlotStretch {
  readonly from: number;
  readonly to: number;
}

/** A chart of a given size as plain data. Positions are px from its left and top. */
export interface Still {
  readonly option: ChartOption;
  readonly width: number;
  readonly height: number;
  readonly plot: Plot;
  readonly marks: readonly DrawnMark[];
  /** The notes of the board, and the top of their first row of labels. */
  readonly dated: { readonly notes: readonly PlacedNote[]; readonly top: number };
  readonly notes: readonly string[];
  /** The places where counts are missing or not final, cut to the plot. */
  readonly incomplete: {
    readonly uncovered: readonly (PlotStretch & RowBand)[];
    readonly provisional: PlotStretch | null;
    /** `y` is its middle, `height` that of its notches. */
    readonly missing: readonly (PlotStretch & {
      readonly y: number;
      readonly height: number;
      readonly colour: string;
    })[];
  };
  readonly peaks: readonly (PlacedPeak & { readonly colour: string })[];
  /** Names at the ends of lines; `x` is the left of a name. */
  readonly names: readonly {
    readonly x: number;
    readonly y: number;
    readonly colour: string;
    readonly text: string;
    /** True for an earlier period. */
    readonly faint: boolean;
  }[];
}

/** Most width of a note's label, px: a picture has no tooltip with the rest of its text. */
const NOTE_MOST_PX = 280;

/** The meaning of hollow points, dotted bars and faint rings, which a tooltip states on the page. */
function openNotes({ figure, analysis }: ChartState, resolution: Resolution): string[] {
  const parts = [...figure.parts.values()];
  const look = parts.some(({ outlines = [] }) => outlines.length > 0)
    ? 'Dotted'
    : parts.some(({ rings = [] }) => rings.length > 0)
      ? 'Hollow'
      : null;
  if (look === null) return [];
  const paced = analysis?.series.some(({ projection }) => projection) ?? false;
  return [
    `${look}: part of ${withArticle(resolution)}${paced ? `; faint: the whole ${resolution} at this pace` : ''}`,
  ];
}

/** Lays out a chart for a file, as on the page but in a size of its own; without a page. */
export function stillOf(shown: Shown, width: number, height: number): Still {
  const { data, view, style, annotations } = shown;
  const chart = new ChartState({
    data,
    view,
    style,
    format: shown.format,
    on: { zoom: () => undefined },
    get notes() {
      return notes;
    },
    analysis: analyse(data, view, style, shown.format),
  });
  // The notes above the plot take from its height, but do not depend on it.
  let notes: readonly string[] = [];
  [chart.width, chart.height] = [width, height];
  const said = [...annotations.notes, ...openNotes(chart, view.resolution)];
  notes = chartCaveats(chart, { ...shown, annotations: { ...annotations, notes: said } }, true);
  const colourOf = (id: number): string => {
    const series = data.series.find((each) => each.id === id);
    return style.colours.series[(series?.style.colour ?? 1) - 1] ?? style.colours.base.ink;
  };
  const peaks = peakMarkers(chart, data.series, annotations);
  const { plot } = chart;
  const [left, right] = [plot.left, plot.left + chart.plotWidth];
  const stretches = (spans: readonly Span[]): PlotStretch[] =>
    spans
      .map(({ start, end }) => ({
        from: Math.max(left, chart.x(start)),
        to: Math.min(right, chart.x(end)),
      }))
      .filter(({ from, to }) => to > from);
  const incomplete = incompleteOf(data, chart.range.end);
  const { missing, uncovered } = placesOf(incomplete, chart);
  const { provisional } = incomplete;
  return {
    option: optionOf(chart, shown),
    width,
    height,
    plot,
    marks: marksOn(chart, annotations.marks),
    dated: notesOn(chart, annotations, NOTE_MOST_PX),
    notes,
    incomplete: {
      uncovered: uncovered.flatMap((span) =>
        stretches([span]).map((stretch) => ({ ...stretch, top: span.top, height: span.height })),
      ),
      provisional: stretches(provisional ? [provisional] : [])[0] ?? null,
      missing: missing.flatMap(({ series, spans, y, height }) =>
        stretches(spans).map((stretch) => ({ ...stretch, y, height, colour: colourOf(series.id) })),
      ),
    },
    peaks: peaks.map((peak) => ({ ...peak, colour: colourOf(peak.seriesId) })),
    names: endNames(chart, data.series, shown.format.earlier).map(
      ({ name, x, y, colour, faint }) => ({
        x: x ?? right + chart.nameGap,
        y,
        colour: style.colours.series[colour - 1] ?? style.colours.base.ink,
        text: name,
        faint,
      }),
    ),
  };
}
