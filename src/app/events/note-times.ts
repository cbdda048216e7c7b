import type { Note } from '#app/counts/cache/saved-board.ts';
import { localText, parseLocal } from '#core/time/local-text.ts';
import { localDayAfter, type ZoneTable } from '#core/time/zone.ts';

/** The typed times of a note, or what is wrong with either. */
export type NoteTimes =
  | { readonly ok: true; readonly start: number; readonly end: number | null }
  | { readonly ok: false; readonly from?: string; readonly to?: string };

function sentence(message: string, text: string): string {
  if (text.trim() === '') return 'Enter a date like 2026-03-08, or 2026-03-08 14:30.';
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/**
 * The times of a note typed in a zone. A day as the end includes that day; without an end it is a moment.
 *
 * @param table - Offsets of the zone.
 */
export function noteTimes(from: string, to: string, table: ZoneTable): NoteTimes {
  const a = parseLocal(from, table);
  const b = to.trim() === '' ? null : parseLocal(to, table);
  if (!a.ok || b?.ok === false) {
    return {
      ok: false,
      ...(!a.ok && { from: sentence(a.message, from) }),
      ...(b?.ok === false && { to: sentence(b.message, to) }),
    };
  }
  if (b === null) return { ok: true, start: a.instant, end: null };
  const end = b.wholeDay ? localDayAfter(table, b.instant, 1) : b.instant;
  if (end <= a.instant) return { ok: false, to: 'The end must be after the start.' };
  return { ok: true, start: a.instant, end };
}

/** The times of a note as they would be typed. */
export function noteTexts(
  { start, end }: Pick<Note, 'start' | 'end'>,
  table: ZoneTable,
): { from: string; to: string } {
  const local = (at: number): string => localText(at, table);
  const short = (text: string): string => (text.endsWith(' 00:00') ? text.slice(0, 10) : text);
  const from = short(local(start));
  if (end === null) return { from, to: '' };
  const to = local(end);
  return { from, to: to.endsWith(' 00:00') ? local(end - 1).slice(0, 10) : to };
}
