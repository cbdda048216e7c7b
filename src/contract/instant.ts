import { MINUTE_MS } from '#core/time/span.ts';

const FORM =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:(Z)|([+ -])(\d{2}):?(\d{2}))$/i;

/**
 * Parses an instant such as `2024-01-31T08:30:00Z`, with or without seconds or a fraction, with `Z` or a numeric
 * offset (platform-facts 1.1). The offset's `+` may be a space, which is what an unescaped `+` in a URL becomes.
 * Fractions are dropped, because the interface works in whole seconds.
 *
 * @returns Epoch ms at a whole second, or null if the text is malformed or names a day or time that does not exist.
 */
export function parseInstant(text: string): number | null {
  const found = FORM.exec(text);
  if (!found) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null;
  const [, , , , , , , , sign, offsetHours, offsetMinutes] = found;
  if (Number(offsetHours ?? 0) > 23 || Number(offsetMinutes ?? 0) > 59) return null;
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * MINUTE_MS;
  const local = midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
  return sign === '-' ? local + offset : local - offset;
}

/** Formats an instant for answers: `2024-01-31T08:30:00.000Z` (recorded, platform-facts 1.3). */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}

/** Formats an instant for error messages, truncated to the minute: `2024-01-31T08:30Z` (recorded, platform-facts 1.7). */
export function formatMinute(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 16)}Z`;
}
