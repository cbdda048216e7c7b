import type { WeekStart } from '#core/time/resolution.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import type { DateLanguage } from './date-finder.ts';

/** The facts on which reading a date depends. */
export interface DateContext {
  readonly languages: readonly DateLanguage[];
  /** The order that `3/4/2026` has; `any` takes what the numbers allow. */
  readonly order: 'day-month' | 'month-day' | 'any';
  readonly table: ZoneTable;
  readonly weekStart: WeekStart;
  /** Epoch ms. */
  readonly now: number;
}

/** A date as far as it is typed, or whole days, or one that the calendar lacks. Days are wall times of their midnights. */
export type DatePart =
  | { readonly kind: 'none'; readonly why: string; readonly time?: string | undefined }
  | {
      readonly kind: 'date';
      readonly year?: number | undefined;
      /** From 1. */
      readonly month?: number | undefined;
      readonly day?: number | undefined;
      /** `14:30`. */
      readonly time?: string | undefined;
    }
  | {
      readonly kind: 'days';
      readonly first: number;
      readonly last: number;
      /** True if it is the most recent day of that name. */
      readonly weekday?: true;
      readonly time?: string | undefined;
    };
