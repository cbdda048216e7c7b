import type { Comparison } from '#app/chart/form.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ExtraNeed, ExtraKind } from './side-run.svelte.ts';
import type { Detail } from './zoom-resolution.ts';
import type { ComparedPeriod } from './comparison.ts';
import type { BoardNeed } from './need-key.ts';

/** The parts of a view that need counts in addition to those of the range. */
export interface SideView {
  readonly zoom: Span | null;
  /** Finer buckets for the zoom; null if it needs none. */
  readonly detail: Detail | null;
  readonly fine: Resolution | 'auto' | 'off';
  /** The buckets the open tab needs for the range; null if none. */
  readonly fineResolution: 'hour' | 'day' | null;
  readonly compared: ComparedPeriod | null;
  readonly chart: { readonly comparison: Comparison };
  /** Whether the user agreed to buy a tab's finer counts. */
  agreed(fine: BoardNeed): boolean;
}

/** An agreed need, as text. */
export function agreement({ source, span, resolution, zone, endpoint }: BoardNeed): string {
  return JSON.stringify([source.id, span, resolution, zone, endpoint]);
}

/** The zoom in finer buckets: fetched if that is free or was chosen, otherwise read from the cache. */
function detailNeed(need: BoardNeed, { detail, fine }: SideView): ExtraNeed | null {
  const ask = need.policy.terms === null || fine !== 'auto';
  return detail && { need: { ...need, ...detail }, ask };
}

/** The earlier period: bought only if a comparison was chosen, and for the whole range. */
function earlierNeed(need: BoardNeed, { compared, chart, zoom }: SideView): ExtraNeed | null {
  if (!compared) return null;
  const chosen = chart.comparison !== 'none' && zoom === null;
  const ask = need.policy.terms === null || chosen;
  const { span, resolution, unit } = compared;
  return { need: { ...need, span, resolution, ...(unit && { unit }) }, ask };
}

/** The whole range in the hours or days a tab shows; bought only if the user agreed. */
function fineNeed(need: BoardNeed, { fineResolution, agreed }: SideView): ExtraNeed | null {
  if (!fineResolution || fineResolution === need.resolution) return null;
  const fine = { ...need, resolution: fineResolution };
  return { need: fine, ask: need.policy.terms === null || agreed(fine) };
}

const NEEDS = { detail: detailNeed, earlier: earlierNeed, fine: fineNeed } as const;

/** An extra need of one kind; null if there is none. */
export function extraNeed(which: ExtraKind, need: BoardNeed, view: SideView): ExtraNeed | null {
  return NEEDS[which](need, view);
}
