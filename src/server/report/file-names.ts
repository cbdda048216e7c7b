import type { ReportForm } from '#contract/counts/report.ts';
import { localDate, zoneTable } from '#core/time/zone.ts';
import { DAY_MS } from '#core/time/span.ts';

/** Most bytes of a board's name in a file name: systems take 255 for all of it. */
const MOST_BYTES = 120;

/** A text that every system takes as part of a file name, also as its beginning; empty if nothing is left. */
function safeName(text: string): string {
  const safe = text
    .normalize('NFC')
    // Invisible characters could make a name look like another one.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\/:*?"<>|]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[.\s]+|[.\s]+$/gu, '');
  let [name, bytes] = ['', 0];
  for (const letter of safe) {
    bytes += Buffer.byteLength(letter);
    if (bytes > MOST_BYTES) break;
    name += letter;
  }
  return name.trimEnd();
}

/**
 * The names that a report may take, best first: the board, the day, and from the second on a number.
 *
 * @param at - The time at which it was written, epoch ms.
 * @param zone - IANA name, for the day.
 */
export function* reportNames(
  title: string,
  at: number,
  zone: string,
  form: ReportForm,
): Generator<string, never> {
  const { year, month, day } = localDate(
    zoneTable(zone, { start: at - DAY_MS, end: at + DAY_MS }),
    at,
  );
  const two = (number: number): string => String(number).padStart(2, '0');
  const name = `${safeName(title) || 'Board'} ${year}-${two(month)}-${two(day)}`;
  for (let i = 1; ; i += 1) yield `${name}${i === 1 ? '' : ` (${i})`}.${form}`;
}
