import type { WeekStart } from '#core/time/resolution.ts';

/** The first day of the week in the region of a locale: 1 is Monday, 7 is Sunday. */
export function weekStartOf(locale: string): WeekStart {
  const known: Intl.Locale & { getWeekInfo?(): { firstDay: number } } = new Intl.Locale(locale);
  return known.getWeekInfo?.().firstDay === 7 ? 7 : 1;
}
