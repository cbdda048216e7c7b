import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import { program } from '#tests/support/service/process.ts';
import { benchAds } from './ads.ts';
import { benchAlerts } from './alerts.ts';
import { benchAuth } from './auth.ts';
import { benchBoard, benchEvents, benchTurns } from './board.ts';
import { benchBreakdown } from './breakdown.ts';
import { benchBusy } from './busy.ts';
import { benchCache } from './cache.ts';
import { benchCluster } from './cluster.ts';
import { Corpus, OPEN } from './corpus.ts';
import { benchCsv } from './csv.ts';
import { benchCounts } from './counts.ts';
import { benchCreate } from './create.ts';
import { benchEngines } from './engines.ts';
import { benchFeed } from './feed.ts';
import { benchFeedBusy } from './feed-busy.ts';
import { benchForecast } from './forecast.ts';
import { benchImport } from './import.ts';
import { benchLinks } from './links.ts';
import { benchLift } from './lift.ts';
import { benchLive } from './live.ts';
import { compareSizes, hasRoom, type SizeFigures } from './long.ts';
import { benchMargins } from './margins.ts';
import { benchMapping } from './mapping.ts';
import { benchMedia } from './media.ts';
import { benchMerge } from './merge.ts';
import { benchNews } from './news.ts';
import { benchNode } from './node.ts';
import { readOptions, USAGE, type Options, type Part, type Size } from './options.ts';
import { benchOperations } from './operations.ts';
import { benchPages } from './pages.ts';
import { benchPeaks } from './peaks.ts';
import { benchPlan } from './plan.ts';
import { SPAN, wordIn } from './posts.ts';
import { generatedQueries, realQueries } from './queries.ts';
import { benchRelations } from './relations.ts';
import { benchRules } from './rules.ts';
import { benchScale } from './scale/scale.ts';
import { benchSearch } from './search.ts';
import { serve, tokenFor } from './service.ts';
import { benchStart } from './start.ts';
import { benchStartWithRules } from './start-rules.ts';
import { benchStream } from './stream.ts';
import { benchWebhooks } from './webhooks.ts';
import { benchXlsx } from './xlsx.ts';

const SEED = 1;
/** Covers all real posts. */
const REAL_SPAN = { start: Date.UTC(2012, 0, 1), end: Date.UTC(2018, 6, 1) };

/** Parts that need no service. */
const ALONE: ReadonlySet<Part> = new Set([
  'scale',
  'plan',
  'cache',
  'csv',
  'xlsx',
  'mapping',
  'peaks',
  'forecast',
  'lift',
  'margins',
  'frame',
  'events',
  'auth',
  'webhooks',
  'ads',
  'feed',
]);

/** Finds stories in real posts. */
async function benchStories({ parts, quick }: Options, folder: string): Promise<void> {
  if (!parts.has('news')) return;
  const real = realData();
  if (!real) process.stdout.write('GROUNDSWELL_TEST_DATA is not set: news is not timed.\n');
  else await benchNews(real, join(folder, 'news'), quick ? 50_000 : 200_000, quick ? 1 : 3);
}

async function benchRealPosts({ parts, quick }: Options, folder: string): Promise<void> {
  if (
    !(['import', 'counts', 'search', 'busy', 'feed-busy'] as const).some((part) => parts.has(part))
  )
    return;
  const real = realData();
  if (!real) {
    process.stdout.write(
      'GROUNDSWELL_TEST_DATA is not set: import, counting and search over real posts are not timed.\n',
    );
    return;
  }
  const data = join(folder, 'real');
  benchImport(postFiles(real, quick ? 'ira-2016h1' : 'ira-'), quick ? 1 : 3, data);
  if (parts.has('search')) await benchSearch(data, realQueries(), REAL_SPAN, quick ? 9 : 51);
  if (!(['counts', 'busy', 'feed-busy'] as const).some((part) => parts.has(part))) return;
  // Otherwise the service would generate it at its first start, during the timing.
  const sample = await program(['sample', '--data', data]);
  if (sample.code !== 0) throw new Error(`sample ended with ${sample.code}: ${sample.err}`);
  if (parts.has('busy')) await benchBusy(data, REAL_SPAN, quick ? 1 : 5);
  if (parts.has('feed-busy')) {
    await benchFeedBusy(data, REAL_SPAN, (quick ? 128 : 1024) * 2 ** 20);
  }
  if (parts.has('counts')) await benchCounts(data, quick ? 5 : 25);
}

/** Runs the parts over generated Posts, once per size. */
async function benchGeneratedPosts(options: Options, folder: string): Promise<void> {
  const { parts, sizes, long } = options;
  if (
    !(
      [
        'import',
        'counts',
        'cluster',
        'node',
        'operations',
        'search',
        'breakdown',
        'links',
        'http',
        'create',
        'start',
        'stream',
      ] as const
    ).some((part) => parts.has(part))
  ) {
    return;
  }
  const base = resolve(options.keep ?? folder);
  mkdirSync(base, { recursive: true });
  const figures: SizeFigures[] = [];
  for (const size of sizes) {
    if (hasRoom(size, base)) figures.push(await benchSize(options, size, base, folder));
  }
  if (long) compareSizes(figures);
}

