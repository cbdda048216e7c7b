import { parseArgs } from 'node:util';
import { nearest } from './nearest.ts';

/** An invalid command line. The message says what is wrong and what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
}

export function didYouMean(text: string, names: readonly string[], prefix = ''): string {
  const meant = nearest(text, names);
  return meant === null ? '' : ` Did you mean ${prefix}${meant}?`;
}

/** Values by option. */
export type Values = ReadonlyMap<string, string[]>;

export function readOptions(
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
      // Read as letters one by one, such as `-i` of the query `-is:retweet`.
      const text = args[token.index] ?? '';
      if (/^-[^-]./u.test(text)) {
        throw new UsageError(
          `Unknown option ${text}. A text that begins with a minus goes after --.`,
        );
      }
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

export function choiceOf<T extends string>(
  values: Values,
  name: string,
  choices: readonly T[],
): T | null {
  const text = values.get(name)?.at(-1);
  if (text === undefined) return null;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const meant = didYouMean(text, choices);
  throw new UsageError(`--${name} ${text} is not one of ${choices.join(', ')}.${meant}`);
}
