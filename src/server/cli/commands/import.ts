import { basename, resolve } from 'node:path';
import type { ControlEvent, ImportReport, RelationFigures } from '#contract/control/control.ts';
import { formatInstant } from '#contract/instant.ts';
import type { CoveredTime, TableOrder } from '#contract/posts/import.ts';
import { plural } from '#core/format/plural.ts';
import { DATE_ORDERS } from '#core/import/stamp.ts';
import { command } from '#server/cli/command.ts';
import { perform } from '#server/cli/perform/perform.ts';
import { choiceOf, mapOf, UsageError, zoneOf, type Values } from '#server/cli/options.ts';
import { lasting, progressLine } from '#server/cli/progress.ts';
import { FIELDS } from '#core/import/field-names.ts';
import { QUOTES } from '#core/readers/csv-reader.ts';

type Replaying = Extract<ControlEvent, { type: 'replaying' }>;
type Reading = Extract<ControlEvent, { type: 'reading' }>;

/** The fields in lines of help. */
function fieldLines(): string {
  const lines = [''];
  for (const field of FIELDS) {
    const line = lines.at(-1) ?? '';
    if (line.length + field.length > 84) lines.push(field);
    else lines[lines.length - 1] = line === '' ? field : `${line}, ${field}`;
  }
  return lines.join(',\n');
}

/** The way to read tables. @throws {@link UsageError} for an unknown kind of quotes, order or zone. */
function tableOf(values: Values): TableOrder {
  const quotes = choiceOf(values, 'quotes', QUOTES);
  const dates = choiceOf(values, 'dates', DATE_ORDERS);
  const zone = zoneOf(values, 'zone');
  const sheet = values.last('sheet');
  return {
    ...(quotes !== null && { quotes }),
    ...(dates !== null && { dates }),
    ...(zone !== null && { zone }),
    ...(sheet !== undefined && { sheet }),
  };
}

/** @throws {@link UsageError} for `--covers` that has no two ends, or goes with `--live`. */
function coversOf(values: Values): { covers?: readonly [from: string, to: string] } {
  const text = values.last('covers');
  if (text === undefined) return {};
  if (values.has('live')) {
    throw new UsageError('--covers does not go with --live: a replay covers what it has replayed.');
  }
  const [from = '', to = '', ...more] = text.split('..');
  if (from !== '' && to !== '' && more.length === 0) return { covers: [from, to] };
  throw new UsageError(
    `--covers ${text} is not a time: expected FROM..TO, such as 2026-01-01..2026-11-20.`,
  );
}

/** The speed at which to replay an import; nothing for an ordinary one. */
function speedOf(values: Values): { speed?: number } {
  const text = values.last('speed');
  if (!values.has('live')) {
    if (text !== undefined) throw new UsageError('--speed belongs to --live.');
    return {};
  }
  const speed = Number(text ?? '1');
  if (text?.trim() !== '' && Number.isFinite(speed) && speed > 0) return { speed };
  throw new UsageError(`--speed ${text} is not a speed: expected a number above 0.`);
}

/** The name of `--name`, for the collection of an import. */
function nameOf(values: Values): { name?: string } {
  const name = values.last('name');
  if (name === undefined) return {};
  if (values.has('live')) {
    throw new UsageError('--name does not go with --live: those Posts are in “Posted here”.');
  }
  if (name.trim() === '' || name.length > 200) {
    throw new UsageError('--name needs a name of 1 to 200 characters.');
  }
  return { name };
}

function readingLine({ file, bytesRead, bytesTotal, rows, rate, secondsLeft }: Reading): string {
  const part = bytesTotal === 0 ? 100 : Math.floor((100 * bytesRead) / bytesTotal);
  const left = secondsLeft === null ? '' : `, ${lasting(secondsLeft)} left`;
  return `${basename(file)}: ${part} %, ${rows} rows, ${Math.round(rate)} rows/s${left}`;
}

function replayingLine({ done, total, at }: Replaying): string {
  return `${done} of ${total} Posts replayed, now at ${formatInstant(at)}`;
}

/** The names of the figures of relations, for one and for many. */
const RELATIONS = {
  followers: ['follower', 'followers'],
  following: ['account followed', 'accounts followed'],
  likes: ['like', 'likes'],
  blocks: ['account blocked', 'accounts blocked'],
  mutes: ['account muted', 'accounts muted'],
  lists: ['list', 'lists'],
} as const satisfies Record<keyof RelationFigures, readonly [string, string]>;

/** `1204 followers, 1 account followed`; empty without relations. */
function relationText(relations: RelationFigures): string {
  const names = Object.keys(RELATIONS) as (keyof RelationFigures)[];
  const found = names.filter((name) => relations[name] > 0);
  return found
    .map((name) => `${relations[name]} ${RELATIONS[name][relations[name] === 1 ? 0 : 1]}`)
    .join(', ');
}

