import { clusterAddress, type ClusterAddress } from '#server/cluster/address.ts';
import { readCommandLine, type Order } from './command-line.ts';
import { UsageError } from './options.ts';
import type { CommandDeps } from './command-deps.ts';

/** The program's dependencies on the process. */
export interface RunDeps extends CommandDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Commands that read or change Your posts in the data folder, and nothing else. */
const IN_FOLDER: ReadonlySet<Order['command']> = new Set([
  'requests',
  'collections',
  'community',
  'note',
  'emit',
]);

/** Whether a command takes Your posts from ClickHouse if they are there. */
function readsCluster(order: Order): boolean {
  switch (order.command) {
    case 'serve':
    case 'import':
    case 'check':
    case 'migrate':
    case 'report':
      return true;
    case 'counts':
      return order.counts.source === 'posts';
    case 'search':
      return order.search.source === 'posts';
    default:
      return false;
  }
}

/** Where Your posts are for a command; null if in the data folder. */
function clickhouseOf(order: Order, { environment }: RunDeps): ClusterAddress | null {
  const { command } = order;
  const isInFolder =
    IN_FOLDER.has(command) || ('analysis' in order && order.analysis.source === 'posts');
  if (isInFolder && environment['GROUNDSWELL_CLICKHOUSE_URL']) {
    throw new UsageError(
      `groundswell ${command} reads the data folder, but GROUNDSWELL_CLICKHOUSE_URL says that Your posts are in ClickHouse.`,
    );
  }
  if (!readsCluster(order)) return null;
  try {
    const cluster = 'cluster' in order ? order.cluster : undefined;
    return clusterAddress(environment, cluster ?? null);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

/** Loads only the code of the command: `--help` and `--version` answer at once. */
async function runOrder(args: readonly string[], given: RunDeps): Promise<number> {
  const order = readCommandLine(args, given.environment);
  const deps = { ...given, clickhouse: clickhouseOf(order, given) };
  switch (order.command) {
    case 'help':
      deps.out(order.text);
      return 0;
    case 'version':
      deps.out(`groundswell ${deps.version}\n`);
      return 0;
    case 'serve':
      return await (await import('./serve.ts')).runServe(deps, order);
    case 'link':
      return await (await import('./link.ts')).runLink(deps, order);
    case 'import':
      return await (await import('./import.ts')).runImport(deps, order);
    case 'token':
      return await (await import('./token.ts')).runToken(deps, order);
    case 'app':
      return await (await import('./app.ts')).runApp(deps, order);
    case 'user':
      return await (await import('./user.ts')).runUser(deps, order);
    case 'login':
      return await (await import('./login.ts')).runLogin(deps, order);
    case 'requests':
      return await (await import('./requests.ts')).runRequests(deps, order);
    case 'collections':
      return await (await import('./collections.ts')).runCollections(deps, order);
    case 'community':
      return await (await import('./community.ts')).runCommunity(deps, order);
    case 'note':
      return await (await import('./note.ts')).runNote(deps, order);
    case 'emit':
      return await (await import('./emit.ts')).runEmit(deps, order);
    case 'ads':
      return await (await import('./ads.ts')).runAds(deps, order);
    case 'feed':
      return await (await import('./feed.ts')).runFeed(deps, order);
    case 'counts':
      return await (await import('./counts.ts')).runCounts(deps, order);
    case 'search':
      return await (await import('./search.ts')).runSearch(deps, order);
    case 'plan':
      return await (await import('./plan.ts')).runPlan(deps, order);
    case 'breakdown':
    case 'rising':
      return await (await import('./breakdown.ts')).runAnalysis(deps, order);
    case 'report':
      return await (await import('./report.ts')).runReport(deps, order);
    case 'sample':
      return await (await import('./sample.ts')).runSample(deps, order);
    case 'check':
      return await (await import('./check.ts')).runCheck(deps, order);
    case 'backup':
      return await (await import('./backup.ts')).runBackup(deps, order);
    case 'restore':
      return await (await import('./restore.ts')).runRestore(deps, order);
    case 'reindex':
      return await (await import('./reindex.ts')).runReindex(deps, order);
    case 'migrate':
      return await (await import('./migrate.ts')).runMigrate(deps, order);
  }
}

/**
 * Runs a command line. Prints an error that the user can act on as one line, and any other with its stack.
 *
 * @returns The exit code.
 */
export async function run(args: readonly string[], deps: RunDeps): Promise<number> {
  try {
    return await runOrder(args, deps);
  } catch (error) {
    if (error instanceof UsageError) {
      deps.err(`${error.message}\n`);
      return 2;
    }
    const { CommandError } = await import('./data-folder.ts');
    const { StoreError } = await import('#server/db/driver.ts');
    const { ClusterError } = await import('#server/cluster/error.ts');
    const { ClockError } = await import('#core/import/id.ts');
    const kinds = [CommandError, StoreError, ClusterError, ClockError];
    const expected = kinds.some((kind) => error instanceof kind);
    if (!(error instanceof Error)) deps.err(`${String(error)}\n`);
    else deps.err(`${expected ? error.message : (error.stack ?? error.message)}\n`);
    return deps.stopping.aborted ? 130 : 1;
  }
}
