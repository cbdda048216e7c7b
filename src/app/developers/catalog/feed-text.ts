import type { Formatter } from '#app/format/formatter.ts';
import { plural } from '#core/format/plural.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import type { FeedInfo, FeedProgress, FeedRunInfo } from '#contract/catalog/feed-answers.ts';

/** `MONDAY` as `Monday`. */
export const named = (word: string): string => `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`;

/** The times at which a feed is read: `Every 2 hours from 08:00, Europe/Berlin`. */
export function scheduleText({ frequency, repeat, start_time, time_zone }: FeedInfo): string {
  const zone = time_zone.replaceAll('_', ' ');
  switch (frequency) {
    case 'HOURLY': {
      const hours = Number(repeat ?? 1);
      return `${hours === 1 ? 'Every hour' : `Every ${hours} hours`} from ${start_time}, ${zone}`;
    }
    case 'DAILY':
      return `Every day at ${start_time}, ${zone}`;
    case 'WEEKLY':
      return `Every ${repeat === null ? 'week' : named(repeat)} at ${start_time}, ${zone}`;
  }
}

/** The present activity of a feed: `Downloading · 12 MB of 80 MB`. */
export function progressText(
  { state, bytes, bytes_total, rows, rows_total }: FeedProgress,
  format: Formatter,
): string {
  switch (state) {
    case 'waiting':
      return 'Waiting to start';
    case 'downloading': {
      const of = bytes_total === null ? '' : ` of ${format.bytes(bytes_total)}`;
      return `Downloading · ${format.bytes(bytes)}${of}`;
    }
    case 'reading':
      return `Reading the file · ${format.counted(rows, 'row')}`;
    case 'writing':
      return `Saving · ${format.count(rows)} of ${format.counted(rows_total ?? rows, 'row')}`;
  }
}

/** The part of the present activity that is done, from 0 to 1; null if that is not known. */
export function progressShare({
  bytes,
  bytes_total,
  rows,
  rows_total,
}: FeedProgress): number | null {
  const [done, all] = rows_total === null ? [bytes, bytes_total] : [rows, rows_total];
  return all ? Math.min(1, done / all) : null;
}

/** The names of the outcomes of a run. */
export const OUTCOME_NAMES: Readonly<Record<FeedRunInfo['outcome'], string>> = {
  running: 'Running',
  complete: 'Complete',
  unchanged: 'File unchanged',
  failed: 'Failed',
};

export function rowsRead({ created, updated, unchanged, refused }: FeedRunInfo): number {
  return created + updated + unchanged + refused;
}

/** The duration of a run: `12 s`, `3 min`, `1.5 h`; empty while it runs. */
export function runDuration({ started_at, ended_at }: FeedRunInfo, format: Formatter): string {
  if (ended_at === null) return '';
  const ms = Date.parse(ended_at) - Date.parse(started_at);
  if (ms < MINUTE_MS) return `${format.count(Math.max(1, Math.round(ms / SECOND_MS)))} s`;
  if (ms < HOUR_MS) return `${format.count(Math.round(ms / MINUTE_MS))} min`;
  return `${format.fixed(ms / HOUR_MS, 1)} h`;
}

/** The figures of a run for narrow pages: `1,204 rows · 3 created · 2 refused`; empty if the file was not read. */
export function figuresText(run: FeedRunInfo, format: Formatter): string {
  if (run.outcome === 'unchanged') return '';
  const { created, updated, refused } = run;
  const rows = rowsRead(run);
  const parts = [
    [created, 'created'],
    [updated, 'updated'],
    [refused, 'refused'],
  ] as const;
  const shown = parts.flatMap(([n, what]) => (n > 0 ? [`${format.count(n)} ${what}`] : []));
  return [format.counted(rows, 'row'), ...shown].join(' · ');
}

/** `3 rows refused`, `12 rows with a warning`. */
export function ruleText({ kind, rows }: FeedRunInfo['rules'][number]): string {
  return kind === 'error'
    ? `${plural(rows, 'row')} refused`
    : `${plural(rows, 'row')} with a warning`;
}
