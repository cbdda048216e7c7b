const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const ARCHIVE_FORM =
  /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{2}) (\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2}) (\d{4})$/;
const ISO_FORM =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i;
const EPOCH_FORM = /^\d{10}(\d{3})?$/;

function instant(
  [year, month, day, hour, minute, second]: readonly number[],
  ms: number,
  offsetMinutes: number,
): number | null {
  if (year === undefined || month === undefined || day === undefined) return null;
  if (hour === undefined || minute === undefined || second === undefined) return null;
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  if (day > 28 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return null;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms) - offsetMinutes * 60_000;
}

function offsetOf(sign: string, hours: number, minutes: number): number {
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}

function digits(text: string, from: number, to: number): number {
  let n = 0;
  for (let i = from; i < to; i++) {
    const d = text.charCodeAt(i) - 48;
    if (d < 0 || d > 9) return NaN;
    n = n * 10 + d;
  }
  return n;
}

/** `2017-08-27T04:05:34Z` and `2017-08-27T04:05:34.200Z`, the forms of nearly all rows. */
function readUsual(text: string): number | null {
  const long = text.length === 24;
  if (!long && text.length !== 20) return null;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(10) !== 84)
    return null;
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return null;
  if (text.charCodeAt(text.length - 1) !== 90 || (long && text.charCodeAt(19) !== 46)) return null;
  const parts = [
    digits(text, 0, 4),
    digits(text, 5, 7),
    digits(text, 8, 10),
    digits(text, 11, 13),
    digits(text, 14, 16),
    digits(text, 17, 19),
  ];
  const value = instant(parts, long ? digits(text, 20, 23) : 0, 0);
  return value === null || Number.isNaN(value) ? null : value;
}

/**
 * Reads the time of a Post: ISO 8601 with hour and minute (UTC without an offset, fractions truncated
 * to milliseconds), the archive's `Sat Aug 12 16:10:37 +0000 2023`, or seconds or milliseconds since
 * 1970 in 10 or 13 digits.
 *
 * @returns Epoch milliseconds, or null if the text is none of these or not a day of the calendar.
 */
export function readInstant(text: string): number | null {
  const usual = readUsual(text);
  if (usual !== null) return usual;
  const iso = ISO_FORM.exec(text);
  if (iso) {
    const parts = iso.slice(1, 7).map((part) => Number(part ?? 0));
    const ms = Number((iso[7] ?? '').padEnd(3, '0').slice(0, 3));
    const zone = /^([+-])(\d{2}):?(\d{2})$/.exec(iso[8] ?? '');
    return instant(parts, ms, zone ? offsetOf(zone[1] ?? '', Number(zone[2]), Number(zone[3])) : 0);
  }
  const archive = ARCHIVE_FORM.exec(text);
  if (archive) {
    const [, name = '', day, hour, minute, second, sign = '', h, m, year] = archive;
    const at = MONTHS.indexOf(name);
    if (at % 3 !== 0) return null;
    const parts = [year, at / 3 + 1, day, hour, minute, second].map(Number);
    return instant(parts, 0, offsetOf(sign, Number(h), Number(m)));
  }
  if (EPOCH_FORM.test(text)) return text.length === 10 ? Number(text) * 1000 : Number(text);
  return null;
}
