import type { Formatter } from '#app/format/formatter.ts';

/** The time of an event: a moment, or a span. */
export function eventTime(format: Formatter, start: number, end: number | null): string {
  return end === null || end === start ? format.moment(start) : format.span({ start, end });
}
