import { parseArgs } from 'node:util';
import { USERNAME } from '#contract/accounts/accounts.ts';
import { isZone } from '#core/time/zone-name.ts';
import { intendedName } from './nearest.ts';

/** An invalid command line. The message says what is wrong and what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function didYouMean(text: string, names: readonly string[], prefix = ''): string {
  const meant = intendedName(text, names);
  return meant === null ? '' : ` Did you mean ${prefix}${meant}?`;
}

/** The options of a command line with their values, in the order in which they were given. */
export class Values {
  readonly #given = new Map<string, string[]>();

  add(name: string, value: string): void {
    this.#given.set(name, [...this.all(name), value]);
  }

  has(name: string): boolean {
    return this.#given.has(name);
  }

  /** The value that counts where an option is repeated. */
  last(name: string): string | undefined {
    return this.#given.get(name)?.at(-1);
  }

  all(name: string): readonly string[] {
    return this.#given.get(name) ?? [];
  }
}

/**
 * Reads options, which may be anywhere among the words up to `--`.
 *
 * @param options - By name, whether an option takes a value.
 * @throws {@link UsageError} for an unknown option, a missing value, and a value for an option that takes none.
 */
export function readOptions(
  args: readonly string[],
  options: ReadonlyMap<string, boolean>,
): { values: Values; words: string[] } {
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...options].map(([name, takesValue]) => [
        name,
        { type: takesValue ? 'string' : 'boolean', ...(name === 'help' && { short: 'h' }) },
      ]),
    ),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const values = new Values();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const takesValue = options.get(token.name);
    if (takesValue === undefined) {
      // Read as letters one by one, such as `-i` of the query `-is:retweet`.
      const text = args[token.index] ?? '';
      if (/^-[^-]./u.test(text)) {
        throw new UsageError(
          `Unknown option ${text}. A text that begins with a minus goes after --.`,
        );
      }
      const meant = didYouMean(token.name, [...options.keys()], '--');
      throw new UsageError(`Unknown option ${token.rawName}.${meant}`);
    }
    if (!takesValue) {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`);
    } else if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--'))) {
      throw new UsageError(`${token.rawName} needs a value.`);
    }
    values.add(token.name, token.value ?? '');
  }
  return { values, words: positionals };
}

/** The choice that an option names; null if it is absent. @throws {@link UsageError} for anything else. */
export function choiceOf<T extends string>(
  values: Values,
  name: string,
  choices: readonly T[],
): T | null {
  const text = values.last(name);
  if (text === undefined) return null;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const meant = didYouMean(text, choices);
  throw new UsageError(`--${name} ${text} is not one of ${choices.join(', ')}.${meant}`);
}

/** The time zone that an option names; null if it is absent. @throws {@link UsageError} for an unknown one. */
export function zoneOf(values: Values, name: string): string | null {
  const zone = values.last(name);
  if (zone === undefined) return null;
  if (isZone(zone)) return zone;
  throw new UsageError(`--${name} ${zone} is not a time zone, such as Europe/Berlin.`);
}

/** The columns by field that `--map` names. @throws {@link UsageError} for anything but pairs. */
export function mapOf(values: Values): Record<string, string> {
  const map: Record<string, string> = {};
  for (const pair of values.all('map').flatMap((text) => text.split(','))) {
    const at = pair.indexOf('=');
    const [field, column] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 1 || field === '' || column === '') {
      throw new UsageError(`--map ${pair} is not of the form name=column, such as id=tweet_id.`);
    }
    map[field] = column;
  }
  return map;
}

/**
 * A username from the command line.
 *
 * @param missing - Message where there is none.
 * @throws {@link UsageError} for anything but a username.
 */
export function usernameOf(text: string | undefined, missing: string): string {
  if (text === undefined) throw new UsageError(missing);
  if (USERNAME.test(text)) return text;
  const form = 'expected 1 to 15 of A to Z, a to z, 0 to 9 and _';
  throw new UsageError(`${text} is not a username: ${form}.`);
}

/** The merchant that `--user` names; null if it is absent. @throws {@link UsageError} for anything but a username. */
export function merchantOf(values: Values): string | null {
  const named = values.last('user');
  return named === undefined ? null : usernameOf(named, 'Name the merchant: --user NAME.');
}

/** The action of a command that has several. @throws {@link UsageError} that lists them. */
export function actionOf<T extends string>(
  command: string,
  actions: readonly T[],
  word: string | undefined,
): T {
  const action = actions.find((each) => each === word);
  if (action !== undefined) return action;
  throw new UsageError(`Say what to do: groundswell ${command} ${actions.join(', ')}.`);
}

/** @throws {@link UsageError} for an option that belongs to another action of the command. */
export function refuseForeign(
  values: Values,
  command: string,
  action: string,
  owners: Readonly<Record<string, string | readonly string[]>>,
): void {
  for (const [option, owner] of Object.entries(owners)) {
    const actions = [owner].flat();
    if (!values.has(option) || actions.includes(action)) continue;
    throw new UsageError(`--${option} belongs to groundswell ${command} ${actions.join(', ')}.`);
  }
}

/** @throws {@link UsageError} for a word after the last that a command takes. */
export function noMore(extra: string | undefined, command: string): void {
  if (extra === undefined) return;
  throw new UsageError(`Unexpected ${extra}: see groundswell ${command} --help.`);
}
