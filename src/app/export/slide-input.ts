import type { ChartPeak } from '#app/chart/chart-props.ts';
import { PALETTES } from '#app/chart/draw/palettes.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { cutTo } from '#app/chart/draw/text-width.ts';
import { peakLabel } from '#app/chart/interact/peak-markers.ts';
import { zoneCity, type Formatter } from '#app/format/formatter.ts';
import type { HeadedCauses } from '#app/insight/breakdown/causes-text.ts';
import { completenessWords } from '#app/insight/summary/completeness.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { causeRows } from '#core/causes/cause-words.ts';
import { findingText } from '#core/finding/finding.ts';
import { bucketAt } from '#core/series/window.ts';
import type { Cut } from '#core/series/rollup.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import { FACT_GAP } from './slide.ts';
import { PEAK_PX, type SlideCauses, type SlideInput, type SlideShape } from './slide-rows.ts';
import type { Finding } from '#core/finding/finding-figures.ts';

const SOURCES: Readonly<Record<SourceId, string>> = {
  sample: 'Sample (made-up data)',
  posts: 'Your posts',
  platform: 'Platform',
};

/** Most width of a name before the time and count of its peak, px: a longer one would push them off a narrow slide. */
const MOST_NAME_PX = 380;

/** The facts that a slide states about its chart. */
export interface SlideContext {
  readonly source: SourceId;
  /** IANA name. */
  readonly zone: string;
  readonly resolution: Resolution;
  /** The quantity that is drawn, as in “Posts a day”. */
  readonly drawn: string;
  readonly window: Span;
  readonly now: number;
  /** The outer buckets that the range cuts. */
  readonly cut?: Cut;
  /** The period of the drawn earlier curves, and both lengths where they differ; empty or absent if none are drawn. */
  readonly compared?: string;
  /** The series that are drawn. */
  readonly series: readonly Pick<
    InsightSeries,
    'name' | 'summary' | 'curve' | 'kind' | 'pending'
  >[];
  readonly format: Formatter;
  /** Replaces the names of the series and the range as title and subtitle. */
  readonly finding?: Finding | null;
}

/** The choices of the user for a slide. */
export interface SlideChoice {
  readonly shape: SlideShape;
  readonly theme: keyof typeof PALETTES;
  readonly title: string;
  readonly subtitle: string;
  /** True if the largest peaks are marked, and explained under the chart. */
  readonly peaks: boolean;
  /** The causes under the chart; null for none. */
  readonly causes: HeadedCauses | null;
}

/** Names of the series in a line: all of a few, else the first ones. */
function namesOf(names: readonly string[]): string {
  const most = 4;
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} more`;
}

/** The foot of a slide: source, what else there is to say, and date. */
export function slideFoot(
  { source, now, zone, format }: Pick<SlideContext, 'source' | 'now' | 'zone' | 'format'>,
  facts: readonly (string | null | undefined)[],
): string {
  const asOf = `as of ${format.moment(now, zone)}`;
  return [`Source: ${SOURCES[source]}`, ...facts, asOf, 'Groundswell']
    .filter(Boolean)
    .join(FACT_GAP);
}

/**
 * The texts of a slide, and its foot.
 *
 * @param subtitle - That of the user; absent before it is changed.
 */
export function slideTexts(context: SlideContext, subtitle?: string) {
  const { drawn, window, zone, compared, series, format } = context;
  const place = zone.includes('/') ? `${zoneCity(zone)} time` : zone;
  const { word, latest } = completenessWords(series, context);
  const { sentence, evidence } = context.finding ?? { sentence: [], evidence: [] };
  const range = format.span(window, zone);
  const axes = [drawn, range, place];
  const about = [...axes, compared, SOURCES[context.source]].filter(Boolean).join(FACT_GAP);
  const shown = subtitle ?? (findingText(evidence) || about);
  return {
    title: findingText(sentence) || namesOf(series.map(({ name }) => name)),
    subtitle: shown,
    /** The quantity, range and source: the subtitle without a finding. */
    about,
    // Every slide says once what its axes show.
    foot: slideFoot(context, [...(shown === about ? [] : axes), word, latest]),
  };
}

/** The causes as on a slide, with the figures of the drawer. */
function slideCauses(
  { title, colour, count, causes }: HeadedCauses,
  theme: SlideChoice['theme'],
  format: Formatter,
): SlideCauses {
  const { base, series } = PALETTES[theme];
  const read = causes.posts < count ? `, of ${format.counted(causes.posts, 'Post')} read` : '';
  return {
    heading: `What it was about: ${title}${read}`,
    colour: series[colour - 1] ?? base.ink,
    rows: causeRows(causes).map(({ name, percent, of }) => ({
      name,
      percent,
      share: format.share(percent / 100),
      isRest: of === null,
    })),
  };
}

/** The chart as a slide. */
export function slideInput(shown: Shown, choice: SlideChoice, context: SlideContext): SlideInput {
  const { zone, resolution, format } = context;
  const { annotations, style } = shown;
  const several = shown.data.series.length > 1;
  const peakText = (peak: ChartPeak): string => {
    const { at, count, seriesId } = peak;
    const series = shown.data.series.find(({ id }) => id === seriesId);
    const { bounds } = series?.curve ?? { bounds: Float64Array.of(at, at) };
    const i = bucketAt(bounds, at);
    // The whole bucket has the count, not its first day.
    const time = format.bucket(bounds[i] ?? at, bounds[i + 1] ?? at, resolution, zone);
    const name = series && several ? `${cutTo(series.name, PEAK_PX, MOST_NAME_PX)}, ` : '';
    const label = peakLabel(peak);
    return `${label && `${label}, `}${name}${time}: ${format.count(count)}`;
  };
  return {
    shape: choice.shape,
    title: choice.title,
    subtitle: choice.subtitle,
    peakText,
    foot: slideTexts(context, choice.subtitle).foot,
    causes: choice.causes && slideCauses(choice.causes, choice.theme, format),
    shown: {
      ...shown,
      style: { ...style, colours: PALETTES[choice.theme], overview: false },
      annotations: {
        ...annotations,
        peaks: choice.peaks ? annotations.peaks : [],
      },
    },
  };
}

/** The picture of a report, for a light and a dark page. */
export function reportPicture(
  shown: Shown,
  context: SlideContext,
): { readonly light: SlideInput; readonly dark: SlideInput } {
  const { title, subtitle } = slideTexts(context);
  const of = (theme: keyof typeof PALETTES): SlideInput => {
    const choice = { title, subtitle, shape: '16:9', theme, peaks: true, causes: null } as const;
    return { ...slideInput(shown, choice, context), bare: true };
  };
  return { light: of('light'), dark: of('dark') };
}
