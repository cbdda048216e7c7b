/** The overlays and the tooltip, which load after the first curve. */
export { default as Gaps } from './MissingStretches.svelte';
export { default as Marks } from './DatedMarks.svelte';
export { default as Names } from './EndLabels.svelte';
export { default as Overlay } from './Overlay.svelte';
export { default as Overview } from './Overview.svelte';
export { default as Peaks } from './Peaks.svelte';
export { tipOf } from './tooltip-rows.ts';
export { default as Tooltip } from './Tooltip.svelte';