function summaryLines(summary: ImportReport): { out: string; err: string } {
  const { read, added, already, refused, relations, noteRequests, reasons, seconds } = summary;
  const into = summary.collection ? `collection: ${summary.collection.name}\n` : '';
  const times = new Map<string, number>();
  for (const { file, line, reason } of reasons) {
    const text = `${file}:${line}: ${reason}`;
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  // One line of JSON may contain many Posts.
  const named = [...times]
    .map(([text, n]) => (n === 1 ? `${text}\n` : `${text} (${n} times)\n`))
    .join('');
  const others = refused - reasons.length;
  const more = others > 0 ? `… and ${others} more refused rows\n` : '';
  const related = relationText(relations);
  const counts = `read ${read}, added ${added}, already there ${already}, refused ${refused}`;
  const archive = related && `relations in the archive: ${related}\n`;
  const requested = noteRequests > 0 ? `notes requested for ${plural(noteRequests, 'Post')}\n` : '';
  return {
    out: `${counts} (${seconds.toFixed(1)} s)\n${into}${archive}${requested}`,
    err: named + more,
  };
}

/** The time of `--covers`. @throws {@link UsageError} if it is none. */
async function coveredTime(
  [from, to]: readonly [from: string, to: string],
  zone: string,
  now: number,
): Promise<CoveredTime> {
  // Calendars take a while to load.
  const [{ tableOf }, { typedRange }] = await Promise.all([
    import('#server/cli/counting/range-span.ts'),
    import('#core/time/range.ts'),
  ]);
  const read = typedRange(from, to, tableOf(zone, now), now);
  if (read.ok) return read.span;
  throw new UsageError(`--covers ${from}..${to}: ${read.from ?? read.to ?? ''}`);
}

/**
 * Progress and refused rows go to stderr, the summary to stdout. The exit code is 1 if the import failed or found neither
 * a Post nor a relation; refused rows do not fail an import.
 */
export const importCommand = command({
  name: 'import',
  summary: {
    'groundswell import FILE… [--map name=column,…] [--dates ORDER] [--zone ZONE] [--name NAME] [--live [--speed N]]':
      'adds Posts to Your posts from CSV, JSON lines, v2 JSON, tweets.js or its zip; files may be gzipped',
  },
  about: `groundswell import FILE… [--map name=column,…] [--dates ORDER] [--zone ZONE] [--sheet NAME]
                   [--name NAME] [--covers FROM..TO] [--live [--speed N]]
Adds Posts to Your posts. Posts that are already there are not added again. Rows that cannot be read are
reported and skipped. If a service is running on the data folder, it does the work.`,
  options: {
    '--map PAIRS': `names of columns by field, such as id=tweet_id,text=content; other columns are recognised
      by their names and values. The fields are
      ${fieldLines()}`,
    '--quotes MODE':
      'csv or none: whether quotes around fields belong to the format, as in CSV, or to the texts',
    '--dates ORDER':
      'DMY or MDY: which number of dates such as 04/03/2024 is the day, if no date shows it',
    '--zone ZONE': 'time zone of times without an offset, such as Europe/Berlin (default: UTC)',
    '--sheet NAME': 'sheet of a workbook (default: the first with the columns of Posts)',
    '--name NAME':
      'name of the collection (default: that of the files); importing into one again adds to it',
    '--covers FROM..TO': `the days or times that the files cover, such as 2026-01-01..2026-11-20, both included, in --zone
      (default: each file from its first to its last Post); other times have no data, instead of zeros`,
    '--live': `replays the Posts in the order of their times, at the pace at which they were written, so that
      streams deliver them; run it again to continue an interrupted replay`,
    '--speed N':
      'how many times faster, such as 60 for an hour in a minute (default: 1); --live only',
  },
  posts: 'cluster',
  read: (files, values) => {
    if (files.length === 0) throw new UsageError('Name the files to import.');
    const [map, table] = [mapOf(values), tableOf(values)];
    return { files, map, table, ...nameOf(values), ...coversOf(values), ...speedOf(values) };
  },
  run: async (deps, { data, files, covers, ...order }) => {
    let code = 1;
    const line = progressLine(deps);
    const summarise = (summary: ImportReport): void => {
      const { out, err } = summaryLines(summary);
      deps.err(err);
      deps.out(out);
    };
    const zone = order.table.zone ?? 'UTC';
    const span = covers && { covers: await coveredTime(covers, zone, deps.now()) };
    const work = { ...order, files: files.map((file) => resolve(file)), ...span };
    await perform(deps, data, 'import', work, (event) => {
      if (event.type === 'reading') return line.show(readingLine(event));
      if (event.type === 'replaying') return line.show(replayingLine(event));
      line.clear();
      if (event.type === 'imported') {
        summarise(event.summary);
        const { added, already, relations, stopped } = event.summary;
        const found = added + already > 0 || relationText(relations) !== '';
        code = stopped ? 130 : found ? 0 : 1;
        if (stopped) deps.err('Stopped; run the command again to import the rest.\n');
        else if (code === 1) deps.err('No Posts were found.\n');
      } else if (event.type === 'fault') {
        const { summary } = event;
        if (summary && (summary.read > 0 || relationText(summary.relations) !== '')) {
          summarise(summary);
        }
        deps.err(`The import failed: ${event.message}\n`);
      }
    });
    return code;
  },
});
