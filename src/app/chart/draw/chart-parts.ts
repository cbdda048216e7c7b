import type { ChartProps } from '#app/chart/chart-props.ts';

/** Parts that load after the first curve. */
export interface ChartParts {
  readonly Overlay: typeof import('#app/chart/interact/Overlay.svelte').default;
  readonly Overview: typeof import('./Overview.svelte').default;
  readonly gestures: typeof import('#app/chart/interact/gestures.ts').gestures;
  readonly analyse: typeof import('#app/chart/forecast/forecasts.svelte.ts').analyseOnPage;
  readonly notesOf: typeof import('#app/chart/notes/notes.ts').chartCaveats;
}

export interface WholeChartProps extends ChartProps {
  /** Null until they are loaded. */
  parts: ChartParts | null;
}
