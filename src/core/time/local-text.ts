import { HOUR_MS, MINUTE_MS } from './span.ts';
import { isoLocal, localDayStart, localInstant, offsetAt, type ZoneTable } from './zone.ts';

export type LocalTime =
  | {
      readonly ok: true;
      readonly instant: number;
      readonly wholeDay: boolean;
    }
  | { readonly ok: false; readonly at: number; readonly length: number; readonly message: string };

const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?: ?([+-]\d{2}):(\d{2}))?)?$/;

/**
 * Reads a date or a date with time as typed in a zone: `2026-03-08` or `2026-03-08 14:30`. A time that
 * the zone's clock skips is the instant of the skip. A time it shows twice is the first one, unless an
 * offset says otherwise: `2026-10-25 02:30+01:00`.
 *
 * @returns The instant in epoch ms, or what is wrong and where (0-based, UTF-16).
 */
export function parseLocal(text: string, table: ZoneTable): LocalTime {
  const trimmed = text.trim();
  const lead = text.length - text.trimStart().length;
  const wrong = (at: number, length: number, message: string): LocalTime => ({
    ok: false,
    at: lead + at,
    length,
    message,
  });
  const found = FORM.exec(trimmed);
  if (!found) {
    return wrong(
      0,
      trimmed.length,
      `"${trimmed}" is not a date like 2026-03-08 or 2026-03-08 14:30`,
    );
  }
  const [year, month, day, hour, minute] = found.slice(1).map((part) => Number(part ?? NaN));
  if (year === undefined || month === undefined || day === undefined) throw new RangeError(trimmed);
  if (month < 1 || month > 12) return wrong(5, 2, `there is no month ${found[2]}`);
  if (day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) {
    return wrong(8, 2, `${found[1]}-${found[2]} has no day ${found[3]}`);
  }
  if (hour === undefined || Number.isNaN(hour) || minute === undefined) {
    return { ok: true, instant: localDayStart(table, { year, month, day }), wholeDay: true };
  }
  if (hour > 23) return wrong(11, 2, `there is no hour ${found[4]}`);
  if (minute > 59) return wrong(14, 2, `there is no minute ${found[5]}`);
  const wall = Date.UTC(year, month - 1, day, hour, minute);
  if (found[6] === undefined) {
    return { ok: true, instant: localInstant(table, wall), wholeDay: false };
  }
  const sign = found[6].startsWith('-') ? -1 : 1;
  const offset = Number(found[6]) * HOUR_MS + sign * Number(found[7]) * MINUTE_MS;
  const instant = wall - offset;
  if (offsetAt(table, instant) !== offset) {
    const named = `${found[6]}:${found[7]}`;
    return wrong(trimmed.indexOf(named, 11), named.length, `${table.zone} is not at ${named} then`);
  }
  return { ok: true, instant, wholeDay: false };
}

/**
 * Formats an instant, to the minute, as {@link parseLocal} reads it; with its offset if the clock shows
 * the time a second time.
 */
export function localText(at: number, table: ZoneTable): string {
  const text = isoLocal(table, at);
  const first = localInstant(table, at + offsetAt(table, at)) === at;
  return text.slice(0, 16).replace('T', ' ') + (first ? '' : text.slice(19));
}
