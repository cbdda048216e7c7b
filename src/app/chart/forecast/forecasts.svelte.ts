import { wrap } from 'comlink';
import { forecastLackOf } from '#core/series/forecast.ts';
import type { Curve } from '#core/series/series.ts';
import { analyse } from './analysis.ts';
import {
  cachedForecast,
  forecastKey,
  keepForecast,
  knownForecast,
  sharedHistory,
  type Forecasted,
  type ForecastView,
} from './forecast-cache.ts';
import type { ForecastWorker } from './forecast-worker.ts';

/** Computes a forecast, on the page or elsewhere. */
export type MakeForecast = (curve: Curve, view: ForecastView) => Promise<Forecasted>;

/**
 * The forecasts of the curves on the page. They are computed elsewhere, because those of a few years of hours would
 * block the page for some hundred milliseconds; what reads one that is not there yet reads it again when it is.
 */
export class Forecasts {
  readonly #make: MakeForecast;
  readonly #asked = new WeakMap<Curve, string>();
  /** The last curve of each series that has a forecast. */
  readonly #last = new Map<number, Curve>();
  #made = $state.raw({});

  constructor(make: MakeForecast) {
    this.#make = make;
  }

  /**
   * The forecast of a series' curve. While it is computed, that of the curve before it, if the new one only adds to its
   * settled counts; otherwise null.
   */
  of(id: number, curve: Curve, view: ForecastView): Forecasted | null {
    void this.#made;
    const known = knownForecast(curve, view) ?? forecastLackOf(curve, view.resolution);
    if (known) {
      this.#last.set(id, curve);
      return known;
    }
    const last = this.#last.get(id);
    const before = last && knownForecast(last, view);
    const shared = before ? sharedHistory(last, curve) : null;
    if (before && shared === 'same') {
      keepForecast(curve, view, before);
      return before;
    }
    void this.#compute(curve, view);
    return before && shared ? before : null;
  }

  async #compute(curve: Curve, view: ForecastView): Promise<void> {
    const key = forecastKey(view);
    if (this.#asked.get(curve) === key) return;
    this.#asked.set(curve, key);
    const { resolution, table, weekStart } = view;
    try {
      keepForecast(curve, view, await this.#make(curve, { resolution, table, weekStart }));
    } catch {
      // Slower, but right: the page may be offline, or its memory scarce.
      cachedForecast(curve, view);
    }
    if (this.#asked.get(curve) === key) this.#asked.delete(curve);
    this.#made = {};
  }
}

/** Computes forecasts in a worker that starts with the first one. */
function inWorker(): MakeForecast {
  let started: MakeForecast | null = null;
  const start = (): MakeForecast => {
    const worker = new Worker(new URL('./forecast-worker.ts', import.meta.url), { type: 'module' });
    const remote = wrap<ForecastWorker>(worker);
    const stopped = new Promise<never>((_, reject) => {
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
    });
    stopped.catch(() => undefined);
    return (curve, view) => Promise.race([remote.forecastOf(curve, view), stopped]);
  };
  return async (curve, view) => {
    started ??= start();
    return await started(curve, view);
  };
}

const forecasts = new Forecasts(inWorker());

/** The analysis that is drawn in addition to the counts on the page, where forecasts appear once they are computed. */
export const analyseOnPage: typeof analyse = (data, view, style, format) =>
  analyse(data, view, style, format, (id, curve) => forecasts.of(id, curve, view));
