import { line } from '#app/export/note.ts';
import type { CountsFile, ReportSurroundings } from '#contract/counts/report.ts';
import type { Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';
import { type DiffSide, DIFF_RULES } from './diff-rules.ts';
import { type FileTopic, topicsIn, pairedTopics } from './file-topics.ts';
import type {
  BucketDiff,
  DiffReason,
  OtherBuckets,
  TopicDiff,
} from '#contract/counts/report-diff.ts';

/** The buckets of one file that the other lacks. */
class Others {
  only: OtherBuckets | null = null;
  incomparable = 0;

  /** @param overlaps - Whether buckets of the other file have a part of its time. */
  add({ start, end }: Span, overlaps: boolean): void {
    if (overlaps) this.incomparable += 1;
    else {
      const { start: first = start, buckets = 0 } = this.only ?? {};
      this.only = { start: first, end, buckets: buckets + 1 };
    }
  }
}

const known = (count = Number.NaN): number | null => (Number.isNaN(count) ? null : count);

/** The differences of the buckets that two topics share. */
class Differences {
  same = 0;
  unknown = 0;
  moved = 0;
  readonly onlyKnown = { old: 0, new: 0 };
  readonly reasons: Partial<Record<DiffReason, number>> = {};
  readonly buckets: BucketDiff[] = [];
  readonly #limit: number;

  /** @param limit - Maximum number of {@link buckets}. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param sides - Called only where the counts differ. */
  add(
    span: Span,
    a: number | null,
    b: number | null,
    sides: () => [old: DiffSide, now: DiffSide],
  ): void {
    if (a === b) {
      this[a === null ? 'unknown' : 'same'] += 1;
      return;
    }
    if (a === null) this.onlyKnown.new += 1;
    else if (b === null) this.onlyKnown.old += 1;
    else this.moved += 1;
    const [old, now] = sides();
    const rule = DIFF_RULES.find(({ holds }) => holds(old, now));
    if (!rule) throw new TypeError('expected a rule for every difference');
    const { reason } = rule;
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1;
    if (this.buckets.length >= this.#limit) return;
    const difference = a === null || b === null ? null : b - a;
    this.buckets.push({ ...span, old: a, new: b, difference, reason, why: rule.why(old, now) });
  }
}

const NO_BUCKETS: Curve = {
  bounds: new Float64Array(),
  counts: new Float64Array(),
  states: new Uint8Array(),
  fetchedAt: new Float64Array(),
};

function bucketOf({ bounds, counts }: Curve, i: number): Span {
  // After the last bucket.
  if (i >= counts.length) return { start: Infinity, end: Infinity };
  return { start: bounds[i] ?? 0, end: bounds[i + 1] ?? 0 };
}

function sideOf(topic: FileTopic, i: number, bucket: Span): DiffSide {
  const { counts, states, fetchedAt } = topic.curve;
  return {
    topic,
    count: counts[i] ?? Number.NaN,
    state: states[i],
    fetchedAt: fetchedAt[i] ?? Number.NaN,
    ...topic.receiptOf(bucket),
  };
}

function topicDiff(a: FileTopic | null, b: FileTopic | null, limit: number): TopicDiff {
  const [old, now] = [a?.curve ?? NO_BUCKETS, b?.curve ?? NO_BUCKETS];
  const [before, after, both] = [new Others(), new Others(), new Differences(limit)];
  let [i, j] = [0, 0];
  // Ends of the buckets before, which may reach into the next one of the other file.
  let [oldEnd, newEnd] = [-Infinity, -Infinity];
  while (i < old.counts.length || j < now.counts.length) {
    const [left, right] = [bucketOf(old, i), bucketOf(now, j)];
    if (a && b && left.start === right.start && left.end === right.end) {
      const [at, to] = [i, j];
      both.add(left, known(old.counts[i]), known(now.counts[j]), () => [
        sideOf(a, at, left),
        sideOf(b, to, right),
      ]);
      [i, j, oldEnd, newEnd] = [i + 1, j + 1, left.end, right.end];
    } else if (left.end < right.end || (left.end === right.end && left.start < right.start)) {
      before.add(left, right.start < left.end || newEnd > left.start);
      [i, oldEnd] = [i + 1, left.end];
    } else {
      after.add(right, left.start < right.end || oldEnd > right.start);
      [j, newEnd] = [j + 1, right.end];
    }
  }
  const { same, unknown, moved, onlyKnown, reasons, buckets } = both;
  return {
    topic: [...new Set([a, b].flatMap((topic) => (topic ? [line(topic.label)] : [])))].join(' → '),
    in: a && b ? 'both' : a ? 'old' : 'new',
    same,
    unknown,
    moved,
    onlyKnown,
    reasons,
    buckets,
    only: { old: before.only, new: after.only },
    incomparable: { old: before.incomparable, new: after.incomparable },
  };
}

/**
 * Compares the counts of two files, bucket by bucket, topic by topic. Buckets are compared if they have the same edges.
 * Reasons are as far as the files tell: nothing is counted again.
 *
 * @param limit - Maximum number of buckets that each topic lists.
 * @returns The topics in the order of the old file, then those that only the new one has.
 * @throws {@link BoardError} that names the file, if its counts cannot be read.
 */
export async function diffFiles(
  files: { readonly old: CountsFile; readonly new: CountsFile },
  limit: number,
  surroundings: ReportSurroundings,
): Promise<readonly TopicDiff[]> {
  const old = await topicsIn(files.old, surroundings);
  const now = await topicsIn(files.new, surroundings);
  return pairedTopics(old, now).map(([a, b]) => topicDiff(a, b, limit));
}
