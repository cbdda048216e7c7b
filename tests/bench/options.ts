import { parseArgs } from 'node:util';

const PARTS = [
  'import',
  'counts',
  'operations',
  'search',
  'breakdown',
  'busy',
  'http',
  'create',
  'relations',
  'media',
  'start',
  'cache',
  'csv',
  'xlsx',
  'mapping',
  'plan',
  'peaks',
  'forecast',
  'board',
  'auth',
  'rules',
  'webhooks',
  'stream',
  'news',
  'ads',
  'feed',
  'feed-busy',
] as const;
export type Part = (typeof PARTS)[number];

/** Size of a run. */
export interface Size {
  readonly posts: number;
  /** Rounds per timing of the counting index and its rivals. */
  readonly rounds: number;
  /** Whether FTS5 and DuckDB are built and timed too. */
  readonly rivals: boolean;
}

export interface Options {
  readonly parts: ReadonlySet<Part>;
  readonly size: Size;
  readonly quick: boolean;
  /** Folder where generated files are stored and reused; null for a temporary one. */
  readonly keep: string | null;
}

/** With fewer, no Posts would remain for the sealed part of the corpus. */
const LEAST_POSTS = 10_000;

export const USAGE = `npm run bench -- [${PARTS.join('] [')}] [--quick | --long | --posts N] [--keep DIR]

  names      the parts to run (all)
  --quick    300,000 generated Posts and few rounds, about two minutes; the default is 3 million
  --long     10 million generated Posts; FTS5 and DuckDB are left out
  --posts N  number of generated Posts, 10,000 or more
  --keep     folder for generated Posts and the databases built from them, reused by the next run; the
             part import rebuilds the service's own files
`;

/**
 * Reads the command line of the benchmarks.
 *
 * @throws {TypeError} for an unknown option or part.
 */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      posts: { type: 'string' },
      keep: { type: 'string' },
    },
  });
  const parts = positionals.map((name) => {
    const part = PARTS.find((known) => known === name);
    if (part === undefined) throw new TypeError(`expected one of ${PARTS.join(', ')}, got ${name}`);
    return part;
  });
  const { quick, long, keep } = values;
  if (quick && long) throw new TypeError('expected --quick or --long, got both');
  const posts = Number(values.posts ?? (quick ? 300_000 : long ? 10_000_000 : 3_000_000));
  if (!Number.isInteger(posts) || posts < LEAST_POSTS) {
    throw new TypeError(`expected --posts of ${LEAST_POSTS} or more, got ${values.posts}`);
  }
  return {
    parts: new Set(parts.length === 0 ? PARTS : parts),
    size: { posts, rounds: quick ? 7 : 15, rivals: !long },
    quick,
    keep: keep ?? null,
  };
}
