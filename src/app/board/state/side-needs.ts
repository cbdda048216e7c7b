import type { Comparison } from '#app/chart/draw/form.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import type { ExtraNeed, ExtraKind } from './side-run.svelte.ts';
import type { Detail } from './zoom-resolution.ts';
import type { ComparedPeriod } from './comparison.ts';
import type { BoardNeed } from './need-key.ts';

/** The code of comparisons. */
export type Comparing = Pick<
  typeof import('./compare-with.ts'),
  'compareWith' | 'noiseOf' | 'historyNeed' | 'givenBefore'
>;

/** The parts of a view that need counts in addition to those of the range. */
export interface SideView {
  /** Epoch ms. */
  readonly now: number;
  readonly zoom: Span | null;
  /** Finer buckets for the zoom; null if it needs none. */
  readonly detail: Detail | null;
  readonly fine: Resolution | 'auto' | 'off';
  /** The buckets the open tab needs for the range; null if none. */
  readonly fineResolution: 'hour' | 'day' | null;
  /** The earlier periods that the view is compared with. */
  readonly periods: readonly ComparedPeriod[];
  /** Null until the code of comparisons has loaded. */
  readonly comparing: Comparing | null;
  readonly chart: { readonly comparison: Comparison };
  /** True if the user agreed to buy a tab's finer counts. */
  agreed(fine: BoardNeed): boolean;
}

/** An agreed need, as text. */
export function agreement({ source, span, resolution, zone, endpoint }: BoardNeed): string {
  return JSON.stringify([source.id, span, resolution, zone, endpoint]);
}

/** The zoom in finer buckets: fetched if that is free or was chosen, otherwise read from the cache. */
function detailNeed(need: BoardNeed, { detail, fine }: SideView): ExtraNeed[] {
  const ask = need.policy.terms === null || fine !== 'auto';
  return detail ? [{ need: { ...need, ...detail }, ask }] : [];
}

/** The earlier periods: bought only if a comparison was chosen, and for the whole range. */
function earlierNeeds(need: BoardNeed, { periods, chart, zoom }: SideView): ExtraNeed[] {
  const chosen = chart.comparison !== 'none' && zoom === null;
  const ask = need.policy.terms === null || chosen;
  return periods.map(({ span, resolution, unit }) => ({
    need: { ...need, span, resolution, ...(unit && { unit }) },
    ask,
  }));
}

/** The whole range in the hours or days a tab shows; bought only if the user agreed. */
function fineNeed(need: BoardNeed, { fineResolution, agreed }: SideView): ExtraNeed[] {
  if (!fineResolution || fineResolution === need.resolution) return [];
  const fine = { ...need, resolution: fineResolution };
  return [{ need: fine, ask: need.policy.terms === null || agreed(fine) }];
}

/** Days of hours that tell how an unfinished day will go on: it and four weeks before. */
const PACE_DAYS = 29;

/** The hours of the last weeks, for an unfinished day at the end of the range; never bought. */
function paceNeed(need: BoardNeed, { now }: SideView): ExtraNeed[] {
  if (need.resolution !== 'day' || need.span.end <= now) return [];
  const end = Math.ceil(now / HOUR_MS) * HOUR_MS;
  const span = { start: end - PACE_DAYS * DAY_MS, end };
  const hours = { ...need, span, resolution: 'hour', unit: null } as const;
  return [{ need: hours, ask: need.policy.terms === null }];
}

const NEEDS = {
  detail: detailNeed,
  earlier: earlierNeeds,
  fine: fineNeed,
  pace: paceNeed,
  history: (need: BoardNeed, { periods: [compared], comparing }: SideView): ExtraNeed[] =>
    compared && comparing ? [comparing.historyNeed(need, compared)] : [],
} as const;

/** The extra needs of one kind. */
export function extraNeeds(which: ExtraKind, need: BoardNeed, view: SideView): ExtraNeed[] {
  return NEEDS[which](need, view);
}
