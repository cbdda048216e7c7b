import type { Random } from '#server/sample/random.ts';
import { digits, fact, table, timing } from '../measure.ts';
import { ASSUMED, CLUSTER, INDEX } from './costs.ts';
import {
  cellPosts,
  delayed,
  largestOf,
  newestRate,
  postsOf,
  refusedShare,
  type Fleet,
} from './fleet.ts';
import { draws, meanOf } from './quantiles.ts';
import { simulate, type Page, type Setup } from './simulate.ts';

/** The whole platform: so many Posts in cells of 31 days over twenty years. */
const POSTS = 1e12;
const CELLS = 236;
/** Posts that a node holds. */
const PER_NODE = 500e6;
const FLEETS: readonly Fleet[] = [
  { nodes: 1, copies: 1 },
  { nodes: 100, copies: 2 },
  { nodes: 4000, copies: 2 },
];
const WHOLE: Fleet = { nodes: 4000, copies: 2 };
const CHUNK = 65_536;
/** Share of the pages that ask for the newest cell; the others ask for any. */
const NEWEST = 0.5;
const SEED = 1;
/** Answers that one front merges. */
const GROUP = 64;
const FRONTS = 100;
/** Share of all cores' time at which most tables are given. */
const LOAD = 0.3;

const perPost = Object.values(INDEX.bytes).reduce((sum, bytes) => sum + bytes, 0);
/** Bytes a Post that every page reads; the lists of other terms stay on the disk until a query asks for them. */
const readOften = INDEX.bytes.seconds + INDEX.bytes.filters + INDEX.bytes.lists;

const percent = (share: number): string => `${digits(100 * share)} %`;
const large = (n: number): string => Math.round(n).toLocaleString('en');

/** Milliseconds of a core for a part of a cell, by a draw of what a query costs. */
type PartCost = (random: Random, posts: number) => number;

/** A part in the index: a request, and so much for each chunk, by a kind of query drawn at random. */
function indexCost(): { readonly draw: PartCost; readonly mean: (posts: number) => number } {
  const kinds = Object.values(INDEX.chunk);
  const mean = kinds.reduce((sum, ms) => sum + ms, 0) / kinds.length;
  const fixed = INDEX.request + INDEX.page;
  return {
    draw: (random, posts) => fixed + (posts / CHUNK) * kinds[random.below(kinds.length)]!,
    mean: (posts) => fixed + (posts / CHUNK) * mean,
  };
}

const COST = indexCost();
const noise = draws(INDEX.noise);
const noiseMean = meanOf(INDEX.noise);

/** A part in ClickHouse: so much for a statement, and so much for each million Posts of the part. */
const CLUSTER_COST = {
  draw: (random: Random, posts: number): number => {
    const kinds = Object.values(CLUSTER.page);
    const { statement, million } = kinds[random.below(kinds.length)]!;
    return statement + (posts / 1e6) * million;
  },
};

/** The widths that are compared, for the whole platform. */
const WIDTHS = [64, 256, 1000, 4000] as const;
/** Every node has a part of every cell, so that all nodes share the newest one. */
const WIDTH = 4000;

/** The pages that arrive. */
function pagesOf(posts: number, width: number, draw: PartCost): (random: Random) => Page {
  return (random) => {
    const cell = random.chance(NEWEST) ? CELLS - 1 : random.below(CELLS);
    return { cell, width, part: draw(random, cellPosts(posts, CELLS, cell) / width) };
  };
}

/** A mean over the pages that arrive, of something that depends on the cell. */
function overPages(of: (cell: number) => number): number {
  let sum = 0;
  for (let cell = 0; cell < CELLS; cell++) sum += of(cell);
  return NEWEST * of(CELLS - 1) + ((1 - NEWEST) * sum) / CELLS;
}

/** Core time of all parts of a page on average, ms. */
function partsMean(posts: number, width: number): number {
  const part = overPages((cell) => COST.mean(cellPosts(posts, CELLS, cell) / width));
  return width * part * noiseMean;
}

/** Pages a second at which the nodes would work all the time, if all had the same load. */
function mostRate({ nodes, copies }: Fleet, width: number): number {
  return (nodes * INDEX.cores * 1000) / partsMean(postsOf({ nodes, copies }, PER_NODE), width);
}

