import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postFiles, realData } from '#tests/support/posts.ts';
import { groundswell } from '#tests/support/process.ts';
import { benchCache } from './cache.ts';
import { benchCounts } from './counts.ts';
import { benchImport } from './import.ts';

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

const quick = process.argv.includes('--quick');
const folder = mkdtempSync(join(tmpdir(), 'groundswell-bench-'));
try {
  const real = realData();
  // Builds first, so that no figure holds the build.
  groundswell('--version');
  if (real) {
    const files = postFiles(real, quick ? 'ira-2016h1' : 'ira-');
    const data = join(folder, 'data');
    benchImport(files, quick ? 1 : 3, data);
    await benchCounts(data, QUERIES, quick ? 5 : 25);
  } else {
    process.stdout.write(
      'GROUNDSWELL_TEST_DATA is not set: import and counting over real posts are not timed.\n',
    );
  }
  // 20 years are 236 cells of 31 days.
  await benchCache(quick ? 24 : 236, quick ? 1 : 5);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
