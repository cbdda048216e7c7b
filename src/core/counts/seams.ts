import type { Ast } from '#core/query/ast.ts';
import { DAY_MS, PAGE_DAYS } from '#core/time/span.ts';
import { settledOf, type Known } from './known-counts.ts';
import { dayOf, type DayWindow } from './day-windows.ts';

/**
 * The times at which search and counts moved to another index, ascending: 2026-05-04 (specification, Versioning,
 * which names only the day; this is its start).
 */
export const INDEX_MOVES: readonly number[] = [Date.UTC(2026, 4, 4)];

/** Withdrawal and return of the count-based operators (specification, Events 5 and Versioning). */
const COUNT_OPERATORS = {
  names: new Set(['min_likes', 'min_replies', 'min_reposts']),
  withdrawn: Date.UTC(2026, 0, 19),
  back: Date.UTC(2026, 4, 4),
} as const;

/** Generation of the platform's index that answered at an instant: 1 before the first move. */
export function indexAt(instant: number): number {
  return 1 + INDEX_MOVES.filter((move) => move <= instant).length;
}

/** The instant at which counts of one index generation meet those of another. */
export interface Seam {
  readonly at: number;
  /** Index generation of the older counts, by when they were fetched. */
  readonly before: number;
  readonly after: number;
}

/**
 * The seams of a series: where adjacent stretches were fetched under different index generations.
 *
 * @param known - Of the platform, ascending.
 */
export function seamsOf(known: readonly Known[]): Seam[] {
  const seams: Seam[] = [];
  known.forEach(({ from, at }, i) => {
    const previous = known[i - 1];
    if (!previous || previous.to !== from) return;
    const [before, after] = [indexAt(previous.at), indexAt(at)];
    if (before !== after) seams.push({ at: from, before, after });
  });
  return seams;
}

/**
 * The request that shows whether numbers depend on the date of the bucket or of the fetch: the newest
 * settled days fetched under an older index, at most a page. Requested now, the current index answers
 * for the same buckets.
 *
 * @param known - Of the platform, ascending.
 * @returns Null if no settled day was fetched under an older index.
 */
export function probeOf(
  known: readonly Known[],
  now: number,
  settleMs: number,
  pageDays: number = PAGE_DAYS,
): DayWindow | null {
  const current = indexAt(now);
  // A settled day ended before it was fetched, so all of these lie before the move.
  const old = settledOf(
    known.filter(({ at }) => indexAt(at) < current),
    settleMs,
  )
    .map(({ from, to }) => ({ from: Math.ceil(from / DAY_MS), to: dayOf(to) }))
    .filter(({ from, to }) => from < to);
  const newest = old.at(-1);
  if (!newest) return null;
  const from = newest.to - pageDays;
  const oldest = old.find((stretch) => stretch.to > from) ?? newest;
  return { from: Math.max(from, oldest.from), to: newest.to };
}

/** A change of the platform that affects a query. */
export interface DatedChange {
  readonly at: number;
  readonly text: string;
}

function uses(ast: Ast, operators: ReadonlySet<string>): boolean {
  if (ast.kind === 'clause') return operators.has(ast.operator);
  return ast.of.some((part) => uses(part, operators));
}

/** The platform's dated changes that affect a query (specification, Versioning), ascending. */
export function datedChangesOf(ast: Ast): DatedChange[] {
  const moves = INDEX_MOVES.map((at) => ({ at, text: 'new search index' }));
  if (!uses(ast, COUNT_OPERATORS.names)) return moves;
  const { withdrawn, back } = COUNT_OPERATORS;
  return [
    ...moves,
    { at: withdrawn, text: 'min_likes, min_replies and min_reposts withdrawn' },
    { at: back, text: 'min_likes, min_replies and min_reposts back' },
  ].sort((a, b) => a.at - b.at);
}
