import type { Quantile } from './quantiles.ts';

/**
 * The costs that were measured on one machine of two cores (AMD EPYC, 24 GB of memory) while other programs ran. Times
 * are ms of one core. Each group names the command that prints it.
 */
export const INDEX = {
  cores: 2,
  /** `npm run bench -- node`: bytes a Post of the file, by part, over 3 million generated Posts. */
  bytes: {
    lists: 17.2,
    positions: 9.8,
    rare: 45.8,
    filters: 3.2,
    seconds: 4.1,
    ids: 8,
    terms: 57.6,
    texts: 83,
    rest: 70.5,
  },
  /** The same: the median by kind of query, for each chunk of 65,536 Posts. */
  chunk: {
    rare: 0.0241,
    middling: 0.0264,
    burst: 0.0095,
    frequent: 0.0862,
    'very frequent': 0.1911,
    and: 0.1295,
    'or of five': 0.1587,
    'and not': 0.1114,
    phrase: 0.093,
    from: 0.0631,
    'lang and term': 0.121,
    complex: 0.2329,
  },
  /** The same: a page without Posts. */
  page: 0.021,
  /** The same: times of one page over their median. Thirty other programs ran, so that the slow ones are slower than alone. */
  noise: [
    [0, 0.82],
    [0.5, 1],
    [0.9, 3],
    [0.99, 8.17],
    [0.999, 15.6],
    [1, 16.9],
  ] as readonly Quantile[],
  /** `npm run bench -- node`, means over the kinds: bytes of a page's counts packed for another node, and adding them. */
  packed: 35_500,
  adding: 0.21,
  /** The same: over HTTP, the fastest day of a rare term took 0.99 ms, and the fastest 44,640 minutes 17.4 ms. */
  request: 1,
  answer: 15,
  /** An import of 200,000 Posts by the command less one of 1,000: CPU time a Post. */
  importing: 0.044,
} as const;

/**
 * ClickHouse 18.16, by kind of query: `npm run bench -- cluster --quick` for a statement; each million Posts from whole
 * spans of 3 million Posts, less those of 300,000.
 */
export const CLUSTER = {
  page: {
    usual: { statement: 17, million: 7 },
    slowest: { statement: 70, million: 20 },
  } as Readonly<Record<string, { readonly statement: number; readonly million: number }>>,
} as const;

/** The costs that were not measured. */
export const ASSUMED = {
  /** Between two nodes of a data centre, ms. */
  roundTrip: 0.5,
  /** Of a node's network, bytes a second: 10 Gbit/s. */
  bandwidth: 1.25e9,
  /** Of a node's disk, bytes a second. */
  disk: 150e6,
  /** Milliseconds without an answer after which a node is taken to be down. */
  silence: 200,
} as const;
