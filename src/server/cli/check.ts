import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { grouped } from '#core/format/number-text.ts';
import { groupedPlural } from '#core/format/plural.ts';
import { checkPosts, type CheckReport } from '#server/maintenance/check.ts';
import { SHOWN_PROBLEMS } from '#server/maintenance/check-findings.ts';
import { ADS_KIND } from '#server/ads/store.ts';
import { damageOf, isStoreThere } from '#server/db/migrate.ts';
import { PLATFORM_KIND } from '#server/platform/store.ts';
import { CATALOG_KIND } from '#server/catalog/store.ts';
import { DELIVERIES_KIND } from '#server/streams/delivery-queue.ts';
import { SERVICE_KIND } from '#server/auth/store.ts';
import { CommandError } from '#server/command-error.ts';
import { DataFolder } from '#server/data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { postsLine, progressLine } from './progress.ts';
import { StoreError, type StoreReason } from '#server/db/store-error.ts';

const RESTORE = {
  posts:
    'A new index does not fix all of these problems. Restore the file from a backup, or import the Posts again into a new data folder.',
  sample: 'To make a new sample, run: groundswell sample',
  service:
    'Restore the file from a backup, or delete it. If you delete it, create all tokens again and sign all browsers in again.',
  deliveries:
    'Restore the file from a backup, or delete it. If you delete it, what was not delivered yet is lost.',
  catalog:
    'Restore the file from a backup, or delete it. If you delete it, create the catalogs, their products and their sets again.',
  ads: 'Restore the file from a backup, or delete it. If you delete it, create the ad accounts again and import their exports again.',
  platform:
    'Restore the file from a backup. Without it, pages that you have bought must be bought again, and your caps do not include what you have spent.',
};

/** Reasons why a file cannot be opened whose message already says what to do. */
const UNUSABLE: ReadonlySet<StoreReason> = new Set([
  'empty',
  'missing',
  'not-a-store',
  'newer-version',
]);
const REINDEX =
  'To rebuild the index from the Posts, which stay unchanged, run: groundswell reindex';

function reportText(name: string, report: CheckReport, restore: string): string {
  const { shown, problems, needsRestore, notes, posts, chunks } = report;
  const noted = notes.map((note) => `  Note: ${note}\n`).join('');
  if (problems === 0) {
    const contents = `${groupedPlural(posts, 'Post')}, ${groupedPlural(chunks, 'chunk')}`;
    return `${name}: no problems (${contents}).\n${noted}`;
  }
  const lines = shown.map((problem) => `  ${problem}\n`).join('');
  const more = problems - shown.length;
  const others = more > 0 ? `  … and ${grouped(more)} more\n` : '';
  const remedy = needsRestore ? restore : REINDEX;
  return `${name}: ${groupedPlural(problems, 'problem')}.\n${lines}${others}${noted}  ${remedy}\n`;
}

/**
 * Reports a file that cannot be read.
 *
 * @throws The error itself if the file is not the cause.
 */
function unreadable(name: string, error: unknown, restore: string): string {
  if (!(error instanceof StoreError)) throw error;
  if (UNUSABLE.has(error.reason)) return `${name}: 1 problem.\n  The file ${error.fault}.\n`;
  if (error.reason !== 'damaged') throw error;
  const problems = { shown: ['The file is damaged.'], problems: 1, needsRestore: true };
  return reportText(name, { ...problems, notes: [], posts: 0, chunks: 0 }, restore);
}

/**
 * `groundswell check`: verifies Your posts and the sample, each against its index, and the files of the service and of
 * the platform. It only reads, so it may run during `serve`. Findings go to stdout, progress to stderr. The service's
 * and the platform's files are mentioned only if they have problems.
 *
 * @returns The exit code: 1 if it found problems, 130 if it was interrupted.
 * @throws {@link CommandError} if the folder does not exist; {@link StoreError} if a file cannot be opened for a reason
 *   outside the file.
 */
export async function runCheck(deps: CommandDeps, { data }: { data: string }): Promise<number> {
  if (!existsSync(data)) throw new CommandError(`There is no data folder ${resolve(data)}.`);
  const folder = new DataFolder(data);
  const files = [
    { title: 'Your posts', file: folder.posts, restore: RESTORE.posts },
    { title: 'The sample', file: folder.sample, restore: RESTORE.sample },
  ];
  let code = 0;
  let some = false;
  for (const { title, file, restore } of files) {
    if (!isStoreThere(file)) continue;
    some = true;
    const name = `${title} (${basename(file)})`;
    try {
      const report = await checked(deps, file);
      if (!report) return 130;
      deps.out(reportText(name, report, restore));
      if (report.problems > 0) code = 1;
    } catch (error) {
      deps.out(unreadable(name, error, restore));
      code = 1;
    }
  }
  if (!some) deps.out(`There are no Posts in ${data}.\n`);
  if (deps.clickhouse && isStoreThere(folder.posts)) {
    // The client of ClickHouse takes a while to load.
    const { comparedStores, comparisonText } = await import('./migrate.ts');
    const compared = await comparedStores(deps, folder.posts);
    if (deps.stopping.aborted) return 130;
    deps.out(comparisonText(compared));
    if (compared.differences > 0) code = 1;
  }
  const others = checkOthers(folder);
  deps.out(others);
  return others === '' ? code : 1;
}

/** Problems of the files without Posts; empty if there are none. */
function checkOthers(folder: DataFolder): string {
  const files = [
    {
      title: 'Tokens and accounts',
      file: folder.service,
      kind: SERVICE_KIND,
      restore: RESTORE.service,
    },
    {
      title: 'Deliveries to webhooks',
      file: folder.deliveries,
      kind: DELIVERIES_KIND,
      restore: RESTORE.deliveries,
    },
    {
      title: 'Product catalogs',
      file: folder.catalog,
      kind: CATALOG_KIND,
      restore: RESTORE.catalog,
    },
    {
      title: 'Advertisers',
      file: folder.ads,
      kind: ADS_KIND,
      restore: RESTORE.ads,
    },
    {
      title: 'The platform',
      file: folder.platform,
      kind: PLATFORM_KIND,
      restore: RESTORE.platform,
    },
  ];
  return files
    .map(({ title, file, kind, restore }) => {
      const name = `${title} (${basename(file)})`;
      try {
        const shown = damageOf(file, kind, SHOWN_PROBLEMS).map(
          (line) => `The file is damaged: ${line}.`,
        );
        if (shown.length === 0) return '';
        const report = { shown, problems: shown.length, needsRestore: true };
        return reportText(name, { ...report, notes: [], posts: 0, chunks: 0 }, restore);
      } catch (error) {
        return unreadable(name, error, restore);
      }
    })
    .join('');
}

/** Checks a file; null if it was interrupted. */
async function checked(deps: CommandDeps, file: string): Promise<CheckReport | null> {
  const line = progressLine(deps);
  const began = deps.now();
  const work = checkPosts(file, deps);
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      const { posts, total } = step.value;
      const seconds = (deps.now() - began) / 1000;
      const what = `Checking ${basename(file)}`;
      // The total is unknown while SQLite checks the file itself.
      line.show(total === 0 ? `${what} …` : postsLine(what, posts, total, seconds));
      await setImmediate();
      if (deps.stopping.aborted) return null;
    }
  } finally {
    line.clear();
    // Closes the file after an interruption.
    work.return({ shown: [], problems: 0, needsRestore: false, notes: [], posts: 0, chunks: 0 });
  }
}
