import { parseArgs } from 'node:util';

const PARTS = [
  'import',
  'counts',
  'cluster',
  'node',
  'scale',
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
  'lift',
  'alerts',
  'live',
  'links',
  'margins',
  'board',
  'frame',
  'events',
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

/** Size of a run over generated Posts. */
export interface Size {
  readonly posts: number;
  /** Free space in bytes without which it is left out: of the folder of its files, and of memory. */
  readonly room: { readonly disk: number; readonly memory: number } | null;
  /** Rounds per timing of the counting index and its rivals. */
  readonly rounds: number;
  /** True if FTS5 and DuckDB are built and timed too. */
  readonly rivals: boolean;
}

export interface Options {
  readonly parts: ReadonlySet<Part>;
  readonly sizes: readonly Size[];
  readonly quick: boolean;
  /** True if the figures of all sizes are compared at the end. */
  readonly long: boolean;
  /** Folder where generated files are stored and reused; null for a temporary one. */
  readonly keep: string | null;
}

/** The parts whose cost grows with the number of Posts. */
const LONG_PARTS = ['import', 'counts', 'start', 'http'] as const satisfies readonly Part[];

/** Bytes a Post of all files that a run makes, and of what it and the service have in memory. */
const DISK_BYTES = 450;
const MEMORY_BYTES = 150;

/** With fewer, no Posts would remain for the sealed part of the corpus. */
const LEAST_POSTS = 10_000;
const LONG_POSTS = [10_000_000, 30_000_000] as const;

export const USAGE = `npm run bench -- [${PARTS.join('] [')}] [--quick | --long | --posts N] [--keep DIR]

  names      the parts to run (all; with --long ${LONG_PARTS.join(', ')})
  --quick    300,000 generated Posts and few rounds, about two minutes; the default is 3 million
  --long     10 million generated Posts and then 30 million, where 14 GB of disk and 5 GB of memory are
             free: import, memory, start, the worst page of minutes and whole span, compared at the end;
             FTS5 and DuckDB are left out
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
  const posts = Number(values.posts ?? (quick ? 300_000 : long ? LONG_POSTS[0] : 3_000_000));
  const asked: readonly number[] = long && values.posts === undefined ? LONG_POSTS : [posts];
  if (!Number.isInteger(posts) || posts < LEAST_POSTS) {
    throw new TypeError(`expected --posts of ${LEAST_POSTS} or more, got ${values.posts}`);
  }
  return {
    parts: new Set(parts.length > 0 ? parts : long ? LONG_PARTS : PARTS),
    sizes: asked.map((posts, i) => ({
      posts,
      room: i === 0 ? null : { disk: posts * DISK_BYTES, memory: posts * MEMORY_BYTES },
      rounds: quick ? 7 : 15,
      rivals: !long,
    })),
    quick,
    long,
    keep: keep ?? null,
  };
}
