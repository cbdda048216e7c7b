/** When a sale price applies. */
export interface SalePeriod {
  /** Epoch ms. */
  readonly start: number;
  /** Epoch ms; not before the start. */
  readonly end: number;
}

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/;

function parseInstant(text: string): number | null {
  const [, year, month, day] = (INSTANT.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  // Date.parse takes 30 February for 1 March.
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}

/**
 * Reads a period, `2026-12-01T00:00+01:00/2026-12-24T18:00+01:00` (platform-facts-additions, section 11).
 *
 * @returns Null if it has another form, names a day that does not exist, or ends before it begins.
 */
export function parseSalePeriod(text: string): SalePeriod | null {
  const [from = '', to = '', ...rest] = text.split('/');
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if (start === null || end === null || rest.length > 0 || end < start) return null;
  return { start, end };
}
