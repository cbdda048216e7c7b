import { setTimeout as wait } from 'node:timers/promises';
import { openFeeds, type Feed } from '#server/readers/feed.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import type { ConsoleSurvey } from '#contract/ads/console.ts';
import { consoleReading, surveyConsole } from './console-columns.ts';
import { openConsoleMarks } from './console-marks.ts';
import { consoleRow } from './console-row.ts';
import { RowFault } from './console-values.ts';
import {
  type Importing,
  type ConsoleReport,
  countRepeated,
  putRow,
  type ConsoleImport,
} from './put-rows.ts';

/** Rows that become durable together, which takes up to a tenth of a second. */
const BATCH = 200;

/** The time between two batches, ms, in which a running service writes: its wait for SQLite is up to 25 ms a step. */
const REST_MS = 25;

/** Imports a file, and adds to the report what it did. */
async function importFeed(feed: Feed, into: Importing, report: ConsoleReport): Promise<void> {
  const reading = await consoleReading(feed, into);
  for (const name of reading.ignored) report.ignored.add(name);
  const refuse = (line: number, reason: string): void => {
    report.refused += 1;
    into.onRefused(feed.file, line, reason);
  };
  await countRepeated(feed, reading, into);
  for await (const rows of feed.rows()) {
    for (let at = 0; at < rows.length; at += BATCH) {
      if (report.read > 0) await wait(REST_MS);
      into.signal?.throwIfAborted();
      into.store.write('import-ads', () => {
        for (const row of rows.slice(at, at + BATCH)) {
          report.read += 1;
          if (row.kind === 'bad') refuse(row.line, row.reason);
          if (row.kind !== 'columns') continue;
          const done = into.store.attempt(() => {
            const read = consoleRow(row.fields, reading);
            if (read.unknownStatus !== null) report.statuses.add(read.unknownStatus);
            return putRow(into, read);
          });
          if (done.ok) report[done.value] += 1;
          else if (done.error instanceof RowFault) refuse(row.line, done.error.message);
          else throw done.error;
        }
      });
      into.onRows?.(report.read);
    }
  }
}

/** The feeds of a file. @throws {@link FeedError} if it cannot be read or is not CSV. */
async function consoleFeeds(path: string): Promise<Feed[]> {
  const feeds = await openFeeds(path);
  const other = feeds.find(({ kind }) => kind !== 'csv');
  if (!other) return feeds;
  const why = "is not CSV, as an advertiser console's export is.";
  throw new FeedError('unknown-kind', other.file, why);
}

/**
 * Reads what an import needs to know of a file, and changes nothing.
 *
 * Rejects as {@link importConsole}, but not for dates in an unknown order.
 */
export async function readSurvey(path: string): Promise<ConsoleSurvey> {
  const columns = new Map<string, ConsoleSurvey['columns'][number]>();
  const ignored = new Set<string>();
  const undecided: (string | null)[] = [];
  let rows = 0;
  for (const feed of await consoleFeeds(path)) {
    const found = await surveyConsole(feed, {});
    for (const [field, at] of found.columns) {
      const column = feed.header[at] ?? '';
      columns.set(`${field} ${column}`, { field, column });
    }
    for (const name of found.ignored) ignored.add(name);
    const { dates } = found;
    if (dates.isNeeded() && dates.order() === null) undecided.push(dates.ambiguous());
    rows += found.rows;
  }
  const [example] = undecided;
  return {
    rows,
    columns: [...columns.values()],
    ignored: [...ignored],
    undecided: example === undefined ? null : { example: example && shown(example) },
  };
}

/**
 * Imports an advertiser console's CSV of campaigns, and of what belongs to them, with their daily or hourly figures.
 * An entity is known again by its id, or by its name where the file has none; a figure replaces the one of the same time,
 * and a row that contradicts an earlier row of the import is refused. So importing a file again changes nothing, also if
 * the first time was interrupted: rows become durable in batches.
 *
 * Rejects with {@link FeedError} if the file cannot be read, is not CSV, or lacks a column; with the signal's reason if it
 * aborts.
 */
export async function importConsole(path: string, order: ConsoleImport): Promise<ConsoleReport> {
  const counts = { read: 0, created: 0, updated: 0, unchanged: 0, refused: 0 };
  const report: ConsoleReport = {
    ...counts,
    ignored: new Set(),
    statuses: new Set(),
    campaigns: new Map(),
  };
  const marks = openConsoleMarks();
  try {
    for (const feed of await consoleFeeds(path)) {
      await importFeed(feed, { ...order, marks, campaigns: report.campaigns }, report);
    }
  } finally {
    marks.close();
  }
  return report;
}
