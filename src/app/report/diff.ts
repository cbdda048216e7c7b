import { bucketsInView } from '#app/board/files/export-input.ts';
import { revisionOf } from '#app/counts/cache/store-row.ts';
import type { OpenedBundle } from '#app/export/bundle.ts';
import type { BundleSeries, CarriedSeries } from '#app/export/fixed.ts';
import { FACTS, line, storeIn, type NoteInput } from '#app/export/note.ts';
import {
  BoardError,
  type BucketDiff,
  type CountsFile,
  type DiffReason,
  type OtherBuckets,
  type ReportSurroundings,
  type TopicDiff,
} from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import { format } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { cellOf, type Span } from '#core/time/span.ts';
import { countedBoard } from './counted-board.ts';
import { countsInFile, seriesFacts } from './counts-in-file.ts';
import { bundleContent } from './given-board.ts';

/** The receipt of a bucket, as far as the file has it. */
interface Receipt {
  /** Revision of the store, and its mark; null if not known. */
  readonly revision: number | null;
  readonly mark?: string | undefined;
  /** The versions of the platform's index; empty if not known. */
  readonly index: string;
}

/** A series of a file with its origin: empty or null for what the file does not say. */
interface Topic {
  readonly label: string;
  readonly query: string;
  /** The query in one form for all ways of typing it. */
  readonly canonical: string;
  readonly source: string;
  readonly computed: boolean;
  readonly store: string | null;
  readonly rules: string | null;
  readonly curve: Curve;
  readonly receiptOf: (bucket: Span) => Receipt;
}

/** One side of a bucket. */
interface Side extends Receipt {
  readonly topic: Topic;
  readonly count: number;
  readonly state: number | undefined;
  readonly fetchedAt: number;
}

interface Rule {
  readonly reason: DiffReason;
  readonly holds: (old: Side, now: Side) => boolean;
  readonly why: (old: Side, now: Side) => string;
}

function canonicalOf(query: string): string {
  const parsed = parse(query, { own: true });
  return parsed.ok ? format(parsed.ast) : query;
}

const queryOf = (query: string): Pick<Topic, 'query' | 'canonical'> => ({
  query,
  canonical: canonicalOf(query),
});

const differ = <T>(a: T | null, b: T | null): boolean =>
  a !== null && b !== null && a !== '' && b !== '' && a !== b;

const MOST_SHOWN = 60;
const shown = (text: string): string =>
  line(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);

const revisions = (old: Side, now: Side): string =>
  `the store went from revision ${old.revision} to ${now.revision}`;

/** By how many Posts the later revision has more. */
const added = (old: Side, now: Side): number =>
  (now.count - old.count) * ((now.revision ?? 0) > (old.revision ?? 0) ? 1 : -1);

/** True if a later fetch has an earlier revision. */
const isEarlier = (fetchedFirst: Side, fetchedLast: Side): boolean =>
  fetchedFirst.fetchedAt < fetchedLast.fetchedAt &&
  (fetchedFirst.revision ?? -Infinity) > (fetchedLast.revision ?? Infinity);

const either =
  (state: number) =>
  (old: Side, now: Side): boolean =>
    old.state === state || now.state === state;

const lacking = (old: Side, now: Side): Side => (Number.isNaN(old.count) ? old : now);
const nameOf = (side: Side, old: Side): string => `the ${side === old ? 'old' : 'new'} file`;
const withState = (state: number, old: Side, now: Side): string =>
  [old, now]
    .filter((side) => side.state === state)
    .map((side) => nameOf(side, old))
    .join(' and ');

