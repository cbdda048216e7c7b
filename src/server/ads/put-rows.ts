import { HOUR_MS, DAY_MS, type Span } from '#core/time/span.ts';
import { localDayAfter, localInstant, wallTime } from '#core/time/zone.ts';
import type { DateOrder } from '#core/import/stamp.ts';
import type { Feed } from '#server/readers/feed.ts';
import { shown } from '#core/readers/error.ts';
import type { AdKind } from '#contract/ads/ad-kind.ts';
import { AD_KINDS } from '#contract/ads/ad-kinds.ts';
import type { ConsoleReading } from './console-columns.ts';
import type { ConsoleMarks, FigureKind } from './console-marks.ts';
import type { AdEntity } from './entity-row.ts';
import type { AdsStore } from './store.ts';
import { consoleRow, zoneAround, type ConsoleEntity, type ConsoleRow } from './console-row.ts';
import { RowFault, type ConsoleTime } from './console-values.ts';

/** The result of an import: every row is one of the last four. */
export interface ConsoleReport {
  read: number;
  /** Rows with a campaign, or something in it, that was not there before. */
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Names of columns that were not read. */
  ignored: Set<string>;
  /** Words for statuses that are not known, which were not read. */
  statuses: Set<string>;
  campaigns: Campaigns;
}

/** The outcome for each campaign with a row that was not refused, by its id: created, updated or unchanged. */
type Campaigns = Map<string, Stored['done']>;

/** The file to import, and where it goes. */
export interface ConsoleImport {
  readonly store: AdsStore;
  /** The ad account, for a row that is stored; called in its transaction, which may be undone. */
  readonly account: () => AdEntity;
  /** Time zone of the account. */
  readonly zone: string;
  /** Epoch ms. */
  readonly now: number;
  readonly map: Readonly<Record<string, string>>;
  /** The order of dates; found in the file if null. */
  readonly dates: DateOrder | null;
  /** Reports a row that was refused. */
  readonly onRefused: (file: string, line: number, reason: string) => void;
  /** Called with the number of rows so far when a batch of them is durable. */
  readonly onRows?: (read: number) => void;
  /** Ends the import after a batch. */
  readonly signal?: AbortSignal;
}

/** An import, and what its rows have said so far. */
export interface Importing extends ConsoleImport {
  readonly marks: ConsoleMarks;
  readonly campaigns: Campaigns;
}

/** Names the entity and the local hour of a row, if its clock shows that hour twice; null otherwise. */
function repeatedHour({ time, entities }: ConsoleRow, zone: string): string | null {
  const last = entities.at(-1);
  if (time?.form !== 'local' || !last) return null;
  const table = zoneAround(zone, time.at);
  const isRepeated = wallTime(table, localInstant(table, time.at) + HOUR_MS) === time.at;
  return isRepeated ? `${last.kind} ${last.key} ${time.at}` : null;
}

/** The one of the two hours that the row of a repeated hour is about: 0 or 1; 0 if the hour is not repeated. */
function occurrenceOf(row: ConsoleRow, { zone, marks }: Importing): number {
  const hour = repeatedHour(row, zone);
  if (hour === null) return 0;
  const { rows, before } = marks.takeRepeated(hour);
  const time = `the clock of ${zone} shows ${shown(row.time?.text ?? '')} twice`;
  if (rows === 1) {
    throw new RowFault(
      `${time} and the file has one row for it; write it with its offset, as in 2026-01-31T08:00:00-07:00`,
    );
  }
  if (before > 1) throw new RowFault(`${time} and the file has ${rows} rows for it`);
  return before;
}

/** The span of a row's figures: a local day, or an hour of it. @param occurrence - Of an hour that is repeated. */
function spanOf({ form, at, text }: ConsoleTime, zone: string, occurrence: number): Span {
  const table = zoneAround(zone, at);
  const start = form === 'instant' ? at : localInstant(table, at);
  const wall = wallTime(table, start);
  const got = `as time, got "${shown(text)}"`;
  if (form !== 'day' && wall % HOUR_MS !== 0) {
    throw new RowFault(`expected the beginning of an hour in ${zone} ${got}`);
  }
  if (form !== 'instant' && wall - at >= (form === 'day' ? DAY_MS : 1)) {
    throw new RowFault(`expected a time that ${zone} has ${got}, which its clock skips`);
  }
  if (form === 'day') return { start, end: localDayAfter(table, start, 1) };
  return { start: start + occurrence * HOUR_MS, end: start + (occurrence + 1) * HOUR_MS };
}

/** The outcome for an entity of a row. */
interface Stored {
  readonly entity: AdEntity;
  readonly done: 'created' | 'updated' | 'unchanged';
}

/** Refuses a campaign in another currency than it has, or than all else in the account if it has none. */
function checkCurrency(
  into: Importing,
  currency: string,
  known: AdEntity | undefined,
  above: AdEntity | null,
): void {
  const own = known?.fields['currency'] ?? above?.fields['currency'] ?? null;
  const has = own ?? into.store.currency(into.account().id);
  if (has === null || has === currency) return;
  const what = own === null ? 'ad account' : known ? 'campaign' : 'funding instrument';
  throw new RowFault(`the ${what} is in ${String(has)}, the row is in ${currency}`);
}