/** A run of a fleet, at a share of its most pages a second. */
function setupOf(fleet: Fleet, width: number, load: number, quick: boolean): Setup {
  const parts = quick ? 40_000 : 400_000;
  return {
    ...fleet,
    fronts: FRONTS,
    cores: INDEX.cores,
    rate: load * mostRate(fleet, width),
    pages: Math.max(quick ? 20 : 100, Math.min(10_000, Math.round(parts / width))),
    page: pagesOf(postsOf(fleet, PER_NODE), width, COST.draw),
    noise,
    merging: {
      perAnswer: INDEX.adding,
      answer: INDEX.answer,
      roundTrip: ASSUMED.roundTrip,
      transfer: (1000 * INDEX.packed) / ASSUMED.bandwidth,
      group: GROUP,
    },
    again: () => Infinity,
    down: 0,
    known: true,
    seed: SEED,
  };
}

function latency(latencies: Iterable<number>): string[] {
  const { median, p95, max } = timing([...latencies]);
  return [median, p95, max].map(digits);
}

const LATENCY = ['median ms', 'p95', 'most'] as const;

function printFleets(): void {
  table('What fleets hold', [
    [
      'nodes',
      'copies',
      'Posts',
      'file GB/node',
      'read often GB/node',
      'newest cell',
      'its chunks/node',
    ],
    ...FLEETS.map((fleet) => {
      const posts = postsOf(fleet, PER_NODE);
      const newest = cellPosts(posts, CELLS, CELLS - 1);
      return [
        large(fleet.nodes),
        large(fleet.copies),
        posts.toExponential(1),
        digits((PER_NODE * perPost) / 1e9),
        digits((PER_NODE * readOften) / 1e9),
        newest.toExponential(2),
        digits(newest / fleet.nodes / CHUNK),
      ];
    }),
  ]);
}

function printKinds(): void {
  const chunks = cellPosts(POSTS, CELLS, CELLS - 1) / CHUNK;
  const mean = POSTS / CELLS / CHUNK;
  table(`A page of minutes of ${POSTS.toExponential(0)} Posts, seconds of one core`, [
    ['query', 'mean cell', 'newest cell'],
    ...Object.entries(INDEX.chunk).map(([kind, ms]) => [
      kind,
      ...[mean, chunks].map((n) => digits((n * ms) / 1000)),
    ]),
  ]);
}

function printWidths(quick: boolean): void {
  const rows = [
    [
      'nodes of a cell',
      'chunks each',
      'core s/page',
      'MB/page',
      'most pages/s',
      ...LATENCY,
      'busiest',
    ],
  ];
  for (const width of WIDTHS) {
    const setup = setupOf(WHOLE, width, LOAD, quick);
    const outcome = simulate(setup);
    rows.push([
      large(width),
      digits(cellPosts(POSTS, CELLS, CELLS - 1) / width / CHUNK),
      digits(partsMean(POSTS, width) / 1000),
      digits((width * INDEX.packed) / 1e6),
      digits(mostRate(WHOLE, width)),
      ...latency(outcome.latencies),
      percent(outcome.busiest.node),
    ]);
  }
  table(`Pages of minutes over ${large(WHOLE.nodes)} nodes, ${percent(LOAD)} of their time`, rows);
}

/** Loads need many pages, so they are those of a hundred nodes: each has as many pages and parts as one of 4,000. */
function printLoads(quick: boolean): void {
  const fleet: Fleet = { nodes: 100, copies: 2 };
  const rows = [['load', 'pages/s', ...LATENCY, 'busiest node']];
  for (const load of [0.01, 0.3, 0.5, 0.7, 0.9]) {
    const setup = setupOf(fleet, fleet.nodes, load, quick);
    const outcome = simulate(setup);
    rows.push([
      percent(load),
      digits(setup.rate),
      ...latency(outcome.latencies),
      percent(outcome.busiest.node),
    ]);
  }
  table(`Pages of minutes over all ${large(fleet.nodes)} nodes, by load`, rows);
}

function printAgain(width: number, quick: boolean): void {
  const rows = [['asks the other copy after', ...LATENCY, 'asked twice', 'core time']];
  const setup = setupOf(WHOLE, width, LOAD, quick);
  const usual = simulate(setup);
  for (const factor of [Infinity, 3, 1.5]) {
    const again = (part: number): number => ASSUMED.roundTrip + factor * part;
    const outcome = factor === Infinity ? usual : simulate({ ...setup, again });
    rows.push([
      factor === Infinity ? 'never' : `${factor} × the usual time`,
      ...latency(outcome.latencies),
      percent(outcome.jobs.again / outcome.jobs.sent),
      percent(outcome.busy / usual.busy),
    ]);
  }
  table(`The same with cells over ${large(width)} nodes, slow copies not waited for`, rows);
}