/** The first that holds is the reason. */
const RULES: readonly Rule[] = [
  {
    reason: 'query',
    holds: ({ topic: a }, { topic: b }) => differ(a.canonical, b.canonical),
    why: ({ topic: a }, { topic: b }) => `another query: ${shown(a.query)} → ${shown(b.query)}`,
  },
  {
    reason: 'source',
    holds: ({ topic: a }, { topic: b }) => differ(a.source, b.source),
    why: ({ topic: a }, { topic: b }) => `another source: ${shown(a.source)} → ${shown(b.source)}`,
  },
  {
    reason: 'store',
    holds: ({ topic: a }, { topic: b }) => differ(a.store, b.store),
    why: () => 'another store of Posts',
  },
  {
    reason: 'rules',
    holds: ({ topic: a }, { topic: b }) => differ(a.rules, b.rules),
    why: ({ topic: a }, { topic: b }) =>
      `other rules of queries: ${shown(a.rules ?? '')} → ${shown(b.rules ?? '')}`,
  },
  {
    reason: 'uncovered',
    holds: (old, now) => lacking(old, now).state === STATE.uncovered,
    why: (old, now) => `the source of ${nameOf(lacking(old, now), old)} has no data there`,
  },
  {
    reason: 'uncounted',
    holds: (old, now) => Number.isNaN(lacking(old, now).count),
    why: (old, now) => `${nameOf(lacking(old, now), old)} has no count of it`,
  },
  {
    reason: 'computed',
    holds: ({ topic: a }, { topic: b }) => a.computed || b.computed,
    why: () => 'it is computed from other topics',
  },
  {
    reason: 'index',
    holds: (old, now) => differ(old.index, now.index),
    why: (old, now) => `another index of the platform: version ${old.index} → ${now.index}`,
  },
  {
    reason: 'restored',
    holds: (old, now) =>
      (old.revision === now.revision && differ(old.mark ?? null, now.mark ?? null)) ||
      isEarlier(old, now) ||
      isEarlier(now, old),
    why: () => 'the store was restored from a backup',
  },
  {
    reason: 'import',
    holds: (old, now) => differ(old.revision, now.revision) && added(old, now) > 0,
    why: (old, now) => `Posts were added or included: ${revisions(old, now)}`,
  },
  {
    reason: 'deletion',
    holds: (old, now) => differ(old.revision, now.revision),
    why: (old, now) => `Posts were deleted or excluded, or no longer match: ${revisions(old, now)}`,
  },
  {
    reason: 'unfinished',
    holds: either(STATE.partial),
    why: (old, now) => `cut or not over yet in ${withState(STATE.partial, old, now)}`,
  },
  {
    reason: 'unsettled',
    holds: either(STATE.provisional),
    why: (old, now) => `not settled yet in ${withState(STATE.provisional, old, now)}`,
  },
  { reason: 'unknown', holds: () => true, why: () => 'the files do not tell' },
];

const NO_RECEIPT: Receipt = { revision: null, index: '' };

/** The receipts of a bundle's pages, by bucket. */
function receiptsIn({ contents }: BundleSeries): Topic['receiptOf'] {
  const { records, receipts, row } = contents;
  const versions = new Map(receipts.map(({ id, index }) => [id, index]));
  const cells = new Map<number, (typeof records)[number][]>();
  for (const record of records) {
    const cell = record.key[2];
    cells.set(cell, [...(cells.get(cell) ?? []), record]);
  }
  return ({ start, end }) => {
    let generation = -1;
    const indexes = new Set<number>();
    for (let cell = cellOf(start); cell <= cellOf(end - 1); cell += 1) {
      for (const { segments, receipts: notes } of cells.get(cell) ?? []) {
        for (const { from, to, receipt } of segments) {
          if (to <= start || from >= end) continue;
          generation = Math.max(generation, notes[receipt]?.generation ?? -1);
          // A part that was bought again appends its generation.
          const index = versions.get(receipt) ?? versions.get(receipt.replace(/~\d+$/, ''));
          if (index !== undefined) indexes.add(index);
        }
      }
    }
    // Of the platform a generation is a purchase, and elsewhere there are no versions.
    return row.source === 'platform'
      ? { revision: null, index: [...indexes].sort((a, b) => a - b).join(' and ') }
      : { revision: generation < 0 ? null : revisionOf(generation), index: '' };
  };
}

