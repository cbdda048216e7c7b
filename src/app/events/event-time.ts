import type { Formatter } from '#app/format/formatter.ts';

/** The time of an event in a zone: a moment, or a span. */
export function eventTime(
  format: Formatter,
  zone: string,
  start: number,
  end: number | null,
): string {
  return end === null || end === start
    ? format.moment(start, zone)
    : format.span({ start, end }, zone);
}
