import { parseArgs } from 'node:util';
import { USERNAME } from '#contract/control.ts';
import type { TokenOrder } from '#contract/control.ts';
import { ACCESS_LEVELS } from '#contract/counts.ts';
import { nearest } from './nearest.ts';

/** What a command line asks for. */
export type Order =
  | {
      readonly command: 'serve';
      readonly data: string;
      readonly port: number;
      readonly open: boolean;
    }
  | { readonly command: 'link'; readonly data: string; readonly open: boolean }
  | {
      readonly command: 'import';
      readonly data: string;
      readonly files: readonly string[];
      readonly map: Readonly<Record<string, string>>;
    }
  | { readonly command: 'token'; readonly data: string; readonly token: TokenOrder }
  | { readonly command: 'sample' | 'check' | 'reindex'; readonly data: string }
  | { readonly command: 'help'; readonly text: string }
  | { readonly command: 'version' };

/** A command line that cannot be understood; the message says what is wrong and what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const DEFAULT_PORT = 4319;

const COMMANDS = ['serve', 'link', 'import', 'token', 'sample', 'check', 'reindex'] as const;
type Command = (typeof COMMANDS)[number];

interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
}

const COMMON: Readonly<Record<string, Option>> = {
  data: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
};

const OPTIONS: Readonly<Record<Command, Readonly<Record<string, Option>>>> = {
  serve: { port: { type: 'string' }, open: { type: 'boolean' } },
  link: { open: { type: 'boolean' } },
  import: { map: { type: 'string' } },
  token: { access: { type: 'string' }, name: { type: 'string' }, limits: { type: 'string' } },
  sample: {},
  check: {},
  reindex: {},
};

const COMMON_HELP = `  --data DIR    data folder (else GROUNDSWELL_DATA, else ./data)
  --help        this text
  --version     the version
`;

const HELP: Readonly<Record<Command | 'all', string>> = {
  all: `groundswell: how many public Posts match a query, over time

  groundswell serve [--port ${DEFAULT_PORT}] [--open]
      serves the dashboard and the interface on 127.0.0.1
  groundswell link [--open]
      prints an address that signs another browser in to the running service, once
  groundswell import FILE… [--map name=column,…]
      adds Posts to Your posts: CSV, JSON lines, JSON of v2 Posts, tweets.js or its zip, gzipped or not
  groundswell token app [--access ${ACCESS_LEVELS.join('|')}] [--limits off]
      prints a bearer token for other programs that read, once
  groundswell token user --name NAME [--limits off]
      prints a bearer token for programs that post as @NAME, once
  groundswell sample
      makes the sample anew, ending now
  groundswell check
      compares the index with the Posts, and says what is wrong
  groundswell reindex
      makes the index anew from the Posts

${COMMON_HELP}`,
  serve: `groundswell serve [--port ${DEFAULT_PORT}] [--open]
Serves the dashboard and the interface on 127.0.0.1 until it is interrupted. The address that it prints signs
one browser in, once, within an hour; the browser stays signed in, also over restarts.

  --port N      port to listen on, 0 for a free one (${DEFAULT_PORT})
  --open        opens the address in the browser
${COMMON_HELP}
With GROUNDSWELL_PLATFORM_TOKEN in its environment, the real platform is a source too, which costs money per
request: within your caps, a hundred dollars per month unless you set others. GROUNDSWELL_PLATFORM_URL names
another address than https://api.x.com.
`,
  link: `groundswell link [--open]
Prints an address, alone on its line, that signs another browser in to the service running on the data folder:
once, within an hour.

  --open        opens it in the browser
${COMMON_HELP}`,
  import: `groundswell import FILE… [--map name=column,…]
Adds Posts to Your posts. Importing again adds nothing twice; a row that cannot be read is reported and the
rest goes on. Beside a running service the work is handed over to it.

  --map PAIRS   columns of CSV files by field, such as id=tweet_id,text=content
${COMMON_HELP}`,
  token: `groundswell token app [--access LEVEL] [--limits off]
groundswell token user --name NAME [--limits off]
Prints a bearer token alone on its line. It is shown this once; only its hash is kept. With app it is an
app-only token; with user it may also create and delete Posts of the account @NAME of this service, which
is made if there is none.

  --access LEVEL   ${ACCESS_LEVELS.join(', ')} (enterprise); of app
  --name NAME      username of 1 to 15 letters, digits and underscores; of user
  --limits off     no rate limits; the platform's hold otherwise
${COMMON_HELP}`,
  sample: `groundswell sample
Makes the sample anew: some 200,000 invented Posts over three years, ending now.

${COMMON_HELP}`,
  check: `groundswell check
Verifies the files of Your posts and of the sample, and that the index counts every Post once and finds it
by what it says; also the files of tokens and of the platform, of which it only says what is wrong. It only
reads, also beside a running service; the exit code is 1 where something is wrong.

${COMMON_HELP}`,
  reindex: `groundswell reindex
Makes the index of Your posts and of the sample anew from the Posts, which stay as they are. Until it is
done, or where it is interrupted, the old index goes on counting. Beside a running service the work is
handed over to it.

${COMMON_HELP}`,
};

function didYouMean(text: string, names: readonly string[], prefix = ''): string {
  const meant = nearest(text, names);
  return meant === null ? '' : ` Did you mean ${prefix}${meant}?`;
}

/** The values of a command's options. */
type Values = ReadonlyMap<string, string[]>;

