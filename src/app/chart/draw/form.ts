import { EARLIER, type ChosenPeriod, type NamedPeriods } from '#core/series/comparison.ts';

/** The forms in which curves are drawn. */
export const FORMS = ['line', 'area', 'stack', 'share', 'bars', 'multiples'] as const;
export type Form = (typeof FORMS)[number];

/** The scales of the rows of small multiples: one of each, or one for all. */
export const ROW_SCALES = ['own', 'shared'] as const;
export type RowScale = (typeof ROW_SCALES)[number];

/** Scales of the value axis; `log` includes zero. */
export const SCALES = ['linear', 'log'] as const;
export type Scale = (typeof SCALES)[number];

/** The values that are drawn: counts, or values computed from their exact sums. */
export type Trend =
  | { readonly kind: 'none' }
  | { readonly kind: 'cumulative' }
  /** Mean of the last `buckets` buckets, including the current one. */
  | { readonly kind: 'average'; readonly buckets: number }
  /** 100 at the first whole bucket in view that has a Post. */
  | { readonly kind: 'index' }
  /** Posts per 100,000 of another series, by its id. */
  | { readonly kind: 'per'; readonly of: number };

/** The periods that a view can be compared with by name, one at a time. */
export const COMPARISONS = ['none', ...EARLIER] as const;
/** The period that a view is compared with, or several. */
export type Comparison = 'none' | NamedPeriods | ChosenPeriod;
