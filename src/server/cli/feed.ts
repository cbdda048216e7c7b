import type { FeedOrder, MerchantOrder } from '#contract/catalog/feeds.ts';
import { grouped } from '#core/format/number-text.ts';
import { plural } from '#core/format/plural.ts';
import { openService } from '#server/auth/store.ts';
import { feedInfo, runInfos } from '#server/catalog/feed/run-info.ts';
import { runCsv, storedRows } from '#server/catalog/feed/run-csv.ts';
import type { RowNotes } from '#server/catalog/feed/run-table.ts';
import { openCatalogs, type CatalogStore } from '#server/catalog/store.ts';
import { DataFolder } from '#server/data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { progressLine } from './progress.ts';
import { perform, report as reportOn } from '#server/cli/perform/perform.ts';
import { CommandError } from '#server/command-error.ts';
import { catalogOf } from '#server/jobs/merchant-catalogs.ts';
import type { FeedInfo, FeedProgress, FeedRunInfo } from '#contract/catalog/feed-answers.ts';

/** The action on the feed of a merchant; of the only one if `username` is null. */
export type FeedCommand =
  | {
      readonly action: 'add' | 'set';
      readonly order: MerchantOrder;
      readonly json: boolean;
    }
  | {
      readonly action: 'run';
      readonly username: string | null;
      readonly private: boolean;
      readonly json: boolean;
    }
  | {
      /** A file to read once. */
      readonly action: 'file';
      readonly order: Extract<FeedOrder, { action: 'file' }>;
      readonly json: boolean;
    }
  | {
      readonly action: 'report';
      readonly username: string | null;
      /** The newest run if null. */
      readonly run: number | null;
      readonly csv: boolean;
      readonly json: boolean;
    };

type Report = Extract<FeedCommand, { action: 'report' }>;

/** Rows that a report prints one by one; `--csv` prints all. */
const MOST_LINES = 100;

const MEGABYTE = 1024 ** 2;

function progressText({ state, bytes, bytes_total: total, rows, rows_total }: FeedProgress) {
  const megabytes = (of: number): string => (of / MEGABYTE).toFixed(1);
  const share = total ? `, ${Math.floor((100 * bytes) / total)} % of the file` : '';
  switch (state) {
    case 'waiting':
      return 'waiting';
    case 'downloading':
      return `downloading: ${megabytes(bytes)}${total === null ? '' : ` of ${megabytes(total)}`} MB`;
    case 'reading':
      return `reading: ${grouped(rows)} rows${share}`;
    case 'writing':
      return `writing: ${grouped(rows)} of ${grouped(rows_total ?? rows)} rows`;
  }
}

/** The result of a run, without its time. */
function runText(run: FeedRunInfo): string {
  const { outcome, created, updated, unchanged, refused } = run;
  const rows = created + updated + unchanged + refused;
  const figures = `${rows} rows: ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`;
  switch (outcome) {
    case 'running':
      return `running, ${figures}`;
    case 'unchanged':
      return `unchanged since ${String(run.unchanged_since)}`;
    case 'failed':
      return `failed, ${figures}. ${String(run.fault)}`;
    case 'complete':
      return figures;
  }
}

function scheduleText({ format, frequency, repeat, start_time, time_zone }: FeedInfo): string {
  const often = {
    HOURLY: repeat === '1' ? 'every hour' : `every ${repeat} hours`,
    DAILY: 'every day',
    WEEKLY: `every ${repeat?.toLowerCase()}`,
  }[frequency];
  return `${format}, ${often} from ${start_time} (${time_zone})`;
}

/** The notes on a row, one text for each. */
function notesOf({ errors, warnings }: RowNotes): string[] {
  return [
    ...errors.map(({ message }) => message),
    ...warnings.map(({ message }) => `warning: ${message}`),
  ];
}

