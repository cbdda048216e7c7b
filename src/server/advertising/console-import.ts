import { HOUR_MS, DAY_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import { localDayAfter, localInstant, zoneTable } from '#core/time/zone.ts';
import { openFeeds } from '#server/readers/feed.ts';
import { FeedError } from '#server/readers/error.ts';
import { consoleColumns, consoleRow, RowFault } from './console-columns.ts';
import type { ConsoleRow } from './console-columns.ts';
import type { AdEntity } from './entity-row.ts';
import type { AdsStore } from './store.ts';

/** What an import did: every row is one of the last four. */
export interface ConsoleReport {
  read: number;
  /** Rows with a campaign that was not there before. */
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

interface ConsoleImport {
  readonly store: AdsStore;
  readonly account: AdEntity;
  /** Time zone of the account. */
  readonly zone: string;
  /** Epoch ms. */
  readonly now: number;
  readonly map: Readonly<Record<string, string>>;
  /** Reports a row that was refused. */
  readonly onRefused: (file: string, line: number, reason: string) => void;
}

/** Rows that become durable together. */
const BATCH = 500;

/** The span of a row's figures: a local day, or an hour of it. */
function spanOf({ wall, isHour }: NonNullable<ConsoleRow['time']>, zone: string): Span {
  const table = zoneTable(zone, { start: wall - DAY_MS, end: wall + 2 * DAY_MS });
  const start = localInstant(table, wall);
  return { start, end: isHour ? start + HOUR_MS : localDayAfter(table, start, 1) };
}

function put(
  { store, account, zone, now }: ConsoleImport,
  { key, id, campaign, time, metrics }: ConsoleRow,
): 'created' | 'updated' | 'unchanged' {
  const known = store.bySource('CAMPAIGN', account.id, key);
  const isFree = id !== null && !store.find('CAMPAIGN', id);
  const [made] = known
    ? []
    : store.add(
        [
          {
            kind: 'CAMPAIGN',
            holder: account.id,
            parent: null,
            fields: campaign,
            source: key,
            ...(isFree && { id }),
          },
        ],
        now,
      );
  const found = known ?? made;
  if (!found) throw new RangeError('expected a campaign, got none');
  const differs = Object.entries(campaign).some(([name, value]) => found.fields[name] !== value);
  if (differs) store.put(found, { ...found.fields, ...campaign }, now);
  const isNew =
    time !== null &&
    Object.keys(metrics).length > 0 &&
    store.figures.put({
      entity: found.seq,
      placement: 'ALL_ON_TWITTER',
      span: spanOf(time, zone),
      metrics,
    });
  if (made) return 'created';
  return differs || isNew ? 'updated' : 'unchanged';
}

/**
 * Imports an advertiser console's CSV of campaigns and their daily or hourly figures. A campaign is known again by its
 * id, or by its name where the file has none; a figure replaces the one of the same time. So importing a file again
 * changes nothing, also if the first time was interrupted: rows become durable in batches.
 *
 * Rejects with {@link FeedError} if the file cannot be read, is not CSV, or lacks a column.
 */
export async function importConsole(path: string, into: ConsoleImport): Promise<ConsoleReport> {
  const report: ConsoleReport = { read: 0, created: 0, updated: 0, unchanged: 0, refused: 0 };
  for (const feed of await openFeeds(path)) {
    if (feed.kind !== 'csv') {
      throw new FeedError(
        'unknown-kind',
        feed.file,
        "is not CSV, as an advertiser console's export is.",
      );
    }
    const columns = consoleColumns(feed.file, feed.header, into.map);
    const refuse = (line: number, reason: string): void => {
      report.refused += 1;
      into.onRefused(feed.file, line, reason);
    };
    for await (const rows of feed.rows()) {
      for (let at = 0; at < rows.length; at += BATCH) {
        into.store.write('import-ads', () => {
          for (const row of rows.slice(at, at + BATCH)) {
            report.read += 1;
            if (row.kind === 'bad') refuse(row.line, row.reason);
            if (row.kind !== 'columns') continue;
            try {
              report[put(into, consoleRow(row.fields, columns))] += 1;
            } catch (error) {
              if (!(error instanceof RowFault)) throw error;
              refuse(row.line, error.message);
            }
          }
        });
      }
    }
  }
  return report;
}
