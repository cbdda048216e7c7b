import type { WeekStart } from '#core/time/resolution.ts';

interface WeekInfo {
  readonly firstDay: number;
}

/** The first day of the week in the region of a locale: 1 is Monday, 7 is Sunday. */
export function weekStartOf(locale: string): WeekStart {
  // Older engines have a property instead of the method.
  const known: Intl.Locale & { getWeekInfo?(): WeekInfo; weekInfo?: WeekInfo } = new Intl.Locale(
    locale,
  );
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay === 7 ? 7 : 1;
}
