import type { ChartProps } from './chart-props.ts';

/** Parts that load after the first curve. */
export interface ChartParts {
  readonly Overlay: typeof import('./Overlay.svelte').default;
  readonly Overview: typeof import('./Overview.svelte').default;
  readonly gestures: typeof import('./gestures.ts').gestures;
  readonly analyse: typeof import('./forecasts.svelte.ts').analyse;
  readonly notesOf: typeof import('./notes.ts').notesOf;
}

export interface WholeChartProps extends ChartProps {
  /** Null until they are loaded. */
  parts: ChartParts | null;
}
