/** What is told under the pointer: fetched once there is a curve to point at. */
export { tipOf } from './rows.ts';
export { default as Tooltip } from './Tooltip.svelte';
