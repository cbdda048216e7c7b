import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { postFiles, realData } from '#tests/support/posts.ts';
import { groundswell } from '#tests/support/process.ts';
import { benchCache } from './cache.ts';
import { Corpus } from './corpus.ts';
import { benchCounts } from './counts.ts';
import { benchEngines } from './engines.ts';
import { benchImport } from './import.ts';
import { readOptions, USAGE } from './options.ts';
import type { Options } from './options.ts';

/** Kinds of query over the real posts: from rare to very frequent, and each way of combining. */
const QUERIES = [
  ['rare', 'weiß'],
  ['middling', '#maga'],
  ['frequent', 'trump'],
  ['very frequent', 'https'],
  ['and', 'trump hillary'],
  ['or of five', 'police OR obama OR merkel OR россии OR nuclear'],
  ['and not', 'hillary -clinton'],
  ['phrase', '"white house"'],
  ['from', 'from:TEN_GOP'],
  ['lang and term', 'trump lang:en'],
  [
    'complex',
    '(police (shooting OR shot) -from:todaycleveland) OR "black lives matter" lang:en -is:retweet',
  ],
] as const;

const SEED = 1;

async function benchRealPosts({ parts, quick }: Options, folder: string): Promise<void> {
  if (!parts.has('import') && !parts.has('counts')) return;
  const real = realData();
  if (!real) {
    process.stdout.write(
      'GROUNDSWELL_TEST_DATA is not set: import and counting over real posts are not timed.\n',
    );
    return;
  }
  const data = join(folder, 'real');
  benchImport(postFiles(real, quick ? 'ira-2016h1' : 'ira-'), quick ? 1 : 3, data);
  if (parts.has('counts')) await benchCounts(data, QUERIES, quick ? 5 : 25);
}

async function bench(options: Options): Promise<void> {
  const { parts, size, quick } = options;
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-bench-'));
  try {
    // Builds first, so that no figure holds the build.
    groundswell('--version');
    await benchRealPosts(options, folder);
    if (parts.has('import') || parts.has('counts')) {
      const base = resolve(options.keep ?? folder);
      mkdirSync(base, { recursive: true });
      const corpus = new Corpus(base, size.posts, SEED);
      if (parts.has('import')) corpus.forget();
      await corpus.data();
      if (parts.has('counts')) await benchEngines(corpus, size.rounds, size.rivals);
    }
    // 20 years are 236 cells of 31 days.
    if (parts.has('cache')) await benchCache(quick ? 24 : 236, quick ? 1 : 5);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let options: Options | null = null;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (options) await bench(options);
