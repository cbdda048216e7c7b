import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import type { FeedSettings, StoredFeed } from '#server/catalog/feed-table.ts';
import { pathId, refuseUnknown } from './merchant.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import {
  REPEATS,
  type FeedChange,
  type FeedObject,
  type FeedQuery,
} from '#contract/catalog/catalog-feed.ts';

/** The reason a run of a feed ends that is changed, for its report. */
const CHANGED = 'The address or the format of the feed changed while it was read.';

/** A feed as answers have it. */
export function feedJson(
  { id, createdAt, updatedAt, ...settings }: StoredFeed,
  catalog: number,
): FeedObject {
  return {
    id: String(id),
    product_catalog_id: String(catalog),
    ...settings,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}

/** @throws {@link Fault} 400 for a `repeat` that does not fit the frequency. */
function checkRepeat({ frequency, repeat }: Pick<FeedSettings, 'frequency' | 'repeat'>): void {
  const values: readonly string[] = REPEATS[frequency];
  if (repeat === null) {
    if (values.length === 0) return;
    const message = `"repeat" is a missing parameter of a feed that is read ${frequency}`;
    throw advertiserFault(400, 'MISSING_PARAMETER', message, { parameter: 'repeat' });
  }
  if (values.includes(repeat)) return;
  const expected = values.length === 0 ? 'nothing' : `one of ${values.join(', ')}`;
  const message = `Expected ${expected} for a feed that is read ${frequency}, got "${repeat}" for repeat`;
  throw advertiserFault(400, 'INVALID_PARAMETER', message, { parameter: 'repeat', value: repeat });
}

/** @throws {@link Fault} 404 if the catalog has no such feed. */
export function ownFeed(store: CatalogStore, catalog: number, id: string): StoredFeed {
  const feed = store.feeds.of(catalog);
  return feed && feed.id === pathId(id) ? feed : refuseUnknown('Scheduled feed', 'id', id);
}

/**
 * Creates the feed of a catalog.
 *
 * @param at - Epoch ms.
 * @throws {@link Fault} 403 if it has one; 400 for a `repeat` that does not fit.
 */
export function addFeed(
  store: CatalogStore,
  catalog: number,
  { repeat: sent, ...rest }: FeedQuery,
  at: number,
): StoredFeed {
  const there = store.feeds.of(catalog);
  if (there) {
    const message = `The user already has a scheduled feed, ${there.id}; a user may have one`;
    throw advertiserFault(403, 'ACTION_NOT_ALLOWED', message);
  }
  const repeat = sent ?? null;
  checkRepeat({ frequency: rest.frequency, repeat });
  return store.feeds.add(catalog, { ...rest, repeat }, at);
}

/**
 * The settings of a feed after a change. Another frequency needs a `repeat` of its own.
 *
 * @throws {@link Fault} 400 without a change, and for a `repeat` that does not fit.
 */
function changedSettings(feed: StoredFeed, change: FeedChange): FeedSettings {
  if (Object.values(change).every((value) => value === undefined)) {
    throw advertiserFault(400, 'MISSING_PARAMETER', 'Expected at least one parameter to change');
  }
  const frequency = change.frequency ?? feed.frequency;
  const settings = {
    feed_url: change.feed_url ?? feed.feed_url,
    feed_format: change.feed_format ?? feed.feed_format,
    frequency,
    repeat: change.repeat ?? (frequency === feed.frequency ? feed.repeat : null),
    start_time: change.start_time ?? feed.start_time,
    time_zone: change.time_zone ?? feed.time_zone,
  };
  checkRepeat(settings);
  return settings;
}

/** True if a feed is read from another file, or in another way. */
function isOtherFile(before: FeedSettings, after: FeedSettings): boolean {
  return before.feed_url !== after.feed_url || before.feed_format !== after.feed_format;
}

/**
 * Changes the feed of a catalog. A run that reads another file ends.
 *
 * @param at - Epoch ms.
 * @throws {@link Fault} as {@link changedSettings}, before a run ends for it; 404 if the catalog has no feed.
 */
export async function changeFeed(
  { store, feeds }: Catalogs,
  catalog: number,
  change: FeedChange,
  at: number,
): Promise<StoredFeed> {
  const there = (): StoredFeed =>
    store.feeds.of(catalog) ?? refuseUnknown('Feed of catalog', 'id', String(catalog));
  const isOther = (feed: StoredFeed): boolean => isOtherFile(feed, changedSettings(feed, change));
  const put = (): StoredFeed => {
    const feed = there();
    const settings = changedSettings(feed, change);
    store.write('feed', () => {
      store.feeds.put(feed.id, settings, at);
      // Validators of one file say nothing about another.
      if (isOtherFile(feed, settings)) store.downloads.forget(catalog);
    });
    return { ...feed, ...settings, updatedAt: at };
  };
  return await (isOther(there()) ? feeds.change(catalog, CHANGED, put) : feeds.write(put));
}

/** Gives a catalog its feed, or changes it, as {@link addFeed} and {@link changeFeed}. */
export async function putFeed(
  catalogs: Catalogs,
  catalog: number,
  settings: FeedQuery,
  at: number,
): Promise<StoredFeed> {
  const { store, feeds } = catalogs;
  if (store.feeds.of(catalog)) return await changeFeed(catalogs, catalog, settings, at);
  return await feeds.write(() => addFeed(store, catalog, settings, at));
}
