import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';

/** The period in which a sale price applies. */
export interface SalePeriod {
  /** Epoch ms. */
  readonly start: number;
  /** Epoch ms; after the start. */
  readonly end: number;
}

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;

function parseInstant(text: string): number | null {
  const found = INSTANT.exec(text);
  if (!found) return null;
  const part = (n: number): number => Number(found[n] ?? 0);
  const [year, month, day] = [part(1), part(2) - 1, part(3)];
  // A day that does not exist would be one of the next month.
  const date = new Date(Date.UTC(year, month, day));
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return null;
  const offset = (found[7] === '-' ? -1 : 1) * (part(8) * HOUR_MS + part(9) * MINUTE_MS);
  return date.getTime() + part(4) * HOUR_MS + part(5) * MINUTE_MS + part(6) * SECOND_MS - offset;
}

/**
 * Reads a period, `2026-12-01T00:00+01:00/2026-12-24T18:00+01:00` (platform-facts-additions, section 11). An offset may be
 * without its colon, as other catalogs with the same columns write it.
 *
 * @returns Null if it has another form, names a day that does not exist, or does not end after it begins.
 */
export function parseSalePeriod(text: string): SalePeriod | null {
  const [from = '', to = '', ...rest] = text.split('/');
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if (start === null || end === null || rest.length > 0 || end <= start) return null;
  return { start, end };
}
