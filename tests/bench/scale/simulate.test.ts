import { describe, expect, it } from 'vitest';
import type { Random } from '#server/sample/random.ts';
import { largestOf, refusedShare } from './fleet.ts';
import { nodesOf, simulate, type Outcome, type Setup } from './simulate.ts';

/** One node with one core; merging and the network take no time. */
const ONE: Setup = {
  nodes: 1,
  fronts: 1,
  cores: 1,
  copies: 1,
  rate: 500,
  pages: 20_000,
  page: () => ({ cell: 0, width: 1, part: 1 }),
  noise: () => 1,
  merging: { perAnswer: 0, answer: 0, roundTrip: 0, transfer: 0, group: Infinity },
  again: () => Infinity,
  down: 0,
  known: true,
  seed: 1,
};

const exponential = (random: Random): number => -Math.log(1 - random.next());

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** True if a value is within a share of the expected one. */
function isNear(got: number, expected: number, share: number): void {
  expect(Math.abs(got - expected)).toBeLessThanOrEqual(share * expected);
}

/** Likelihood that a page waits, of a queue with so many cores and so much work (Erlang C). */
function waits(cores: number, work: number): number {
  let sum = 0;
  let term = 1;
  for (let k = 0; k < cores; k++) {
    sum += term;
    term *= work / (k + 1);
  }
  const all = (term * cores) / (cores - work);
  return all / (sum + all);
}

describe('a queue', () => {
  it('with exponential times takes 1 / (μ − λ) on average', () => {
    for (const rate of [300, 700]) {
      const { latencies } = simulate({ ...ONE, rate, noise: exponential });
      isNear(mean(latencies), 1 / (1 - rate / 1000), 0.06);
    }
  });

  it('with equal times waits half as long (Pollaczek and Khinchine)', () => {
    const [rate, load] = [700, 0.7];
    const { latencies } = simulate({ ...ONE, rate });
    isNear(mean(latencies), 1 + load / (2 * (1 - load)), 0.03);
  });

  it('with several cores waits as Erlang says', () => {
    const [cores, work] = [4, 3];
    const { latencies } = simulate({ ...ONE, cores, rate: work * 1000, noise: exponential });
    isNear(mean(latencies), 1 + waits(cores, work) / (cores - work), 0.06);
  });
});

/** Many nodes, hardly any load. */
const WIDE: Setup = { ...ONE, nodes: 64, rate: 0.1, pages: 2000, noise: exponential };
const over = (width: number) => () => ({ cell: 0, width, part: 1 });

describe('a page of many parts', () => {
  it.each([1, 8, 64])('waits for the slowest of %d as long as their largest value', (width) => {
    const { latencies } = simulate({ ...WIDE, page: over(width) });
    isNear(mean(latencies), largestOf(width), width === 1 ? 0.06 : 0.03);
  });

  it('has the time of the network, of adding each answer and of the whole answer', () => {
    const merging = { perAnswer: 2, answer: 5, roundTrip: 1, transfer: 0.25, group: 8 };
    const { latencies } = simulate({
      ...WIDE,
      cores: 64,
      page: over(64),
      pages: 50,
      noise: () => 1,
      merging,
    });
    // Out and back, between two levels; a part; eight answers received and added, twice; the whole answer.
    const expected = 0.5 + 1 + (0.5 + 8 * 0.25 + 8 * 2) * 2 + 5 + 0.5;
    for (const ms of latencies) expect(ms).toBeCloseTo(expected, 6);
  });

  it('is asked of another copy if one takes too long, and the first answer counts', () => {
    const again = 1.5;
    const setup = { ...WIDE, copies: 2, again: () => again, pages: 20_000 };
    const { latencies, jobs } = simulate(setup);
    isNear(jobs.again / setup.pages, Math.exp(-again), 0.05);
    // P(T > t) is that of one copy up to `again`, then that of both.
    const expected = 1 - Math.exp(-again) + Math.exp(-again) / 2;
    isNear(mean(latencies), expected, 0.03);
  });
});

const BUSY: Setup = {
  ...ONE,
  nodes: 12,
  fronts: 2,
  cores: 2,
  copies: 2,
  rate: 2500,
  pages: 1500,
  page: (random) => ({
    cell: random.below(5),
    width: 4 + random.below(3),
    part: 0.5 + random.next(),
  }),
  noise: exponential,
  merging: { perAnswer: 0.05, answer: 0.1, roundTrip: 0.2, transfer: 0.01, group: 3 },
};

const HAPPENINGS: readonly (readonly [string, Setup])[] = [
  ['all nodes work', BUSY],
  ['slow copies are not waited for', { ...BUSY, again: () => 2 }],
  ['nodes are known to be down', { ...BUSY, rate: 1200, down: 3 }],
  ['nodes do not answer', { ...BUSY, rate: 1200, down: 3, known: false, again: () => 2 }],
];

describe.each(HAPPENINGS)('when %s', (_, setup) => {
  const outcome: Outcome = simulate(setup);

  it('every page is answered or refused', () => {
    expect(outcome.latencies.length + outcome.refused).toBe(setup.pages);
  });

  it('every job that is sent is done, cancelled or lost', () => {
    const { sent, done, cancelled, lost } = outcome.jobs;
    expect(done + cancelled + lost).toBe(sent);
  });

  it("the number of jobs over time is the sum of their times (Little's law)", () => {
    isNear(outcome.area, outcome.sojourn, 1e-9);
  });

  it('it happens again with the same seed, and otherwise with another', () => {
    expect(simulate(setup)).toEqual(outcome);
    expect(simulate({ ...setup, seed: 2 }).latencies).not.toEqual(outcome.latencies);
  });
});

describe('nodes that are down', () => {
  it.each([
    [1, 4],
    [2, 25],
    [3, 50],
  ])('refuse as many pages as chance says, with %d copies', (copies, down) => {
    const fleet = { nodes: 120, copies };
    const width = 10;
    // The nodes that are down are drawn once a run, so many runs are needed.
    let [refused, pages] = [0, 0];
    for (let seed = 0; seed < 200; seed++) {
      const outcome = simulate({
        ...ONE,
        ...fleet,
        down,
        seed,
        rate: 1,
        pages: 20,
        page: (random) => ({ cell: random.below(1000), width, part: 1 }),
      });
      refused += outcome.refused;
      pages += 20;
    }
    isNear(refused / pages, refusedShare(fleet, width, down), 0.1);
  });

  it('refuse the same pages whether that is known or not', () => {
    const setup = { ...BUSY, rate: 300, down: 7, again: () => 5 };
    const { refused } = simulate(setup);
    expect(refused).toBeGreaterThan(0);
    expect(simulate({ ...setup, known: false }).refused).toBe(refused);
  });
});

describe('nodesOf', () => {
  it('puts copies on different nodes, and each part of a cell on others', () => {
    for (const [nodes, copies, width] of [
      [10, 3, 3],
      [4000, 2, 2000],
      [7, 2, 3],
    ] as const) {
      const all = Array.from({ length: width }, (_, part) =>
        nodesOf({ nodes, copies }, 5, part, 0),
      );
      expect(new Set(all.flat()).size).toBe(width * copies);
    }
  });

  it('refuses a cell over more nodes than there are', () => {
    expect(() => simulate({ ...WIDE, page: over(65) })).toThrow(RangeError);
  });

  it('begins with the preferred copy', () => {
    const fleet = { nodes: 10, copies: 2 };
    expect(nodesOf(fleet, 1, 2, 1)).toEqual(nodesOf(fleet, 1, 2, 0).reverse());
  });
});
