import type { Formatter } from '#app/format/formatter.ts';
import type { Cause, Causes } from '#core/causes/causes.ts';
import { causeName, causeRows } from '#core/causes/cause-words.ts';

/** Causes, and those of the usual time that are missing. */
export interface ShownCauses extends Causes {
  readonly missing: readonly Cause[];
}

/** The causes of a time, under a heading. */
export interface HeadedCauses {
  /** The time and the series: `6–14 April · Matcha`. */
  readonly title: string;
  /** Colour of the series, from 1 on. */
  readonly colour: number;
  /** Posts of the time; more than those of the causes if only some were read. */
  readonly count: number;
  readonly causes: Causes;
}

/** The causes in one line, with the number of Posts that were read if that is not all of them. */
export function causesLine(causes: Causes, count: number, format: Formatter): string {
  const rows = causeRows(causes).map(
    ({ name, percent }) => `${format.share(percent / 100)} ${name}`,
  );
  const read = causes.posts < count ? ` (of ${format.counted(causes.posts, 'Post')} read)` : '';
  return rows.join(', ') + read;
}

/** The causes as lines of text, under a heading. */
export function causesText(heading: string, causes: ShownCauses, format: Formatter): string {
  const rows = causeRows(causes).map(
    ({ name, percent }) => `${format.share(percent / 100)} ${name}`,
  );
  const missing = causes.missing.map(
    (cause) => `${causeName(cause)}: ${missingCauseWords(cause, format)}`,
  );
  return [heading, ...rows, ...missing].join('\n');
}

/** `3 of the usual 20`. */
export function missingCauseWords({ posts, usual }: Cause, format: Formatter): string {
  return `${format.count(posts)} of the usual ${format.count(Math.round(usual ?? 0))}`;
}
