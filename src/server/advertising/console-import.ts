import { HOUR_MS, DAY_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import { localDayAfter, localInstant, zoneTable } from '#core/time/zone.ts';
import { openFeeds } from '#server/readers/feed.ts';
import { FeedError, shown } from '#server/readers/error.ts';
import type { AdKind } from '#contract/ad-kind.ts';
import { AD_KINDS } from '#contract/ad-kinds.ts';
import { consoleColumns, consoleRow, RowFault } from './console-columns.ts';
import type { ConsoleEntity, ConsoleRow } from './console-columns.ts';
import type { AdEntity } from './entity-row.ts';
import type { AdsStore } from './store.ts';

/** What an import did: every row is one of the last four. */
export interface ConsoleReport {
  read: number;
  /** Rows with a campaign, or something in it, that was not there before. */
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

/** What became of an entity of a row. */
interface Stored {
  readonly entity: AdEntity;
  readonly done: 'created' | 'updated' | 'unchanged';
}

/** Finds or creates an entity that a row names. @param above - What it belongs to; null for the account alone. */
function store(
  { store: ads, account, now }: ConsoleImport,
  { kind, key, id, fields }: ConsoleEntity,
  above: AdEntity | null,
): Stored {
  const parent = above?.id ?? null;
  const known = ads.bySource(kind, account.id, key);
  if (!known) {
    const isFree = id !== null && !ads.find(kind, id);
    const field = (AD_KINDS[kind] as AdKind).parent?.field;
    const whole = { ...fields, ...(field !== undefined && parent !== null && { [field]: parent }) };
    const added = { kind, holder: account.id, parent, fields: whole, source: key };
    const [made] = ads.add([{ ...added, ...(isFree && { id }) }], now);
    if (!made) throw new RangeError('expected an entity, got none');
    return { entity: made, done: 'created' };
  }
  if (above && known.parent !== parent) {
    throw new RowFault(
      `the ${kind.toLowerCase()} "${shown(known.id)}" belongs to ${known.parent ?? 'the ad account alone'}, not to ${parent}`,
    );
  }
  const differs = Object.entries(fields).some(([name, value]) => known.fields[name] !== value);
  if (!differs) return { entity: known, done: 'unchanged' };
  const entity = ads.put(known, { ...known.fields, ...fields }, now);
  return { entity, done: 'updated' };
}

/** Stores the figures of a row. @returns Whether that changed anything. */
function putFigures(
  { store: ads, zone }: ConsoleImport,
  { seq: entity }: AdEntity,
  { time, metrics, reach, frequency }: ConsoleRow,
): boolean {
  if (time === null) return false;
  const span = spanOf(time, zone);
  const placement = 'ALL_ON_TWITTER';
  const isNew =
    Object.keys(metrics).length > 0 && ads.figures.put({ entity, placement, span, metrics });
  const hasReach = reach !== null || frequency !== null;
  return (hasReach && ads.figures.putReach(entity, span, { reach, frequency })) || isNew;
}

function put(into: ConsoleImport, row: ConsoleRow): Stored['done'] {
  const done = new Set<Stored['done']>();
  let last: AdEntity | null = null;
  for (const one of row.entities) {
    const stored = store(into, one, last);
    done.add(stored.done);
    last = stored.entity;
  }
  if (last && putFigures(into, last, row)) done.add('updated');
  return (['created', 'updated'] as const).find((one) => done.has(one)) ?? 'unchanged';
}

/**
 * Imports an advertiser console's CSV of campaigns, and of what belongs to them, with their daily or hourly figures.
 * An entity is known again by its id, or by its name where the file has none; a figure replaces the one of the same time. So importing a file again
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
            const done = into.store.attempt(() => put(into, consoleRow(row.fields, columns)));
            if (done.ok) report[done.value] += 1;
            else if (done.error instanceof RowFault) refuse(row.line, done.error.message);
            else throw done.error;
          }
        });
      }
    }
  }
  return report;
}