function printDown(width: number, quick: boolean): void {
  const rows = [['copies', 'nodes down', 'known', ...LATENCY, 'refused', 'by chance']];
  const seeds = quick ? 2 : 5;
  for (const [copies, down, known] of [
    [1, 4, true],
    [2, 4, true],
    [2, 40, true],
    [2, 40, false],
    [3, 40, true],
  ] as const) {
    const fleet = { nodes: WHOLE.nodes, copies };
    const base = setupOf(WHOLE, width, LOAD, quick);
    const pages = Math.ceil(base.pages / seeds);
    const again = known ? base.again : (): number => ASSUMED.silence;
    const latencies: number[] = [];
    let refused = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const outcome = simulate({ ...base, copies, down, known, again, pages, seed });
      latencies.push(...outcome.latencies);
      refused += outcome.refused;
    }
    rows.push([
      large(copies),
      large(down),
      known ? 'yes' : 'no',
      ...latency(latencies),
      percent(refused / (pages * seeds)),
      percent(refusedShare(fleet, width, down)),
    ]);
  }
  table(`The same with cells over ${large(width)} nodes, some of them down`, rows);
}

function printMerging(quick: boolean): void {
  const width = WIDTH;
  const rows = [['merged', ...LATENCY, 'busiest front', 'MB at once to one front']];
  const setup = setupOf(WHOLE, width, LOAD, quick);
  for (const group of [GROUP, Infinity]) {
    const outcome = simulate({ ...setup, merging: { ...setup.merging, group } });
    rows.push([
      group === Infinity ? 'by one front' : `in groups of ${group}`,
      ...latency(outcome.latencies),
      percent(outcome.busiest.front),
      digits((Math.min(group, width) * INDEX.packed) / 1e6),
    ]);
  }
  table(`The same over all ${large(width)} nodes, by the way of merging`, rows);
}

function printOtherFleets(quick: boolean): void {
  const rows = [['nodes', 'pages/s', 'chunks each', ...LATENCY]];
  for (const fleet of FLEETS) {
    const setup = setupOf(fleet, fleet.nodes, LOAD, quick);
    const newest = cellPosts(postsOf(fleet, PER_NODE), CELLS, CELLS - 1);
    rows.push([
      large(fleet.nodes),
      digits(setup.rate),
      digits(newest / fleet.nodes / CHUNK),
      ...latency(simulate(setup).latencies),
    ]);
  }
  table(`Pages of minutes over all nodes of a fleet, ${percent(LOAD)} of their time`, rows);
}

function printClickHouse(quick: boolean): void {
  const rows = [['nodes of a cell', 'million Posts each', ...LATENCY]];
  for (const width of [256, 4000]) {
    // So seldom that no page waits for another one.
    const base = { ...setupOf(WHOLE, width, LOAD, quick), rate: 0.01 };
    const outcome = simulate({ ...base, page: pagesOf(POSTS, width, CLUSTER_COST.draw) });
    rows.push([
      large(width),
      digits(cellPosts(POSTS, CELLS, CELLS - 1) / width / 1e6),
      ...latency(outcome.latencies),
    ]);
  }
  table(`ClickHouse over ${large(WHOLE.nodes)} nodes, one page at a time`, rows);
}

function printImports(): void {
  const rate = newestRate(POSTS, CELLS);
  fact(`${large(rate)} Posts a second arrive at the end of the newest cell`);
  fact(
    `with ${WHOLE.copies} copies: ${digits((rate * WHOLE.copies * INDEX.importing) / 1000)} cores import them`,
  );
  fact(
    `importing all Posts of a node: ${digits((PER_NODE * INDEX.importing) / INDEX.cores / 3.6e6)} hours`,
  );
  const bytes = PER_NODE * perPost;
  fact(`copying a node: ${digits(bytes / ASSUMED.disk / 3600)} hours at the disk's rate`);
  fact(`of 1,000 answers, the slowest is ${digits(largestOf(1000))} × the mean if exponential`);
  fact(`1 late answer in 1,000 delays ${percent(delayed(0.001, 1000))} of pages of 1,000 parts`);
}

/** Replays measured costs with 10^12 Posts: what fleets hold, and what pages of minutes take. The same on every run. */
export function benchScale(quick: boolean): void {
  printFleets();
  printKinds();
  printImports();
  printWidths(quick);
  printLoads(quick);
  printMerging(quick);
  printAgain(WIDTH, quick);
  printDown(WIDTH, quick);
  printOtherFleets(quick);
  printClickHouse(quick);
}
