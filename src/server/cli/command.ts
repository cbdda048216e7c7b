import type { CommandDeps } from './command-deps.ts';
import type { Values } from './options.ts';

/**
 * Options and arguments of a command: how the help shows them, such as `--port N`, `--open` or
 * `--from TIME, --to TIME`, and their descriptions.
 */
export type Options = Readonly<Record<string, string>>;

/** A command: all that the program knows about it. */
export interface Command<O extends object = object> {
  readonly name: string;
  /** The command that this one is an action of, and whose options and help it has. */
  readonly under?: Command;
  /** Its lines in the help of all commands, by how to type it; alone, below the first line of {@link about}. */
  readonly summary: string | Readonly<Record<string, string>>;
  /** The head of its help: how to type it, and what it does. */
  readonly about: string;
  readonly options: Options;
  /** Column of the descriptions in the help of {@link options}. */
  readonly column?: number;
  /** The end of its help. */
  readonly notes?: string;
  /** The place where it uses Your posts: only the data folder, or also a cluster; absent if it does not use them. */
  readonly posts?: 'folder' | 'cluster';
  /** Reads the words and options after its name. @throws {@link UsageError} */
  read(words: readonly string[], values: Values): O;
  /** False for an order that needs no Posts of {@link posts}; true by default. */
  needsPosts?(order: O): boolean;
  /** Carries out an order. The code for it is loaded here, so that help appears at once. @returns The exit code. */
  run(deps: CommandDeps, order: O & { readonly data: string }): Promise<number>;
}

/** Infers the type of the order. */
export function command<O extends object>(definition: Command<O>): Command<O> {
  return definition;
}

const COLUMN = 16;

const CLUSTER_OPTION: Options = {
  '--cluster NAME':
    'the cluster of ClickHouse servers, where GROUNDSWELL_CLICKHOUSE_URL names one or several of them',
};

const COMMON_OPTIONS: Options = {
  '--data DIR': 'data folder (default: GROUNDSWELL_DATA, then ./data)',
  '--help': 'show this help',
  '--version': 'show the version',
};

export const JSON_OPTION: Options = { '--json': 'prints one object on one line' };

/** The options that a command has in common with others. */
function sharedOf({ posts }: Command): Options {
  return posts === 'cluster' ? { ...CLUSTER_OPTION, ...COMMON_OPTIONS } : COMMON_OPTIONS;
}

/** The options of a command by name, and whether each takes a value; without a command those of all. */
export function optionsOf(command?: Command): Map<string, boolean> {
  const options = {
    ...COMMON_OPTIONS,
    ...(command && { ...command.options, ...sharedOf(command) }),
  };
  return new Map(
    Object.keys(options)
      .flatMap((flags) => flags.split(', '))
      .flatMap((flag) => {
        const [, name, value] = /^--([a-z0-9-]+)( .+)?$/.exec(flag) ?? [];
        return name === undefined ? [] : [[name, value !== undefined]];
      }),
  );
}

function optionLines(options: Options, column = COLUMN): string {
  const margin = ' '.repeat(column);
  return Object.entries(options)
    .map(([flags, help]) => {
      const start = `  ${flags}`;
      const first = start.length < column ? start.padEnd(column) : `${start}\n${margin}`;
      return `${first}${help.replaceAll(/\n */g, `\n${margin}`)}\n`;
    })
    .join('');
}

/** The help of a command. */
export function helpOf(command: Command): string {
  const { about, options, column, notes } = command;
  const end = notes === undefined ? '' : `\n${notes}\n`;
  return `${about}\n\n${optionLines(options, column)}${optionLines(sharedOf(command))}${end}`;
}

/** The help of the program. */
export function programHelp(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ about, summary }) => {
    const [usage = ''] = about.split('\n', 1);
    const summaries = typeof summary === 'string' ? { [usage]: summary } : summary;
    return Object.entries(summaries).map(([usage, text]) => {
      return `  ${usage.replaceAll('\n', '\n  ')}\n      ${text}\n`;
    });
  });
  return `groundswell: counts how many public Posts match a query, over time\n\n${lines.join('')}\n${optionLines(COMMON_OPTIONS)}`;
}
