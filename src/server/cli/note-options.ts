import { LONGEST_SUGGESTION, MOST_AT_ONCE, type NoteOrder } from '#contract/control/note-orders.ts';
import { ID } from '#contract/parameters.ts';
import { isLink } from '#core/notes/requested.ts';
import { RATINGS } from '#core/notes/status.ts';
import { didYouMean, UsageError, type Values } from './options.ts';
import { usernameOf } from './profile-options.ts';

const ACTIONS = ['request', 'rate', 'admit'] as const;

/** The action that each option belongs to. */
const BELONGS = {
  link: 'request',
  suggestion: 'request',
  count: 'rate',
  file: 'rate',
  map: 'rate',
} as const;

/** Names of ratings on the command line. */
const NAMES = RATINGS.map((rating) => rating.replaceAll('_', '-'));

function idOf(text: string, what: 'Post' | 'note'): string {
  if (ID.test(text)) return text;
  throw new UsageError(`${text} is not the id of a ${what}: expected up to 19 digits.`);
}

function linkOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (isLink(text)) return text;
  throw new UsageError(`--link ${text} is not an address that begins with http:// or https://.`);
}

function suggestionOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.trim() !== '' && text.length <= LONGEST_SUGGESTION) return text;
  throw new UsageError(`--suggestion must have 1 to ${LONGEST_SUGGESTION} characters.`);
}

function countOf(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST_AT_ONCE) return count;
  throw new UsageError(
    `--count ${text} is not a number of ratings: expected 1 to ${MOST_AT_ONCE}.`,
  );
}

/** Reads `rate --file FILE`. */
function fileOf(
  file: string,
  [extra]: readonly string[],
  values: Values,
  map: Readonly<Record<string, string>>,
): NoteOrder {
  if (extra !== undefined) throw new UsageError(`Unexpected ${extra}: --file has the notes.`);
  if (values.has('count')) throw new UsageError('--count belongs to a rating, not to --file.');
  if (file === '') throw new UsageError('--file needs the name of a file.');
  return { action: 'import', file, map };
}

/**
 * Reads `groundswell note …`.
 *
 * @param map - What `--map` says.
 * @throws {@link UsageError} for an unknown action, and a missing or invalid value.
 */
export function noteOf(
  [word, ...rest]: readonly string[],
  values: Values,
  map: Readonly<Record<string, string>>,
): NoteOrder {
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined) {
    throw new UsageError(`Say what to do: groundswell note ${ACTIONS.join(', ')}.`);
  }
  for (const [option, of] of Object.entries(BELONGS)) {
    if (!values.has(option) || of === action) continue;
    throw new UsageError(`--${option} belongs to groundswell note ${of}.`);
  }
  const last = (option: string): string | undefined => values.get(option)?.at(-1);
  if (action === 'request') {
    if (rest.length === 0) throw new UsageError('Name the Posts: groundswell note request ID….');
    if (rest.length > MOST_AT_ONCE) {
      throw new UsageError(`Request notes for at most ${MOST_AT_ONCE} Posts at once.`);
    }
    const posts = rest.map((text) => idOf(text, 'Post'));
    return {
      action,
      posts,
      link: linkOf(last('link')),
      suggestion: suggestionOf(last('suggestion')),
    };
  }
  const file = last('file');
  if (file !== undefined) return fileOf(file, rest, values, map);
  if (values.has('map')) throw new UsageError('--map belongs to --file.');
  const extra = rest[action === 'rate' ? 2 : 1];
  if (extra !== undefined) {
    throw new UsageError(`Unexpected ${extra}: see groundswell note --help.`);
  }
  const [named, rated = ''] = rest;
  if (action === 'admit') {
    return {
      action,
      username: usernameOf(named, 'Name the account: groundswell note admit USERNAME.'),
    };
  }
  if (named === undefined) throw new UsageError('Name the note: groundswell note rate ID RATING.');
  const rating = RATINGS[NAMES.indexOf(rated)];
  if (!rating) {
    const meant = didYouMean(rated, NAMES);
    throw new UsageError(`The rating ${rated} is not one of ${NAMES.join(', ')}.${meant}`);
  }
  return { action, note: idOf(named, 'note'), rating, count: countOf(last('count') ?? '1') };
}
