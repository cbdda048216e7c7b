import type { ReportProgram } from '#contract/counts/report.ts';
import { grouped } from '#core/format/number-text.ts';
import { groupedPlural } from '#core/format/plural.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { givenFile } from './report.ts';
import { CommandError } from '#server/command-error.ts';
import type { BucketDiff, OtherBuckets, TopicDiff } from '#contract/counts/report-diff.ts';

interface DiffOrder {
  readonly old: string;
  readonly new: string;
  /** Maximum number of buckets listed for each topic. */
  readonly limit: number;
  readonly json: boolean;
}

const iso = (at: number): string => new Date(at).toISOString();
/** `2026-05-01T00:00Z`. */
const minute = (at: number): string => iso(at).replace(/:\d\d\.\d{3}Z$/, 'Z');

const count = (value: number | null): string => (value === null ? 'unknown' : grouped(value));

const signed = (value: number): string =>
  `${['-', '', '+'][Math.sign(value) + 1]}${grouped(Math.abs(value))}`;

function bucketLine({ start, end, old, new: now, difference, why }: BucketDiff): string {
  const by = difference === null ? '' : ` (${signed(difference)})`;
  return `  ${minute(start)} to ${minute(end)}  ${count(old)} → ${count(now)}${by}  ${why}`;
}

function othersLine(of: OtherBuckets | null, file: string): string[] {
  if (!of) return [];
  const { buckets, start, end } = of;
  return [
    `  only in ${file}: ${groupedPlural(buckets, 'bucket')}, ${minute(start)} to ${minute(end)}`,
  ];
}

function isSame({ in: where, moved, onlyKnown, only, incomparable }: TopicDiff): boolean {
  const others = moved + onlyKnown.old + onlyKnown.new + incomparable.old + incomparable.new;
  return where === 'both' && others === 0 && !only.old && !only.new;
}

function topicText(diff: TopicDiff, order: DiffOrder): string {
  const { topic, same, unknown, moved, onlyKnown, buckets, only, incomparable } = diff;
  const head =
    diff.in === 'both'
      ? [
          `${groupedPlural(moved, 'bucket')} moved`,
          `${grouped(same)} the same`,
          ...(onlyKnown.old ? [`${grouped(onlyKnown.old)} known only to ${order.old}`] : []),
          ...(onlyKnown.new ? [`${grouped(onlyKnown.new)} known only to ${order.new}`] : []),
          ...(unknown ? [`${grouped(unknown)} known to neither`] : []),
        ].join(', ')
      : `only in ${order[diff.in]}`;
  const rest = moved + onlyKnown.old + onlyKnown.new - buckets.length;
  const reasons = Object.entries(diff.reasons).map(([name, n]) => `${name} ${grouped(n)}`);
  const { old, new: now } = incomparable;
  return [
    `${topic}: ${head}`,
    ...buckets.map(bucketLine),
    ...(rest > 0 ? [`  and ${grouped(rest)} more; all by reason: ${reasons.join(', ')}`] : []),
    ...othersLine(only.old, order.old),
    ...othersLine(only.new, order.new),
    ...(old + now > 0
      ? [
          `  not comparable, because their edges differ as by another resolution, time zone or range: ${groupedPlural(old, 'bucket')} of ${order.old}, ${grouped(now)} of ${order.new}`,
        ]
      : []),
    '',
  ].join('\n');
}

/** Times as ISO text. */
const jsonText = (topics: readonly TopicDiff[], isEqual: boolean): string =>
  `${JSON.stringify({ same: isEqual, topics }, (key, value: unknown) =>
    (key === 'start' || key === 'end') && typeof value === 'number' ? iso(value) : value,
  )}\n`;

/**
 * `groundswell diff`: prints how the counts of two files differ.
 *
 * @returns The exit code: 0 if they do not, 1 if they do, 2 if a file cannot be read.
 */
export async function runDiff(deps: CommandDeps, order: DiffOrder): Promise<number> {
  const program = (await import(/* @vite-ignore */ deps.reporter.href)) as ReportProgram;
  const { locale, timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  try {
    // The whole path: files of the same name in two folders are compared.
    const [old, now] = [order.old, order.new].map((path) => ({ ...givenFile(path), name: path }));
    const topics = await program.diffFiles({ old: old!, new: now! }, order.limit, {
      now: deps.now(),
      zone,
      locale,
    });
    const isEqual = topics.every(isSame);
    const text = topics.map((diff) => topicText(diff, order)).join('');
    deps.out(order.json ? jsonText(topics, isEqual) : text);
    return isEqual ? 0 : 1;
  } catch (error) {
    // A class of the program of reports, which is built apart.
    const isBad = error instanceof Error && error.name === 'BoardError';
    if (!isBad && !(error instanceof CommandError)) throw error;
    deps.err(`${error.message}\n`);
    return 2;
  }
}
