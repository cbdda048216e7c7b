import { dirname } from 'node:path';
import { clusterAddress, type ClusterAddress } from '#server/cluster/address.ts';
import { helpOf, optionsOf, programHelp, type Command } from './command.ts';
import type { CommandDeps } from './command-deps.ts';
import { COMMANDS } from './commands.ts';
import { didYouMean, readOptions, UsageError } from './options.ts';
import { CommandError } from '#server/command-error.ts';
import type { StoreError } from '#server/db/store-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The program's dependencies on the process. */
export interface RunDeps extends CommandDeps {
  readonly environment: Environment;
}

/** A parsed command line: what to print, or a command with its order. */
type CommandLine =
  | { readonly print: 'version' }
  | { readonly print: 'help'; readonly text: string }
  | {
      readonly print: null;
      readonly command: Command;
      readonly order: { readonly data: string };
      /** Name of the cluster; null if none is given. */
      readonly cluster: string | null;
    };

/** Reads a command line that does not begin with a command. */
function readWithoutCommand(args: readonly string[]): CommandLine {
  const { values, words } = readOptions(args, optionsOf());
  if (values.has('version')) return { print: 'version' };
  const [text] = words;
  if (text === undefined && values.has('help')) {
    return { print: 'help', text: programHelp(COMMANDS) };
  }
  const names = COMMANDS.filter(({ under }) => !under).map(({ name }) => name);
  if (text === undefined) {
    throw new UsageError(`Name a command: ${names.join(', ')}. See groundswell --help.`);
  }
  if (args.findIndex((arg) => !arg.startsWith('-')) > 0) {
    throw new UsageError(`Name the command first: groundswell ${text} …`);
  }
  throw new UsageError(`Unknown command ${text}.${didYouMean(text, names)}`);
}

/**
 * Parses a command line.
 *
 * @param args - Arguments after the program's name.
 * @param environment - Only `GROUNDSWELL_DATA` is read.
 * @throws {@link UsageError} for an unknown command, option or value; the message suggests the nearest valid one.
 */
export function readCommandLine(args: readonly string[], environment: Environment): CommandLine {
  const named = COMMANDS.find(({ name, under }) => !under && name === args[0]);
  if (!named) return readWithoutCommand(args);
  const { values, words } = readOptions(args.slice(1), optionsOf(named));
  if (values.has('help')) return { print: 'help', text: helpOf(named) };
  if (values.has('version')) return { print: 'version' };
  const data = values.last('data') ?? (environment['GROUNDSWELL_DATA'] || './data');
  if (data === '') throw new UsageError('--data needs the name of a folder.');
  const action = COMMANDS.find(({ name, under }) => under === named && name === words[0]);
  const command = action ?? named;
  const order = { data, ...command.read(action ? words.slice(1) : words, values) };
  return { print: null, command, order, cluster: values.last('cluster') ?? null };
}

/** The cluster that holds Your posts for a command; null if they are in the data folder. */
function clickhouseOf(
  { name, posts, needsPosts }: Command,
  order: object,
  cluster: string | null,
  environment: Environment,
): ClusterAddress | null {
  if (posts === undefined || needsPosts?.(order) === false) return null;
  if (posts === 'folder') {
    if (!environment['GROUNDSWELL_CLICKHOUSE_URL']) return null;
    throw new UsageError(
      `groundswell ${name} reads the data folder, but GROUNDSWELL_CLICKHOUSE_URL says that Your posts are in ClickHouse.`,
    );
  }
  try {
    return clusterAddress(environment, cluster);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

async function runLine(args: readonly string[], deps: RunDeps): Promise<number> {
  const line = readCommandLine(args, deps.environment);
  if (line.print !== null) {
    deps.out(line.print === 'help' ? line.text : `groundswell ${deps.version}\n`);
    return 0;
  }
  const { command, order, cluster } = line;
  const clickhouse = clickhouseOf(command, order, cluster, deps.environment);
  return await command.run({ ...deps, clickhouse }, order);
}

/** The fault of a store's folder, if that is why the store cannot be opened: SQLite writes next to a file that it reads. */
async function folderFault(error: StoreError): Promise<unknown> {
  if (error.reason !== 'unopenable') return error;
  const { checkWritable } = await import('#server/data-folder.ts');
  try {
    checkWritable(dirname(error.file));
    return error;
  } catch (fault) {
    return fault;
  }
}

/**
 * Runs a command line. Prints an error that the user can act on as one line, and any other with its stack.
 *
 * @returns The exit code.
 */
export async function run(args: readonly string[], deps: RunDeps): Promise<number> {
  try {
    return await runLine(args, deps);
  } catch (error) {
    if (error instanceof UsageError) {
      deps.err(`${error.message}\n`);
      return 2;
    }
    const { StoreError } = await import('#server/db/store-error.ts');
    const { ClusterError } = await import('#server/cluster/error.ts');
    const { ClockError } = await import('#core/import/id.ts');
    const kinds = [CommandError, StoreError, ClusterError, ClockError];
    const known = error instanceof StoreError ? await folderFault(error) : error;
    const expected = kinds.some((kind) => known instanceof kind);
    if (!(known instanceof Error)) deps.err(`${String(known)}\n`);
    else deps.err(`${expected ? known.message : (known.stack ?? known.message)}\n`);
    return deps.stopping.aborted ? 130 : 1;
  }
}
