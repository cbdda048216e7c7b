import { forecastOf, type Forecast, type NoForecast } from '#core/series/forecast.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import type { ChartView } from '#app/chart/chart-props.ts';

/** The facts on which a forecast depends, besides its curve. */
export type ForecastView = Pick<ChartView, 'resolution' | 'table' | 'weekStart'>;
/** A forecast, or why there is none. */
export type Forecasted = Forecast | NoForecast;

/** The last forecast of each curve. */
const forecasts = new WeakMap<Curve, { readonly key: string; readonly made: Forecasted }>();

export const forecastKey = ({ resolution, table, weekStart }: ForecastView): string =>
  `${resolution} ${table.zone} ${weekStart}`;

/** The forecast of a curve, if it is computed. */
export function knownForecast(curve: Curve, view: ForecastView): Forecasted | null {
  const known = forecasts.get(curve);
  return known?.key === forecastKey(view) ? known.made : null;
}

export function keepForecast(curve: Curve, view: ForecastView, made: Forecasted): void {
  forecasts.set(curve, { key: forecastKey(view), made });
}

/** The forecast of a curve; computed once for each curve and calendar. */
export function cachedForecast(curve: Curve, view: ForecastView): Forecasted {
  const known = knownForecast(curve, view);
  if (known) return known;
  const { resolution, table, weekStart } = view;
  const made = forecastOf(curve, { resolution, table, weekStart });
  keepForecast(curve, view, made);
  return made;
}

/**
 * True if the settled buckets of a curve begin with those of an earlier one, so that its forecast can be drawn until
 * the new one is computed; `same` if there are no others, so that both have one forecast.
 */
export function sharedHistory(before: Curve, after: Curve): 'same' | 'longer' | null {
  if (before.bounds[0] !== after.bounds[0]) return null;
  const end = before.states.lastIndexOf(STATE.settled) + 1;
  for (let i = 0; i < end; i += 1) {
    const same =
      before.states[i] === after.states[i] &&
      before.bounds[i + 1] === after.bounds[i + 1] &&
      Object.is(before.counts[i], after.counts[i]);
    if (!same) return null;
  }
  return after.states.lastIndexOf(STATE.settled) + 1 === end ? 'same' : 'longer';
}
