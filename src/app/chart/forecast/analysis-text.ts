import { plural } from '#core/format/plural.ts';
import type { NoForecast } from '#core/series/forecast.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** The time that a slope is given for, in words and ms: for minutes and hours a day, else the bucket. */
const PACE: Readonly<Record<Resolution, readonly [string, number]>> = {
  minute: ['a day', DAY_MS],
  hour: ['a day', DAY_MS],
  day: ['a day', DAY_MS],
  week: ['a week', 7 * DAY_MS],
  month: ['a month', (365.25 / 12) * DAY_MS],
  quarter: ['a quarter', (365.25 / 4) * DAY_MS],
  year: ['a year', 365.25 * DAY_MS],
};

/** A slope in words: `+3.1 a day`; `flat` if that rounds to nothing. @param slope - Posts a bucket, per ms. */
export function slopeText(slope: number, resolution: Resolution, format: Formatter): string {
  const [words, ms] = PACE[resolution];
  const change = slope * ms;
  if (Math.abs(change) < 0.005) return 'flat';
  // A third digit would be noise.
  const text = format.mean(Number(Math.abs(change).toPrecision(2)));
  return `${change < 0 ? '−' : '+'}${text} ${words}`;
}

/** The reason a series has no forecast, a few words. */
export function lackText(lack: NoForecast, resolution: Resolution): string {
  switch (lack.why) {
    case 'resolution':
      return `not by ${resolution}s`;
    case 'history':
      return `needs ${plural(lack.needed, `final ${resolution}`)}, has ${lack.known}`;
    case 'posts':
      return `needs ${lack.needed} Posts`;
    case 'negative':
      return 'not for values below zero';
  }
}
