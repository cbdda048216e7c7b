import type { BackTest, LiftLevel, LiftRank } from './claim.ts';
import type { Contamination } from './contamination.ts';
import type { LiftUnit } from './lift-input.ts';

/** A band of a lift and of its Posts. */
export interface LiftBand {
  readonly level: LiftLevel;
  /** 0.06 for +6 %. */
  readonly low: number;
  readonly high: number;
  readonly additional: { readonly low: number; readonly high: number };
}

/** A window as a dot of the strip. */
export interface LiftDot {
  /** Start of its first bucket, epoch ms. */
  readonly start: number;
  /** θ − centre: 0 for a window like most, ln 2 for twice as much. */
  readonly value: number;
}

/** The size that a campaign must have to be seen. */
export interface LiftPlan {
  readonly level: LiftLevel;
  /** Separate earlier windows that it follows from. */
  readonly windows: number;
  /** The smallest lift that chance alone does not explain: 1.4 for +140 %. */
  readonly visible: number;
  /** A true lift of this size is found four times in five. */
  readonly planned: number;
}

/** The lift of a campaign, and all from which it follows. */
export interface LiftMeasure extends LiftPlan {
  /** 0.38 for +38 %. */
  readonly lift: number;
  /** Posts of the window, and those that there would not have been without the lift; negative for a fall. */
  readonly posts: number;
  readonly additional: number;
  readonly band: LiftBand;
  /** That at 95 %; null with fewer than 39 separate windows. */
  readonly strict: LiftBand | null;
  readonly rank: LiftRank;
  /** θ − centre of the campaign. */
  readonly value: number;
  /** The middle of θ in the earlier windows. */
  readonly centre: number;
  /**
   * The weight β of the control, 0 to 1, and the part of the variance of earlier log ratios that it removes,
   * `1 − var(r_y − β·r_c) / var(r_y)`, 0 to 1; null without a control.
   */
  readonly control: { readonly weight: number; readonly explained: number } | null;
  /** All earlier windows, by their start. */
  readonly earlier: readonly LiftDot[];
  /** The three windows before the campaign and after it, in order of time; null where a window cannot be compared. */
  readonly around: {
    readonly before: readonly (LiftDot | null)[];
    readonly after: readonly (LiftDot | null)[];
  };
  /**
   * Posts of each of its buckets as they would be without it, `E·exp(β·r_c + centre)`, and the band of that: the
   * window's, in equal parts. The Posts of the window are outside its sum exactly if the band of the lift excludes 0.
   */
  readonly without: {
    readonly expected: Float64Array;
    readonly low: Float64Array;
    readonly high: Float64Array;
  };
}

/** A measure next to the lift of all Posts, or the reason for which there is none. */
export type LiftSide = (LiftMeasure & { readonly kind: 'measure' }) | LiftRefusal;

/** A lift with the level of everyday and the accounts next to it. */
export interface LiftFigure extends LiftMeasure {
  readonly kind: 'figure';
  readonly unit: LiftUnit;
  /** Buckets of the campaign. */
  readonly length: number;
  /** The same of days capped at twice the median of the before-time plus 5 Posts. */
  readonly everyday: LiftSide;
  /** The same of different accounts, whose numbers are in the places of Posts; null if the source does not say. */
  readonly accounts: LiftSide | null;
  readonly backTest: BackTest;
  readonly contamination: Contamination | null;
}

/** The reason for which there is no figure. */
export type LiftRefusal = { readonly kind: 'refusal'; readonly unit: LiftUnit } & (
  | { readonly why: 'future'; readonly plan: LiftPlan }
  | { readonly why: 'running' }
  | {
      /** Buckets without a count, or with one that may still change. */
      readonly why: 'missing' | 'provisional';
      readonly buckets: number;
      readonly place: 'campaign' | 'before';
      readonly of: 'series' | 'control';
    }
  | {
      /** The source has no counts from before it, or other campaigns leave no such time for one of its weekdays or hours. */
      readonly why: 'uncovered' | 'crowded';
    }
  | { readonly why: 'seam' }
  | { readonly why: 'contaminated'; readonly share: number }
  | {
      readonly why: 'few-posts';
      /** Posts that are usual in its time. */
      readonly usual: number;
      readonly of: 'series' | 'control';
    }
  | {
      readonly why: 'few-windows';
      readonly windows: number;
      /** Buckets of further history that would give nine windows; null if none would. */
      readonly more: number | null;
    }
  | {
      readonly why: 'too-long';
      /** Buckets of the longest campaign that can be compared. */
      readonly longest: number;
    }
);

export type Lift = LiftFigure | LiftRefusal;
