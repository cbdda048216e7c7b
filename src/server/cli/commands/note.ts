import { resolve } from 'node:path';
import {
  LONGEST_SUGGESTION,
  MOST_AT_ONCE,
  type NoteOrder,
  type NoteOutcome,
} from '#contract/control/note-orders.ts';
import { ID } from '#contract/members.ts';
import { plural } from '#core/format/plural.ts';
import { isLink } from '#core/notes/requested.ts';
import { RATINGS } from '#core/notes/status.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import {
  actionOf,
  didYouMean,
  mapOf,
  noMore,
  refuseForeign,
  usernameOf,
  UsageError,
  type Values,
} from '#server/cli/options.ts';

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
function fileOf(file: string, [extra]: readonly string[], values: Values): NoteOrder {
  if (extra !== undefined) throw new UsageError(`Unexpected ${extra}: --file has the notes.`);
  if (values.has('count')) throw new UsageError('--count belongs to a rating, not to --file.');
  if (file === '') throw new UsageError('--file needs the name of a file.');
  return { action: 'import', file, map: mapOf(values) };
}

function noteOf([word, ...rest]: readonly string[], values: Values): NoteOrder {
  const action = actionOf('note', ACTIONS, word);
  refuseForeign(values, 'note', action, BELONGS);
  if (action === 'request') {
    if (rest.length === 0) throw new UsageError('Name the Posts: groundswell note request ID….');
    if (rest.length > MOST_AT_ONCE) {
      throw new UsageError(`Request notes for at most ${MOST_AT_ONCE} Posts at once.`);
    }
    const posts = rest.map((text) => idOf(text, 'Post'));
    return {
      action,
      posts,
      link: linkOf(values.last('link')),
      suggestion: suggestionOf(values.last('suggestion')),
    };
  }
  const file = values.last('file');
  if (file !== undefined) return fileOf(file, rest, values);
  if (values.has('map')) throw new UsageError('--map belongs to --file.');
  noMore(rest[action === 'rate' ? 2 : 1], 'note');
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
  return { action, note: idOf(named, 'note'), rating, count: countOf(values.last('count') ?? '1') };
}

/** The result of an order. */
function done(outcome: NoteOutcome): string {
  switch (outcome.action) {
    case 'request': {
      return `Notes were requested for ${plural(outcome.posts.length, 'Post')}.\n`;
    }
    case 'rate':
      return `The status of note ${outcome.note} is ${outcome.status}.\n`;
    case 'import': {
      const { rows, refused, added, already } = outcome;
      return `${plural(rows, 'row')}: ${plural(added, 'rating')} added, ${already} already there, ${plural(refused, 'row')} refused.\n`;
    }
    case 'admit':
      return `@${outcome.username} may write notes that are not tests.\n`;
  }
}

/** The refused rows of a file, one per line. */
function refusals(outcome: NoteOutcome): string {
  if (outcome.action !== 'import') return '';
  const { reasons, refused } = outcome;
  const more = refused - reasons.length;
  const lines = reasons.map(({ file, line, reason }) => `${file}:${line}: ${reason}\n`);
  return lines.join('') + (more > 0 ? `… and ${plural(more, 'more row')}\n` : '');
}

/** True if a file had no rating. */
function isEmpty(outcome: NoteOutcome): boolean {
  return outcome.action === 'import' && outcome.refused === outcome.rows;
}

export const noteCommand = command({
  name: 'note',
  summary: {
    'groundswell note request ID… [--link ADDRESS], groundswell note rate ID RATING, groundswell note admit USERNAME':
      'requests community notes for Posts, rates notes, and admits note writers',
  },
  about: `groundswell note request ID… [--link ADDRESS] [--suggestion TEXT]
groundswell note rate ID RATING [--count N]
groundswell note rate --file FILE [--map name=column,…]
groundswell note admit USERNAME
Requests community notes for Posts, which the programs of note writers then list; rates a note, which determines its
status; or admits a note writer, who otherwise has to write test notes first. See groundswell user --help for how an
account becomes a note writer.`,
  column: 21,
  options: {
    RATING: NAMES.join(', '),
    '--link ADDRESS': 'a source that a note could name; request only',
    '--suggestion TEXT': 'what a note could say; request only',
    '--count N': 'how many ratings to add, at most 1000 (default: 1); rate only',
    '--file FILE': `CSV or JSON lines with a note and a rating on each row, optionally a count and a time;
      importing it again adds nothing`,
    '--map PAIRS': 'names of its columns by field, such as note=id,rating=vote',
    ...JSON_OPTION,
  },
  posts: 'folder',
  read: (words, values) => ({ note: noteOf(words, values), json: values.has('json') }),
  run: async (deps, { data, note, json }) => {
    // The service that does the work may have been started in another folder.
    const order = note.action === 'import' ? { ...note, file: resolve(note.file) } : note;
    let empty = false;
    const code = await report(deps, data, 'note', order, ({ outcome: found }) => {
      const { action: _, ...outcome } = found;
      empty = isEmpty(found);
      if (!json) deps.err(refusals(found));
      return json ? `${JSON.stringify(outcome)}\n` : done(found);
    });
    return empty ? 1 : code;
  },
});