/** The series that a bundle shows, in the buckets of its view. */
async function topicsInBundle(
  bundle: OpenedBundle,
  surroundings: ReportSurroundings,
): Promise<readonly Topic[]> {
  const none = { sources: [], stop: new AbortController().signal };
  const count = (): never => {
    throw new BoardError('It has a series without counts.');
  };
  const counts = { ...none, count };
  const board = await countedBoard(bundleContent(bundle), surroundings, counts, undefined, true);
  const { bounds, series } = bucketsInView(board);
  return series.map(({ label, query, source, ...curve }, i): Topic => {
    const { kind, shown = '', fixed = null } = board.series.loaded[i] ?? {};
    const origin = fixed?.origin as CarriedSeries | undefined;
    const common = { label, source, computed: kind === 'formula', curve: { bounds, ...curve } };
    if (origin?.from !== 'bundle') {
      const typed = kind === 'formula' ? shown : query;
      return {
        ...common,
        ...queryOf(typed),
        store: null,
        rules: null,
        receiptOf: () => NO_RECEIPT,
      };
    }
    const { row } = origin.contents;
    const [, , , rules] = JSON.parse(row.key) as readonly unknown[];
    const from = { store: row.store, rules: `version ${String(rules)}` };
    return { ...common, ...queryOf(query), ...from, receiptOf: receiptsIn(origin) };
  });
}

/** @throws {@link BoardError} that names the file. */
async function topicsIn(
  file: CountsFile,
  surroundings: ReportSurroundings,
): Promise<readonly Topic[]> {
  try {
    const found = await countsInFile(file);
    if (found.kind === 'bundle') return await topicsInBundle(found.bundle, surroundings);
    const { series, method } = found;
    const notes = new Map(method.map(({ name, value }) => [name, value]));
    const facts = seriesFacts(method);
    const store = storeIn(notes.get(FACTS.store) ?? '');
    return series.map(({ label, query, source, curve }, i): Topic => {
      const said = facts[i] ?? new Map<string, string>();
      const formula = said.get(FACTS.formula);
      const counted = said.has(FACTS.query);
      return {
        label,
        ...queryOf(query || (said.get(FACTS.query) ?? formula ?? '')),
        source: formula === undefined ? source : '',
        computed: formula !== undefined,
        store: counted && store ? store.store : null,
        rules: (counted && notes.get(FACTS.rules)) || null,
        curve,
        receiptOf: () => receiptOfNote(counted ? store : null),
      };
    });
  } catch (error) {
    if (!(error instanceof BoardError || error instanceof Fault)) throw error;
    throw new BoardError(`${file.name}: ${error.message}`);
  }
}

function receiptOfNote(store: NoteInput['store']): Receipt {
  return store ? { revision: store.revision, mark: store.mark, index: '' } : NO_RECEIPT;
}

/** Pairs topics by label, then by query; one that remains in each file is the same with another query. */
function paired(old: readonly Topic[], now: readonly Topic[]): [Topic | null, Topic | null][] {
  const [before, after] = [new Set(old), new Set(now)];
  const pairs = new Map<Topic, Topic>();
  const pair = (a: Topic, b: Topic | undefined): void => {
    if (!b) return;
    pairs.set(a, b);
    before.delete(a);
    after.delete(b);
  };
  for (const a of before)
    pair(
      a,
      [...after].find(({ label }) => label === a.label),
    );
  for (const a of before) {
    if (a.canonical !== '')
      pair(
        a,
        [...after].find((b) => b.canonical === a.canonical),
      );
  }
  if (before.size === 1 && after.size === 1) for (const a of before) pair(a, [...after][0]);
  return [
    ...old.map((a): [Topic, Topic | null] => [a, pairs.get(a) ?? null]),
    ...[...after].map((b): [null, Topic] => [null, b]),
  ];
}

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
  add(span: Span, a: number | null, b: number | null, sides: () => [old: Side, now: Side]): void {
    if (a === b) {
      this[a === null ? 'unknown' : 'same'] += 1;
      return;
    }
    if (a === null) this.onlyKnown.new += 1;
    else if (b === null) this.onlyKnown.old += 1;
    else this.moved += 1;
    const [old, now] = sides();
    const rule = RULES.find(({ holds }) => holds(old, now));
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

function sideOf(topic: Topic, i: number, bucket: Span): Side {
  const { counts, states, fetchedAt } = topic.curve;
  return {
    topic,
    count: counts[i] ?? Number.NaN,
    state: states[i],
    fetchedAt: fetchedAt[i] ?? Number.NaN,
    ...topic.receiptOf(bucket),
  };
}

function topicDiff(a: Topic | null, b: Topic | null, limit: number): TopicDiff {
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
  return paired(old, now).map(([a, b]) => topicDiff(a, b, limit));
}
