import { StoreError } from '#server/db/driver.ts';
import { runAds } from './ads.ts';
import { runAnalysis } from './breakdown.ts';
import { runApp } from './app.ts';
import { runCheck } from './check.ts';
import { runCommunity } from './community.ts';
import { readCommandLine } from './command-line.ts';
import { UsageError } from './options.ts';
import { CommandError } from './data-folder.ts';
import { runEmit } from './emit.ts';
import { runFeed } from './feed.ts';
import { runImport } from './import.ts';
import { runLink } from './link.ts';
import { runNote } from './note.ts';
import { runReindex } from './reindex.ts';
import type { CommandDeps } from './command-deps.ts';
import { runRequests } from './requests.ts';
import { runSample } from './sample.ts';
import { runServe } from './serve.ts';
import { runToken } from './token.ts';
import { runUser } from './user.ts';

/** The program's dependencies on the process. */
export interface RunDeps extends CommandDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

async function runOrder(args: readonly string[], deps: RunDeps): Promise<number> {
  const order = readCommandLine(args, deps.environment);
  switch (order.command) {
    case 'help':
      deps.out(order.text);
      return 0;
    case 'version':
      deps.out(`groundswell ${deps.version}\n`);
      return 0;
    case 'serve':
      return await runServe(deps, order);
    case 'link':
      return await runLink(deps, order);
    case 'import':
      return await runImport(deps, order);
    case 'token':
      return await runToken(deps, order);
    case 'app':
      return await runApp(deps, order);
    case 'user':
      return await runUser(deps, order);
    case 'requests':
      return await runRequests(deps, order);
    case 'community':
      return await runCommunity(deps, order);
    case 'note':
      return await runNote(deps, order);
    case 'emit':
      return await runEmit(deps, order);
    case 'ads':
      return await runAds(deps, order);
    case 'feed':
      return await runFeed(deps, order);
    case 'breakdown':
    case 'rising':
      return await runAnalysis(deps, order);
    case 'sample':
      return await runSample(deps, order);
    case 'check':
      return await runCheck(deps, order);
    case 'reindex':
      return await runReindex(deps, order);
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
    const expected = error instanceof CommandError || error instanceof StoreError;
    if (!(error instanceof Error)) deps.err(`${String(error)}\n`);
    else deps.err(`${expected ? error.message : (error.stack ?? error.message)}\n`);
    return deps.stopping.aborted ? 130 : 1;
  }
}