/**
 * Finds or creates an entity that a row names.
 *
 * @param above - The entity to which it belongs; null for the account alone.
 */
function store(into: Importing, named: ConsoleEntity, above: AdEntity | null): Stored {
  const { store: ads, now, marks } = into;
  const account = into.account();
  const { kind, key, id, fields } = named;
  const parent = above?.id ?? null;
  const known = ads.bySource(kind, account.id, key);
  const currency = fields['currency'];
  if (currency !== undefined) checkCurrency(into, String(currency), known, above);
  if (!known) {
    const isFree = id !== null && !ads.find(kind, id);
    const field = (AD_KINDS[kind] as AdKind).parent?.field;
    const whole = { ...fields, ...(field !== undefined && parent !== null && { [field]: parent }) };
    const added = { kind, holder: account.id, parent, fields: whole, source: key };
    const [made] = ads.add([{ ...added, ...(isFree && { id }) }], now);
    if (!made) throw new RangeError('expected an entity, got none');
    return { entity: made, done: 'created' };
  }
  const what = `the ${kind.toLowerCase()} "${shown(known.id)}"`;
  if (above && known.parent !== parent) {
    throw new RowFault(
      `${what} belongs to ${known.parent ?? 'the ad account alone'}, not to ${parent}`,
    );
  }
  const differing = Object.keys(fields).filter((name) => known.fields[name] !== fields[name]);
  if (differing.length === 0) return { entity: known, done: 'unchanged' };
  const said = marks.fields(known.seq);
  const twice = differing.find((name) => said.includes(name));
  if (twice !== undefined) {
    const [before, after] = [known.fields[twice], fields[twice]].map((each) => shown(String(each)));
    throw new RowFault(
      `${what} has "${before}" as ${twice} in an earlier row of the file, and "${after}" here`,
    );
  }
  const entity = ads.put(known, { ...known.fields, ...fields }, now);
  return { entity, done: 'updated' };
}

/** Stores the figures of a row. @returns Whether that changed anything. */
function putFigures(into: Importing, { seq: entity }: AdEntity, row: ConsoleRow): boolean {
  const { store: ads, zone, marks } = into;
  const { time, metrics, reach, frequency } = row;
  const occurrence = occurrenceOf(row, into);
  if (time === null) return false;
  const span = spanOf(time, zone, occurrence);
  const placement = 'ALL_ON_TWITTER';
  const once = (kind: FigureKind, isNew: boolean): boolean => {
    if (isNew && marks.hasTime(entity, kind, span)) {
      throw new RowFault(
        `the file has ${shown(time.text)} twice, with other figures in an earlier row`,
      );
    }
    return isNew;
  };
  const hasMetrics = Object.keys(metrics).length > 0;
  const hasReach = reach !== null || frequency !== null;
  const isNew =
    hasMetrics && once('metrics', ads.figures.put({ entity, placement, span, metrics }));
  const isReached =
    hasReach && once('reach', ads.figures.putReach(entity, span, { reach, frequency }));
  if (hasMetrics) marks.addTime(entity, 'metrics', span);
  if (hasReach) marks.addTime(entity, 'reach', span);
  return isNew || isReached;
}

/** Stores a row of a file. */
export function putRow(into: Importing, row: ConsoleRow): Stored['done'] {
  const done = new Set<Stored['done']>();
  const entities: AdEntity[] = [];
  let campaign: Stored | undefined;
  for (const entity of row.entities) {
    const stored = store(into, entity, entities.at(-1) ?? null);
    done.add(stored.done);
    if (stored.entity.kind === 'CAMPAIGN') campaign = stored;
    entities.push(stored.entity);
  }
  const last = entities.at(-1);
  if (last && putFigures(into, last, row)) done.add('updated');
  // Only now: what a refused row says is undone.
  for (const [i, { seq }] of entities.entries()) {
    into.marks.addFields(seq, Object.keys(row.entities[i]?.fields ?? {}));
  }
  const whole = (['created', 'updated'] as const).find((each) => done.has(each)) ?? 'unchanged';
  if (campaign) {
    const before = into.campaigns.get(campaign.entity.id) ?? campaign.done;
    const now = before === 'unchanged' && whole !== 'unchanged' ? 'updated' : before;
    into.campaigns.set(campaign.entity.id, now);
  }
  return whole;
}

/** The number of campaigns of each outcome. */
export function campaignCounts(campaigns: Campaigns) {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  for (const done of campaigns.values()) counts[done] += 1;
  return counts;
}

/** Counts the rows of each local hour that its clock shows twice, so that each row is known as the first, second or only one. */
export async function countRepeated(
  feed: Feed,
  reading: ConsoleReading,
  into: Importing,
): Promise<void> {
  const { marks, zone } = into;
  marks.forgetRepeated();
  if (!reading.columns.has('time')) return;
  for await (const rows of feed.rows()) {
    for (const row of rows) {
      if (row.kind !== 'columns') continue;
      try {
        const hour = repeatedHour(consoleRow(row.fields, reading), zone);
        if (hour !== null) marks.countRepeated(hour);
      } catch (error) {
        // The import itself refuses it.
        if (!(error instanceof RowFault)) throw error;
      }
    }
  }
}
