import { DAY_MS } from '#core/time/span.ts';
import { MOST_LISTED_ROWS, type RatingReport } from '#contract/control/note-orders.ts';
import { RATINGS, statusOf, type Rating } from '#core/notes/status.ts';
import { readId } from '#core/import/id.ts';
import { readInstant } from '#core/import/instant.ts';
import { digits, object } from '#core/import/json.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import { openFeeds } from '#server/readers/feed.ts';
import type { Row } from '#core/readers/row.ts';
import type { ImportedRating } from './note-ratings.ts';
import type { NoteTable } from './note-table.ts';

/**
 * Names of columns by field, in lower case; the first is the field's own name. `noteid`, `helpfulnesslevel` and
 * `createdatmillis` are those of the platform's public files of ratings (twitter/communitynotes, download-data.md).
 */
const TARGETS = {
  note: ['note', 'note_id', 'noteid', 'id'],
  rating: ['rating', 'helpfulness', 'helpfulness_level', 'helpfulnesslevel'],
  count: ['count', 'ratings'],
  time: ['time', 'rated_at', 'created_at', 'timestamp', 'createdatmillis'],
} as const satisfies Record<string, readonly string[]>;

type Target = keyof typeof TARGETS;
const FIELDS = Object.keys(TARGETS) as Target[];

/** Most equal ratings of a row. */
const MOST_IN_ROW = 1_000_000;
/** Clocks differ: a time up to a day from now is accepted, a later one refused. */
const MAX_SKEW_MS = DAY_MS;

/** Something of each field. */
function byField<T>(of: (field: Target) => T): Record<Target, T> {
  return { note: of('note'), rating: of('rating'), count: of('count'), time: of('time') };
}

/** Values of a row by field, as text; undefined where there is none. */
type Values = Readonly<Record<Target, string | undefined>>;
type ReadValues = (row: Row) => Values | string;

/**
 * Finds the columns of a header: by the map, else by name.
 *
 * @throws {@link FeedError} `columns` if a mapped field or column does not exist, or `note` or `rating` has no column.
 */
function columnsOf(
  file: string,
  header: readonly string[],
  map: Readonly<Record<string, string>>,
): ReadValues {
  const fault = (message: string): FeedError => new FeedError('columns', file, message);
  const names = header.map((name) => name.trim().toLowerCase());
  const find = (target: Target): number => {
    const mapped = map[target];
    if (mapped === undefined) {
      return TARGETS[target].map((name) => names.indexOf(name)).find((at) => at !== -1) ?? -1;
    }
    const at = header.indexOf(mapped);
    if (at !== -1) return at;
    throw fault(`has no column "${shown(mapped)}" (--map ${target}=${shown(mapped)}).`);
  };
  const at = byField(find);
  for (const target of ['note', 'rating'] as const) {
    if (at[target] !== -1) continue;
    throw fault(`has no column "${target}"; name the one that has it with --map ${target}=COLUMN.`);
  }
  return (row) => {
    if (row.kind !== 'columns') return 'is not a row of columns';
    const { fields } = row;
    return byField((target) =>
      at[target] === -1 ? undefined : fields[at[target]]?.trim() || undefined,
    );
  };
}

/** Reads an object of JSON by the same names. */
const readMembers: ReadValues = (row) => {
  const members = row.kind === 'value' ? object(row.value) : null;
  if (!members) return 'is not an object';
  const byName = new Map(
    Object.entries(members).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return byField((target) =>
    digits(TARGETS[target].map((name) => byName.get(name)).find((each) => each !== undefined)),
  );
};

function ratingOf(text: string): Rating | undefined {
  const name = text.toLowerCase().replaceAll(/[-\s]/g, '_');
  return RATINGS.find((each) => each === name);
}

/** @returns The ratings of a row, or why it is refused. */
function readRating(
  { note, rating, count = '1', time }: Values,
  now: number,
): ImportedRating | string {
  if (note === undefined) return 'names no note';
  const id = readId(note);
  if (id === null) return `the note "${shown(note)}" is not an id`;
  if (rating === undefined) return 'has no rating';
  const found = ratingOf(rating);
  if (!found) return `the rating "${shown(rating)}" is not one of ${RATINGS.join(', ')}`;
  const times = /^\d{1,7}$/.test(count) ? Number(count) : 0;
  if (times < 1 || times > MOST_IN_ROW) {
    return `the count "${shown(count)}" is not a number from 1 to ${MOST_IN_ROW}`;
  }
  const at = time === undefined ? null : readInstant(time);
  if (time !== undefined && at === null) {
    return `the time "${shown(time)}" is not of the form 2017-08-27T04:05:34Z`;
  }
  if (at !== null && at > now + MAX_SKEW_MS)
    return `its time ${shown(time ?? '')} is in the future`;
  return { note: id, rating: found, count: times, at };
}

export interface RatingImport {
  readonly notes: Pick<NoteTable, 'beginRatings' | 'stageRatings' | 'finishRatings'>;
  /** Column names by field: `note`, `rating`, `count`, `time`. */
  readonly map: Readonly<Record<string, string>>;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Adds the ratings of a file (CSV, JSON lines or a list of JSON objects), all of them at once when it has been read. A
 * rating is known again by its note, kind and time; so importing the file again adds nothing. Refused rows are counted,
 * and the first ones listed.
 *
 * Rejects with {@link FeedError} if the file cannot be read to its end, is of another kind, or lacks a column; then no
 * rating was added.
 */
export async function importRatings(
  path: string,
  { notes, map, now }: RatingImport,
): Promise<RatingReport> {
  const unknown = Object.keys(map).find((field) => !FIELDS.some((known) => known === field));
  if (unknown !== undefined) {
    const message = `--map knows no field "${shown(unknown)}"; the fields are ${FIELDS.join(', ')}.`;
    throw new FeedError('columns', path, message);
  }
  const report = { rows: 0, refused: 0, reasons: [] as RatingReport['reasons'] };
  notes.beginRatings();
  for (const feed of await openFeeds(path)) {
    const { file, kind } = feed;
    if (kind === 'archive' || kind === 'document') {
      throw new FeedError('unknown-kind', file, 'is neither CSV nor JSON lines, as ratings are.');
    }
    const valuesOf = kind === 'csv' ? columnsOf(file, feed.header, map) : readMembers;
    for await (const rows of feed.rows()) {
      const refused: { readonly line: number; readonly reason: string }[] = [];
      const staged: (ImportedRating & { readonly line: number })[] = [];
      for (const row of rows) {
        const { line } = row;
        const values = row.kind === 'bad' ? row.reason : valuesOf(row);
        const rating = typeof values === 'string' ? values : readRating(values, now);
        if (typeof rating === 'string') refused.push({ line, reason: rating });
        else staged.push({ ...rating, line });
      }
      const taken = notes.stageRatings(staged);
      for (const { line, note } of staged.filter((_, i) => !taken[i])) {
        const reason = `there is no note ${note} that can be rated; test notes cannot`;
        refused.push({ line, reason });
      }
      refused.sort((a, b) => a.line - b.line);
      report.rows += rows.length;
      report.refused += refused.length;
      const room = MOST_LISTED_ROWS - report.reasons.length;
      report.reasons.push(...refused.slice(0, room).map((each) => ({ file, ...each })));
    }
  }
  const { added, already, notes: rated } = notes.finishRatings(MOST_LISTED_ROWS);
  return {
    ...report,
    added,
    already,
    notes: rated.map(({ id, ratings, createdAt }) => ({
      note: String(id),
      status: statusOf(ratings, now - createdAt),
    })),
  };
}
