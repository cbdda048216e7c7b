import { CELL_MS } from '#core/time/span.ts';

/** Nodes, and how many of them hold the same Posts. */
export interface Fleet {
  readonly nodes: number;
  readonly copies: number;
}

/** Posts that a fleet holds when each node has so many, copies included. */
export function postsOf({ nodes, copies }: Fleet, perNode: number): number {
  return (nodes * perNode) / copies;
}

/**
 * Posts of a 31-day cell, if the number of Posts a day has grown evenly since the first: the newest cell has nearly twice
 * the mean.
 *
 * @param cell - From 0, the oldest.
 */
export function cellPosts(posts: number, cells: number, cell: number): number {
  return (posts * (2 * cell + 1)) / cells ** 2;
}

/** Posts a second at the end of the newest cell, by the growth of {@link cellPosts}. */
export function newestRate(posts: number, cells: number): number {
  return (2 * posts) / (cells * (CELL_MS / 1000));
}

/** Mean of the largest of `n` values, if they are exponential with a mean of 1: the n-th harmonic number. */
export function largestOf(n: number): number {
  let sum = 0;
  for (let i = 1; i <= n; i++) sum += 1 / i;
  return sum;
}

/** Share of pages that a straggler delays, if so large a share of the answers of single nodes is late. */
export function delayed(late: number, width: number): number {
  return 1 - (1 - late) ** width;
}

/**
 * Likelihood that a part of a cell has no node that works, if `down` nodes are, drawn at random, and the copies of a part
 * lie as far apart as `nodesOf` of the simulation puts them. Parts are taken as independent.
 */
export function refusedShare({ nodes, copies }: Fleet, width: number, down: number): number {
  let lost = 1;
  for (let i = 0; i < copies; i++) lost *= Math.max(0, down - i) / (nodes - i);
  // Parts whose copies are the same nodes fail together.
  const sets = Math.min(width, Math.floor(nodes / copies));
  return 1 - (1 - lost) ** sets;
}
