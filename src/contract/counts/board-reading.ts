import type { Span } from '#core/time/span.ts';

/** A view in numbers and words, as a page has them. */
export interface BoardReading {
  /** The finding and its evidence, which quotes Posts; empty where too little is known for one. */
  readonly sentence: string;
  readonly evidence: string;
  /** The counts as the dashboard's JSON file. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Part of the counts that are known, 0 to 1. */
  readonly known: number;
  /** The compared time in words: `the year before`. */
  readonly against: string;
  readonly series: readonly SeriesReading[];
  /** The largest of each series, the largest excess first. */
  readonly peaks: readonly PeakReading[];
  /** The number of smaller ones that are left out. */
  readonly morePeaks: number;
  /** Names of series with too few whole buckets to find peaks. */
  readonly withoutPeaks: readonly string[];
}

/** Figures of a series, as in its row of the summary table. */
export interface SeriesReading {
  readonly name: string;
  /** Sum of the known counts; null if none is known. */
  readonly posts: number | null;
  /** Known part of the time up to now, 0 to 1. */
  readonly known: number;
  /** From the compared time; null if it has none. */
  readonly change: {
    /** Posts of the compared time. */
    readonly before: number;
    /** 0.28 for 28 % more in the same time, with the ends of its margin; null if there were none before. */
    readonly value: number | null;
    readonly low: number | null;
    readonly high: number | null;
    /** True if it exceeds its margin. */
    readonly clear: boolean;
  } | null;
}

export interface PeakReading {
  readonly series: string;
  /** Epoch ms. */
  readonly span: Span;
  readonly posts: number;
  readonly expected: number;
  /** Its causes in one line, which quotes Posts; empty if they are not known. */
  readonly causes: string;
}
