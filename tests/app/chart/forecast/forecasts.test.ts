import { describe, expect, it } from 'vitest';
import {
  forecastKey,
  type Forecasted,
  type ForecastView,
} from '#app/chart/forecast/forecast-cache.ts';
import { Forecasts } from '#app/chart/forecast/forecasts.svelte.ts';
import { forecastOf } from '#core/series/forecast.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { curveOf } from '#tests/core/series/a-curve.ts';

const START = Date.UTC(2026, 0, 5);
const table = zoneTable('UTC', { start: START, end: START + 200 * DAY_MS });
const view: ForecastView = { resolution: 'day', table, weekStart: 1 };
const daysOf = (size: number, open = 0): Curve => {
  const curve = curveOf(
    Array.from({ length: size + open }, (_, i) => 50 + (i % 7)),
    START,
    DAY_MS,
  );
  curve.states.fill(STATE.partial, size);
  return curve;
};

/** Forecasts that are computed when the test says so. */
function computed() {
  const waiting: { key: string; curve: Curve; done: () => Promise<void> }[] = [];
  const forecasts = new Forecasts((curve, its) => {
    const answer: ((made: Forecasted) => void)[] = [];
    const promise = new Promise<Forecasted>((resolve) => answer.push(resolve));
    const done = async (): Promise<void> => {
      answer[0]?.(forecastOf(curve, its));
      await promise;
      await Promise.resolve();
    };
    waiting.push({ key: forecastKey(its), curve, done });
    return promise;
  });
  return { forecasts, waiting };
}

describe('forecasts on the page', () => {
  it('are computed elsewhere, once for a curve and calendar', async () => {
    const { forecasts, waiting } = computed();
    const curve = daysOf(112);
    expect(forecasts.of(1, curve, view)).toBeNull();
    expect(forecasts.of(1, curve, view)).toBeNull();
    expect(waiting).toHaveLength(1);
    await waiting[0]?.done();
    expect(forecasts.of(1, curve, view)).toEqual(forecastOf(curve, view));
    expect(waiting).toHaveLength(1);
    forecasts.of(1, curve, { ...view, weekStart: 7 });
    expect(waiting.map(({ key }) => key)).toEqual(['day UTC 1', 'day UTC 7']);
  });

  it('stay drawn while counts are only added, and are the same until one is settled', async () => {
    const { forecasts, waiting } = computed();
    const before = daysOf(112);
    forecasts.of(1, before, view);
    await waiting[0]?.done();
    const made = forecasts.of(1, before, view);
    expect(forecasts.of(1, daysOf(112, 1), view)).toBe(made);
    expect(waiting).toHaveLength(1);
    const longer = daysOf(113);
    expect(forecasts.of(1, longer, view)).toBe(made);
    await waiting[1]?.done();
    expect(forecasts.of(1, longer, view)).toEqual(forecastOf(longer, view));
  });

  it('disappear with other counts, until theirs are computed', async () => {
    const { forecasts, waiting } = computed();
    forecasts.of(1, daysOf(112), view);
    await waiting[0]?.done();
    const other = daysOf(112);
    other.counts[3] = 7;
    expect(forecasts.of(1, other, view)).toBeNull();
    expect(forecasts.of(2, daysOf(112), view)).toBeNull();
  });

  it('of a calendar that was left meanwhile do not replace the chosen one', async () => {
    const { forecasts, waiting } = computed();
    const curve = daysOf(112);
    const sunday = { ...view, weekStart: 7 } as const;
    forecasts.of(1, curve, view);
    forecasts.of(1, curve, sunday);
    await waiting[1]?.done();
    await waiting[0]?.done();
    forecasts.of(1, curve, sunday);
    await waiting[2]?.done();
    expect(forecasts.of(1, curve, sunday)).toEqual(forecastOf(curve, sunday));
  });

  it('are computed on the page where nothing else can', async () => {
    const forecasts = new Forecasts(() => Promise.reject(new Error('no worker')));
    const curve = daysOf(112);
    forecasts.of(1, curve, view);
    await Promise.resolve();
    await Promise.resolve();
    expect(forecasts.of(1, curve, view)).toEqual(forecastOf(curve, view));
  });

  it('that cannot be made say so at once', () => {
    const { forecasts, waiting } = computed();
    expect(forecasts.of(1, daysOf(20), view)).toEqual({ why: 'history', known: 20, needed: 56 });
    expect(waiting).toEqual([]);
  });
});