async function benchSize(
  { parts, quick }: Options,
  size: Size,
  base: string,
  folder: string,
): Promise<SizeFigures> {
  const { posts } = size;
  const corpus = new Corpus(base, posts, SEED);
  if (parts.has('import')) corpus.forget();
  const data = await corpus.data();
  const counting = parts.has('counts')
    ? await benchEngines(corpus, size.rounds, size.rivals)
    : null;
  if (parts.has('cluster')) await benchCluster(corpus, size.rounds);
  if (parts.has('node')) await benchNode(data, posts, generatedQueries(posts), size.rounds);
  if (parts.has('operations')) {
    await benchOperations(data, folder, generatedQueries(posts), SPAN, quick ? 30 : 200);
  }
  if (parts.has('search')) {
    await benchSearch(data, generatedQueries(posts), SPAN, quick ? 9 : 51);
  }
  if (parts.has('breakdown')) await benchBreakdown(data, posts, wordIn(0.05), quick ? 5 : 15);
  if (parts.has('links')) await benchLinks(data, generatedQueries(posts), quick ? 15 : 50);
  const start = parts.has('start')
    ? await benchStart(data, { posts, open: OPEN }, quick ? 5 : 15)
    : NaN;
  let own = NaN;
  if (parts.has('http')) {
    const served = await serve(data, await tokenFor(data, 'app'));
    try {
      own = await benchPages(served, generatedQueries(posts), quick);
    } finally {
      await served.stop();
    }
  }
  if (parts.has('stream')) await benchStream(data, join(folder, 'stream'), quick ? 10 : 60);
  if (parts.has('create')) await benchCreate(data, join(folder, 'create'), quick ? 300 : 1000);
  return { posts, imported: corpus.imported, counting, start, own };
}

async function bench(options: Options): Promise<void> {
  const { parts, quick } = options;
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-bench-'));
  // Removes gigabytes even when the run is interrupted.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => process.exit(130));
  // Builds first, so that no figure includes the build.
  if ([...parts].some((part) => !ALONE.has(part))) await program(['--version']);
  await benchRealPosts(options, folder);
  await benchGeneratedPosts(options, folder);
  await benchStories(options, folder);
  if (parts.has('media')) await benchMedia(join(folder, 'media'), (quick ? 64 : 512) * 2 ** 20);
  if (parts.has('relations')) {
    await benchRelations(join(folder, 'relations'), quick ? 100_000 : 1_000_000, quick ? 20 : 60);
  }
  // 20 years are 236 cells of 31 days.
  if (parts.has('cache')) await benchCache(quick ? 24 : 236, quick ? 1 : 5);
  if (parts.has('board')) await benchBoard(folder, quick ? 24 : 236, quick ? 1 : 5);
  if (parts.has('frame')) {
    await benchTurns(folder, quick ? 1_000_000 : 10_000_000, quick ? 1 : 5);
  }
  if (parts.has('events')) {
    await benchEvents(folder, { buckets: 1_000_000, count: 10_000, rounds: quick ? 1 : 5 });
  }
  if (parts.has('csv')) {
    await benchCsv(join(folder, 'chromium'), quick ? 200_000 : 2_100_000, quick ? 1 : 3);
  }
  if (parts.has('xlsx')) await benchXlsx(quick ? 20_000 : 200_000, quick ? 1 : 3);
  if (parts.has('mapping')) {
    await benchMapping(join(folder, 'mapping'), quick ? 20_000 : 200_000, quick ? 5 : 15);
  }
  if (parts.has('plan')) {
    await benchPlan(quick ? 15 : 101);
    await benchMerge(quick ? 15 : 101);
  }
  if (parts.has('scale')) benchScale(quick);
  if (parts.has('auth')) await benchAuth(join(folder, 'auth'), quick ? 2000 : 20_000);
  if (parts.has('ads')) {
    await benchAds(join(folder, 'ads'), quick ? 500 : 10_000, quick ? 15 : 60);
  }
  if (parts.has('feed')) {
    await benchFeed(join(folder, 'feed'), (quick ? 128 : 1024) * 2 ** 20, quick ? 5 : 15);
  }
  if (parts.has('rules')) {
    await benchRules(quick);
    await benchStartWithRules(join(folder, 'rules'), quick ? 3 : 9);
  }
  if (parts.has('webhooks')) await benchWebhooks(join(folder, 'webhooks'), quick ? 10 : 60);
  if (parts.has('peaks')) await benchPeaks(quick ? 5 : 15);
  if (parts.has('forecast')) await benchForecast(quick ? 5 : 15);
  if (parts.has('lift')) await benchLift(quick ? 1 : 2, quick ? 25 : 101);
  if (parts.has('alerts'))
    await benchAlerts(join(folder, 'alerts'), quick ? 3 : 20, quick ? 9 : 51);
  if (parts.has('live')) await benchLive(join(folder, 'live'), quick ? 30 : 600);
  if (parts.has('margins')) benchMargins(quick ? 500 : 4000);
}

let options: Options | null = null;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (options) await bench(options);
