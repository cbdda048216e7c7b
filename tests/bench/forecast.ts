import { forecastOf } from '#core/series/forecast.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { Random } from '#server/sample/random.ts';
import { heldOut, HELD_OUT } from '#tests/support/data/forecasts.ts';
import { realData } from '#tests/support/data/posts.ts';
import { plainCurve } from '#tests/support/data/volumes.ts';
import { goal, shown, table, time } from './measure.ts';

const START = Date.UTC(2021, 0, 1);

/** Compares forecasts with the weeks after them over real counts, and times the longest ones. */
export async function benchForecast(rounds: number): Promise<void> {
  const folder = realData();
  if (folder) {
    const part = (value: number): string => value.toFixed(2);
    const rows = [
      [
        'held-out',
        'forecasts',
        'in the interval',
        'below',
        'above',
        'MASE',
        'of the last',
        'sMAPE',
        'of the last',
      ],
    ];
    const volumes = [['held-out', 'Posts a bucket', 'forecasts', 'in the interval']];
    for (const { name, plan, read, least = 0.7 } of HELD_OUT) {
      const compared = heldOut(read(folder), plan);
      const { forecasts, covered, below, above, mase, smape, naive, classes } = compared;
      rows.push([
        name,
        String(forecasts),
        ...[covered, below, above, mase, naive.mase, smape, naive.smape].map(part),
      ]);
      for (const { from, ...group } of classes) {
        const volume = from === 0 ? 'under 1' : `${from} to ${from * 10}`;
        volumes.push([name, volume, String(group.forecasts), part(group.covered)]);
        if (group.forecasts < 200) continue;
        goal(`in the interval, ${name}, ${volume}, at least`, group.covered, '≥', 0.76, '');
        goal(`in the interval, ${name}, ${volume}, at most`, group.covered, '≤', 0.84, '');
      }
      goal(`in the interval, ${name}, at least`, covered, '≥', least, '');
      goal(`in the interval, ${name}, at most`, covered, '≤', 0.9, '');
    }
    table('Forecasts of held-out weeks of real counts', rows);
    table('The same by volume', volumes);
  } else {
    process.stdout.write(
      'GROUNDSWELL_TEST_DATA is not set: forecasts are not compared with counts.\n',
    );
  }
  const zone = zoneTable('Europe/Berlin', { start: START, end: START + 6 * 366 * DAY_MS });
  const rows = [['forecast of', 'buckets', 'ms']];
  for (const [name, resolution, width, size] of [
    ['5 years of days', 'day', DAY_MS, 5 * 365],
    ['1 year of hours', 'hour', HOUR_MS, 365 * 24],
  ] as const satisfies readonly (readonly [string, Resolution, number, number])[]) {
    const random = new Random(1);
    const counts = Float64Array.from({ length: size }, (_, i) =>
      Math.round(
        60 + 40 * Math.sin((2 * Math.PI * i) / (resolution === 'day' ? 7 : 24)) + random.below(40),
      ),
    );
    const bounds = Float64Array.from({ length: size + 1 }, (_, i) => START + i * width);
    const curve = plainCurve(bounds, counts);
    const calendar = { resolution, table: zone, weekStart: 1 } as const;
    const took = await time(rounds, () => forecastOf(curve, calendar));
    rows.push([name, size.toLocaleString('en'), shown(took)]);
    goal(name, took.median, '≤', 100, ' ms');
  }
  table('Forecasting', rows);
}
