import type { CalendarStep, DateUnit } from './date-vocabulary.ts';

/** A text in the form in which typed dates are compared: in lower case, one space between words, no dots after letters. */
export function plainDateText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\u200e\u200f]+/g, ' ')
    .replaceAll(/(\p{L})\./gu, '$1')
    .replaceAll(/[ヶカヵケ]月/g, 'か月')
    .trim();
}

/** Names that `Intl` has for a language, as {@link plainDateText}. */
export interface DateNames {
  /** Months from 0 on. */
  readonly months: ReadonlyMap<string, number>;
  readonly weekdays: readonly string[];
  /** "weeks", "Wochen". */
  readonly units: ReadonlyMap<string, DateUnit>;
  /** "yesterday", "this month", "next year": steps of a unit from the current one. */
  readonly steps: ReadonlyMap<string, CalendarStep>;
  /** "6 weeks ago", for a number of units. */
  readonly ago: (count: number) => ReadonlyMap<string, CalendarStep>;
}

const CALENDAR = ['day', 'week', 'month', 'quarter', 'year'] as const;
/** `Intl.NumberFormat` has no quarters. */
const COUNTED = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;

function monthNames(locale: string): Map<string, number> {
  const names = new Map<string, number>();
  for (const month of ['long', 'short'] as const) {
    // Some languages have another form of the name next to a day.
    for (const day of [undefined, 'numeric'] as const) {
      const format = new Intl.DateTimeFormat(locale, { month, day, timeZone: 'UTC' });
      for (let i = 0; i < 12; i++) {
        const parts = format.formatToParts(Date.UTC(2000, i, 20));
        const name = plainDateText(parts.find(({ type }) => type === 'month')?.value ?? '');
        if (/^\p{L}/u.test(name)) names.set(name, i);
      }
    }
  }
  return names;
}

function weekdayNames(locale: string): string[] {
  return (['long', 'short'] as const).flatMap((weekday) => {
    const format = new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
    return Array.from({ length: 7 }, (_, i) =>
      plainDateText(format.format(Date.UTC(2000, 0, 2 + i))),
    );
  });
}

function unitNames(locale: string): Map<string, DateUnit> {
  const names = new Map<string, DateUnit>();
  for (const unit of COUNTED) {
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
    for (const count of [1, 2, 5]) {
      const part = format.formatToParts(count).find(({ type }) => type === 'unit');
      if (part) names.set(plainDateText(part.value), unit);
    }
  }
  return names;
}

/** The names of a language. @param locale - BCP 47. */
export function dateNames(locale: string): DateNames {
  const auto = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const always = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  const phrases = (format: Intl.RelativeTimeFormat, amounts: readonly number[]) =>
    new Map(
      CALENDAR.flatMap((unit) =>
        amounts.map(
          (steps) => [plainDateText(format.format(steps, unit)), { unit, steps }] as const,
        ),
      ),
    );
  return {
    months: monthNames(locale),
    weekdays: weekdayNames(locale),
    units: unitNames(locale),
    steps: new Map([
      ...phrases(auto, [-2, -1, 0, 1, 2]),
      [plainDateText(auto.format(0, 'second')), { unit: 'day', steps: 0 } as const],
    ]),
    ago: (count) => phrases(always, [-count, count]),
  };
}
