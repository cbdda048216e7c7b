import { WHOLE_PERCENT } from './formatter.ts';
import type { FigureUnit } from '#app/insight/summary/summary.ts';

/* Numbers rounded as `Formatter` shows them, for tables that leave the page. Values that are not finite stay as they are. */

const to = (value: number, step: number): number =>
  (Math.sign(value) * Math.round(Math.abs(value) * step)) / step;

/** As `Formatter.mean`: whole from 100 on, three digits below. */
export function roundedMean(value: number): number {
  if (!Number.isFinite(value)) return value;
  // Halves go away from zero, as `Intl.NumberFormat` rounds them.
  if (Math.abs(value) >= 100) return Math.sign(value) * Math.round(Math.abs(value));
  return Number(value.toPrecision(3));
}

/** As `Formatter.percent` and `Formatter.change`: to a tenth of a per cent, from 1,000 % on whole. */
export function roundedPercent(value: number): number {
  if (!Number.isFinite(value)) return value;
  return to(value, Math.abs(value) < WHOLE_PERCENT ? 1000 : 100);
}

/** As `Formatter.share`: to a tenth of a per cent, but never nothing for something, nor all for less. */
export function roundedShare(value: number): number {
  if (value > 0 && value < 0.001) return Number(value.toPrecision(1));
  return value < 1 && value > 0.999 ? 0.999 : roundedPercent(value);
}

/** A value by its unit, as `valueWords` shows it. */
export function roundedValue(value: number, unit: FigureUnit): number {
  if (unit === 'part') return roundedShare(value);
  return unit === 'posts' && Number.isInteger(value) ? value : roundedMean(value);
}
