import type { CauseKind } from '#core/causes/causes.ts';

/** The place that a figure of a finding leads to: a cell of the summary table, or a peak. */
export type Lead =
  | {
      readonly to: 'row';
      readonly topic: number;
      readonly column: 'total' | 'change' | 'share';
    }
  | { readonly to: 'peak'; readonly key: string };

/** A part of a sentence: plain text, or a figure with the place it leads to. */
export type FindingPart = string | { readonly text: string; readonly lead: Lead };

/** The finding of a board: one sentence and one line of evidence. */
export interface Finding {
  /** The rule that found it. */
  readonly rule: 'change' | 'leader' | 'peak' | 'none';
  /** Without a full stop: it is a heading. */
  readonly sentence: readonly FindingPart[];
  readonly evidence: readonly FindingPart[];
}

/** The change of a topic from the compared period. */
export interface ChangeFigures {
  /** 0.28 for 28 % more; Infinity if there was nothing before. */
  readonly value: number;
  /** The value as on the page: `+28.0 %`, or its counts. */
  readonly text: string;
  /** Both counts, if too few Posts came before for a percentage: `3 to 1,832`; else empty. */
  readonly counts: string;
  /** The same without a sign: `28.0 %`. */
  readonly size: string;
  /** Both ends of its margin: `+21.3 %`, `+35.1 %`. */
  readonly margin: readonly [low: string, high: string];
  /** True if it exceeds its margin. */
  readonly clear: boolean;
  /** True if its margin contains no change at all. */
  readonly unchanged: boolean;
  /** Posts per time in the compared period. */
  readonly before: number;
}

/** The share of a topic among all of them. */
export interface ShareFigures {
  /** Both ends of its margin, 0 to 1; NaN if unknown. */
  readonly low: number;
  readonly high: number;
  readonly text: string;
}

/** The figures of a topic, as in its row of the summary table. */
export interface TopicFigures {
  readonly id: number;
  readonly name: string;
  /** False while one of its figures loads, or if part of the time is missing or not covered. */
  readonly complete: boolean;
  readonly total: { readonly value: number; readonly text: string };
  /** Null if there is none. */
  readonly change: ChangeFigures | null;
  readonly share: ShareFigures | null;
}

/** A peak, as in the list of peaks. */
export interface PeakFigures {
  readonly key: string;
  readonly topic: number;
  readonly when: string;
  /** Its Posts, `6,320 Posts`. */
  readonly posts: string;
  /** The multiple of the usual, `2.1×`; empty if next to none is usual. */
  readonly times: string;
  /** Its first cause; null while it is unknown, and if none is clear. */
  readonly cause: CauseFigures | null;
}

/** The first cause of a peak, as in the drawer. */
export interface CauseFigures {
  readonly kind: CauseKind;
  readonly name: string;
  /** Its share of the Posts: `62%`. */
  readonly share: string;
  /** The Posts that were read, `500 Posts`; empty if these are all. */
  readonly read: string;
}

/** The figures that a page shows. */
export interface FindingFigures {
  /** The visible topics. */
  readonly topics: readonly TopicFigures[];
  /** The largest first; null while they are being found. */
  readonly peaks: readonly PeakFigures[] | null;
  /** The compared period: `the year before`. */
  readonly against: string;
}
