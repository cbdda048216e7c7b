import { formatInstant } from '#contract/instant.ts';
import { nextRun } from '#core/catalog/feed-schedule.ts';
import type { StoredFeed } from '#server/catalog/feed-table.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import type { RunProgress } from './feed-work.ts';
import type { RunSize } from './download-table.ts';
import type { FeedRun, RuleCount } from './run-table.ts';
import type { FeedInfo, FeedProgress, FeedRunInfo } from '#contract/catalog/feed-answers.ts';

/** Rules of a run that are listed, the most frequent first: far more than there are. */
const MOST_RULES = 100;

function outcomeOf({ endedAt, fault }: FeedRun, since: number | null): FeedRunInfo['outcome'] {
  if (endedAt === null) return 'running';
  if (fault !== null) return 'failed';
  return since === null ? 'complete' : 'unchanged';
}

function infoOf(run: FeedRun, size: RunSize | undefined, rules: RuleCount[]): FeedRunInfo {
  const { id, startedAt, endedAt, fault, created, updated, unchanged, refused } = run;
  const since = size?.unchangedSince ?? null;
  return {
    id: String(id),
    started_at: formatInstant(startedAt),
    ended_at: endedAt === null ? null : formatInstant(endedAt),
    outcome: outcomeOf(run, since),
    unchanged_since: since === null ? null : formatInstant(since),
    fault,
    bytes: size?.bytes ?? null,
    created,
    updated,
    unchanged,
    refused,
    rules: rules.slice(0, MOST_RULES),
  };
}

/** The stored runs of a catalog, the newest first. */
export function runInfos({ runs, downloads }: CatalogStore, catalog: number): FeedRunInfo[] {
  const sizes = downloads.sizes(catalog);
  return runs.of(catalog).map((run) => infoOf(run, sizes.get(run.id), runs.rules(run.id)));
}

/** The activity of a run. */
export function progressInfo(progress: RunProgress): FeedProgress {
  const nothing = { bytes: 0, bytes_total: null, rows: 0, rows_total: null };
  switch (progress.state) {
    case 'waiting':
      return { state: 'waiting', ...nothing };
    case 'downloading': {
      const { state, bytes, total } = progress;
      return { ...nothing, state, bytes, bytes_total: total };
    }
    case 'reading': {
      const { state, rows, bytes, total } = progress;
      return { ...nothing, state, rows, bytes, bytes_total: total };
    }
    case 'writing': {
      const { state, rows, total } = progress;
      return { ...nothing, state, rows, rows_total: total };
    }
  }
}

/**
 * The time at which the feed of a catalog is to be read next: by its schedule after the last run, or after the schedule
 * was set. That is in the past if runs were missed, of which one is made up.
 *
 * @param now - Epoch ms.
 * @returns Epoch ms.
 */
export function dueAt(
  { runs }: CatalogStore,
  catalog: number,
  feed: StoredFeed,
  now: number,
): number {
  const [last] = runs.of(catalog);
  // A run that began in the future is one before the clock was set back.
  const since = Math.min(Math.max(feed.updatedAt, last?.startedAt ?? 0), now);
  return nextRun(feed, since);
}

/** The feed of a catalog; null if it has none. @param now - Epoch ms. */
export function feedInfo(store: CatalogStore, catalog: number, now: number): FeedInfo | null {
  const feed = store.feeds.of(catalog);
  if (!feed) return null;
  const { id, feed_url: url, feed_format: format, frequency, repeat } = feed;
  return {
    id: String(id),
    url,
    format,
    frequency,
    repeat,
    start_time: feed.start_time,
    time_zone: feed.time_zone,
    next_run: formatInstant(Math.max(dueAt(store, catalog, feed, now), now)),
  };
}