function readOptions(
  args: readonly string[],
  options: Readonly<Record<string, Option>>,
): { values: Values; positionals: string[] } {
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!option) {
      const meant = didYouMean(token.name, Object.keys(options), '--');
      throw new UsageError(`Unknown option ${token.rawName}.${meant}`);
    }
    if (option.type === 'boolean') {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`);
    } else if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--'))) {
      throw new UsageError(`${token.rawName} needs a value.`);
    }
    values.set(token.name, [...(values.get(token.name) ?? []), token.value ?? '']);
  }
  return { values, positionals };
}

function choiceOf<T extends string>(values: Values, name: string, choices: readonly T[]): T | null {
  const text = values.get(name)?.at(-1);
  if (text === undefined) return null;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const meant = didYouMean(text, choices);
  throw new UsageError(`--${name} ${text} is not one of ${choices.join(', ')}.${meant}`);
}

function portOf(values: Values): number {
  const text = values.get('port')?.at(-1) ?? String(DEFAULT_PORT);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port ${text} is not a port: expected 0 to 65535.`);
}

function mapOf(values: Values): Record<string, string> {
  const map: Record<string, string> = {};
  for (const pair of (values.get('map') ?? []).flatMap((text) => text.split(','))) {
    const at = pair.indexOf('=');
    const [field, column] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 1 || field === '' || column === '') {
      throw new UsageError(`--map ${pair} is not of the form name=column, such as id=tweet_id.`);
    }
    map[field] = column;
  }
  return map;
}

function tokenOf(kind: string | undefined, values: Values): TokenOrder {
  const limited = choiceOf(values, 'limits', ['platform', 'off']) !== 'off';
  switch (kind) {
    case 'app': {
      if (values.has('name')) throw new UsageError('--name is of groundswell token user.');
      const access = choiceOf(values, 'access', ACCESS_LEVELS) ?? 'enterprise';
      return { kind, access, limited };
    }
    case 'user': {
      if (values.has('access')) throw new UsageError('--access is of groundswell token app.');
      const name = values.get('name')?.at(-1);
      if (name === undefined) throw new UsageError('Name the account: --name NAME.');
      if (USERNAME.test(name)) return { kind, name, limited };
      const form = 'expected 1 to 15 of A to Z, a to z, 0 to 9 and _';
      throw new UsageError(`--name ${name} is no username: ${form}.`);
    }
    default:
      throw new UsageError(
        'Name the kind of token: groundswell token app, or groundswell token user.',
      );
  }
}

function noMore(extra: string | undefined, command: string): void {
  if (extra === undefined) return;
  throw new UsageError(`Unexpected ${extra}: see groundswell ${command} --help.`);
}

/**
 * Reads a command line.
 *
 * @param args - What follows the program's name.
 * @param environment - `GROUNDSWELL_DATA` is looked at.
 * @throws {@link UsageError} for an unknown command, option or value, with the nearest one where there is one.
 */
export function readCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Order {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const named = COMMANDS.find((command) => command === args[0]);
  if (named === undefined) {
    const { values, positionals } = readOptions(args, COMMON);
    if (values.has('version')) return { command: 'version' };
    const [text] = positionals;
    if (text === undefined && values.has('help')) return { command: 'help', text: HELP.all };
    if (text === undefined) {
      throw new UsageError(`Name a command: ${COMMANDS.join(', ')}. See groundswell --help.`);
    }
    if (at > 0) throw new UsageError(`Name the command first: groundswell ${text} …`);
    throw new UsageError(`Unknown command ${text}.${didYouMean(text, COMMANDS)}`);
  }
  const { values, positionals } = readOptions(args.slice(1), { ...COMMON, ...OPTIONS[named] });
  if (values.has('help')) return { command: 'help', text: HELP[named] };
  if (values.has('version')) return { command: 'version' };
  const data = values.get('data')?.at(-1) ?? (environment['GROUNDSWELL_DATA'] || './data');
  if (data === '') throw new UsageError('--data needs the name of a folder.');
  switch (named) {
    case 'serve':
      noMore(positionals[0], named);
      return { command: named, data, port: portOf(values), open: values.has('open') };
    case 'link':
      noMore(positionals[0], named);
      return { command: named, data, open: values.has('open') };
    case 'import':
      if (positionals.length === 0) throw new UsageError('Name the files to import.');
      return { command: named, data, files: positionals, map: mapOf(values) };
    case 'token':
      noMore(positionals[1], named);
      return { command: named, data, token: tokenOf(positionals[0], values) };
    case 'sample':
    case 'check':
    case 'reindex':
      noMore(positionals[0], named);
      return { command: named, data };
  }
}
