import { basename, resolve } from 'node:path';
import type { ControlEvent, ImportReport, RelationFigures } from '#contract/control/control.ts';
import type { CoveredTime, TableOrder } from '#contract/posts/import.ts';
import { formatInstant } from '#contract/instant.ts';
import { plural } from '#core/format/plural.ts';
import { DataFolder } from './data-folder.ts';
import { UsageError } from './options.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';
import { lasting, progressLine } from './progress.ts';

type Replaying = Extract<ControlEvent, { type: 'replaying' }>;
type Reading = Extract<ControlEvent, { type: 'reading' }>;

function readingLine({ file, bytesRead, bytesTotal, rows, rate, secondsLeft }: Reading): string {
  const part = bytesTotal === 0 ? 100 : Math.floor((100 * bytesRead) / bytesTotal);
  const left = secondsLeft === null ? '' : `, ${lasting(secondsLeft)} left`;
  return `${basename(file)}: ${part} %, ${rows} rows, ${Math.round(rate)} rows/s${left}`;
}

function replayingLine({ done, total, at }: Replaying): string {
  return `${done} of ${total} Posts replayed, now at ${formatInstant(at)}`;
}

/** How the figures of relations read, for one and for many. */
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
    import('./range-span.ts'),
    import('#core/time/range.ts'),
  ]);
  const read = typedRange(from, to, tableOf(zone, now), now);
  if (read.ok) return read.span;
  throw new UsageError(`--covers ${from}..${to}: ${read.from ?? read.to ?? ''}`);
}

/**
 * `groundswell import`: adds files to Your posts. Progress and refused rows go to stderr, the summary to stdout.
 *
 * @returns The exit code: 1 if the import failed or found neither a Post nor a relation, 130 if it was interrupted.
 *   Refused rows do not fail an import.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runImport(
  deps: CommandDeps,
  order: {
    data: string;
    files: readonly string[];
    map: Readonly<Record<string, string>>;
    /** Name of the collection. */
    name?: string;
    /** See `ImportOrder`. */
    table: TableOrder;
    /** The first and the last day or time that the files cover, as typed. */
    covers?: readonly [from: string, to: string];
    /** See `ImportOrder`. */
    speed?: number;
  },
): Promise<number> {
  const folder = new DataFolder(order.data);
  let code = 1;
  const line = progressLine(deps);
  const summarise = (summary: ImportReport): void => {
    const { out, err } = summaryLines(summary);
    deps.err(err);
    deps.out(out);
  };
  const files = order.files.map((file) => resolve(file));
  const { map, table, name, covers, speed } = order;
  const named = name !== undefined && { name };
  const span = covers && { covers: await coveredTime(covers, table.zone ?? 'UTC', deps.now()) };
  const work = { files, map, table, ...named, ...span, ...(speed !== undefined && { speed }) };
  await perform(deps, folder, { kind: 'import', order: work }, (event) => {
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
      if (event.summary && (event.summary.read > 0 || relationText(event.summary.relations) !== ''))
        summarise(event.summary);
      deps.err(`The import failed: ${event.message}\n`);
    }
  });
  return code;
}
