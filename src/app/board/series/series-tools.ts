/** What a row of the list has besides its figures: fetched after the first curve. */
export { reorder } from '#app/board/state/reorder.ts';
export { seriesKey } from './series-keys.ts';
export { default as SeriesStatus } from './SeriesStatus.svelte';
