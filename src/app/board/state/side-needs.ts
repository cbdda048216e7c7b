import type { Comparison } from '#app/chart/form.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { Beside, BesideKind } from './side-run.svelte.ts';
import type { Detail } from './zoom-resolution.ts';
import type { ComparedPeriod } from './comparison.ts';
import type { BoardNeed } from './need-key.ts';

/** What of a view needs counts beside those of the whole range. */
export interface SideView {
  readonly zoom: Span | null;
  /** How the zoom would be cut finer; null where it would not. */
  readonly detail: Detail | null;
  readonly fine: Resolution | 'auto' | 'off';
  /** What the open tab needs the range cut into; null where nothing. */
  readonly fineResolution: 'hour' | 'day' | null;
  readonly compared: ComparedPeriod | null;
  readonly chart: { readonly comparison: Comparison };
  /** Whether buying the finer counts of a tab was agreed to. */
  agreed(fine: BoardNeed): boolean;
}

/** A need that is agreed to, as text. */
export function agreement({ source, span, resolution, zone, endpoint }: BoardNeed): string {
  return JSON.stringify([source.id, span, resolution, zone, endpoint]);
}

/** The zoom in finer buckets: asked where that costs nothing or was chosen, else looked up. */
function detailNeed(need: BoardNeed, { detail, fine }: SideView): Beside | null {
  const ask = need.policy.terms === null || fine !== 'auto';
  return detail && { need: { ...need, ...detail }, ask };
}

/** The time that the view is held against: bought only where a comparison with it was chosen, for the whole range. */
function earlierNeed(need: BoardNeed, { compared, chart, zoom }: SideView): Beside | null {
  if (!compared) return null;
  const chosen = chart.comparison !== 'none' && zoom === null;
  const ask = need.policy.terms === null || chosen;
  const { span, resolution, unit } = compared;
  return { need: { ...need, span, resolution, ...(unit && { unit }) }, ask };
}

/** Counts of the whole range by the hours or days that a tab shows; bought only where that was agreed to. */
function fineNeed(need: BoardNeed, { fineResolution, agreed }: SideView): Beside | null {
  if (!fineResolution || fineResolution === need.resolution) return null;
  const fine = { ...need, resolution: fineResolution };
  return { need: fine, ask: need.policy.terms === null || agreed(fine) };
}

const NEEDS = { detail: detailNeed, earlier: earlierNeed, fine: fineNeed } as const;

/** What of one kind is to be looked at beside a board's own need; null where nothing is. */
export function besideNeed(which: BesideKind, need: BoardNeed, view: SideView): Beside | null {
  return NEEDS[which](need, view);
}
