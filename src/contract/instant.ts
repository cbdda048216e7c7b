import { MINUTE_MS } from '#core/time/span.ts';

const FORM =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:(Z)|([+ -])(\d{2}):?(\d{2}))$/i;

/**
 * Reads an instant of the interface: `2024-01-31T08:30:00Z`, with or without a fraction or seconds, with `Z`
 * or a numeric offset (forms by platform-facts 1.1). The `+` of an offset becomes a space where a client does not
 * escape it. The interface counts in whole seconds, so a fraction is dropped.
 *
 * @returns Epoch ms at a whole second, or null where the text has another form or names a day or time that does not exist.
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