async function run(
  deps: CommandDeps,
  data: string,
  order: FeedOrder,
  json: boolean,
): Promise<number> {
  const line = progressLine(deps);
  let code = 1;
  await perform(deps, data, 'feed', order, (event) => {
    if (event.type === 'feeding') return line.show(progressText(event));
    line.clear();
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'fed') return;
    const { run } = event;
    if (run.outcome !== 'failed') code = 0;
    deps.out(json ? `${JSON.stringify(run)}\n` : `Run ${run.id}: ${runText(run)}\n`);
  });
  return deps.stopping.aborted ? 130 : code;
}

function textOf(
  store: CatalogStore,
  feed: FeedInfo | null,
  runs: FeedRunInfo[],
  chosen: FeedRunInfo | null,
) {
  const lines = feed
    ? [`${feed.url}: ${scheduleText(feed)}`, `next run: ${feed.next_run}`]
    : ['No scheduled feed.'];
  for (const run of runs) lines.push(`run ${run.id}, ${run.started_at}: ${runText(run)}`);
  if (!chosen) return `${lines.join('\n')}\nThe feed has not been read yet.\n`;
  for (const { kind, rule, rows } of chosen.rules) {
    lines.push(`run ${chosen.id}, ${plural(rows, 'row')}, ${kind}: ${rule}`);
  }
  let shown = 0;
  for (const row of storedRows(store.runs, Number(chosen.id))) {
    if (++shown > MOST_LINES) {
      lines.push(`… and more rows: --csv prints all.`);
      break;
    }
    const product = row.product === null ? '' : `, ${row.product}`;
    lines.push(`line ${row.line}${product}: ${notesOf(row).join('; ')}`);
  }
  return `${lines.join('\n')}\n`;
}

function report(deps: CommandDeps, folder: DataFolder, command: Report): number {
  const service = openService(folder.service, deps);
  const store = openCatalogs(folder.catalog);
  try {
    const { id, name } = catalogOf(store, service, command.username);
    const feed = feedInfo(store, id, deps.now());
    const runs = runInfos(store, id);
    const wanted =
      command.run === null ? runs[0] : runs.find((each) => each.id === String(command.run));
    if (command.run !== null && !wanted) {
      throw new CommandError(`There is no run ${command.run}: the last ten are stored.`);
    }
    const chosen = wanted ?? null;
    if (command.csv) deps.out(chosen ? runCsv(store.runs, Number(chosen.id)) : '');
    else if (command.json) {
      const rows = chosen ? [...storedRows(store.runs, Number(chosen.id))] : [];
      deps.out(`${JSON.stringify({ catalog: { id: String(id), name }, feed, runs, rows })}\n`);
    } else deps.out(textOf(store, feed, runs, chosen));
    return 0;
  } finally {
    store.close();
    service.close();
  }
}

/**
 * `groundswell feed {add,set,run,report}`: sets the feed of a merchant, reads it now, or prints what its last runs did.
 *
 * @returns The exit code: 1 if the run failed, 130 if it was interrupted.
 * @throws {@link CommandError} if there is no such feed or run; {@link StoreError} if a file of the folder cannot be used.
 */
export async function runFeed(
  deps: CommandDeps,
  { data, feed }: { readonly data: string; readonly feed: FeedCommand },
): Promise<number> {
  if (feed.action === 'file') return await run(deps, data, feed.order, feed.json);
  if ('order' in feed) {
    return await reportOn(deps, data, 'catalog', feed.order, ({ catalog }) => {
      if (feed.json || !catalog.feed) return `${JSON.stringify(catalog)}\n`;
      const { url, next_run } = catalog.feed;
      return `${catalog.name}: ${url}, ${scheduleText(catalog.feed)}. Next run: ${next_run}.\n`;
    });
  }
  if (feed.action === 'run') {
    const { username, json, private: isPrivate } = feed;
    return await run(deps, data, { action: 'run', username, private: isPrivate }, json);
  }
  return report(deps, new DataFolder(data), feed);
}
