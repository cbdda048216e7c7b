import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';
import type { FeedQuery } from '#contract/catalog/catalog-feed.ts';

const SETTINGS = {
  feed_url: column.named('url', column.text),
  feed_format: column.named('format', column.word<FeedQuery['feed_format']>()),
  frequency: column.word<FeedQuery['frequency']>(),
  repeat: column.textOrNull,
  start_time: column.text,
  time_zone: column.text,
};
const FEED_SETTINGS = columns(SETTINGS);

/** Times are epoch ms. */
const FEED = columns({
  id: column.number,
  ...SETTINGS,
  createdAt: column.number,
  updatedAt: column.number,
});

/** The schedule on which a feed is read, and its address. */
export type FeedSettings = RowOf<typeof FEED_SETTINGS>;

/** A feed as stored. */
export type StoredFeed = RowOf<typeof FEED>;

/** Feeds of catalogs; a catalog has one at most. */
export function feedTable(db: Db) {
  const of = FEED.select(db, 'feed WHERE catalog = ?');
  const all = db.prepare(`SELECT ${FEED.names}, catalog FROM feed ORDER BY catalog`);
  const insert = db.prepare(
    `INSERT INTO feed (${FEED_SETTINGS.names}, created_at, updated_at, catalog)
    VALUES (${FEED_SETTINGS.places}, ?, ?, ?) RETURNING id`,
  );
  const update = db.prepare(
    `UPDATE feed SET (${FEED_SETTINGS.names}, updated_at) = (${FEED_SETTINGS.places}, ?) WHERE id = ?`,
  );
  const remove = db.prepare('DELETE FROM feed WHERE id = ?');
  return {
    of: (catalog: number): StoredFeed | null => of.get([catalog]) ?? null,
    /** All feeds, by catalog. */
    all: (): ReadonlyMap<number, StoredFeed> =>
      new Map(all.all().map((row) => [Number(row.at(-1)), FEED.read(row)])),
    /** @param at - Epoch ms. */
    add: (catalog: number, settings: FeedSettings, at: number): StoredFeed =>
      db.write('feed', () => {
        const row = insert.get([...FEED_SETTINGS.values(settings), at, at, catalog]);
        return { ...settings, id: Number(row?.[0]), createdAt: at, updatedAt: at };
      }),
    put: (id: number, settings: FeedSettings, at: number): void =>
      void db.write('feed', () => update.run([...FEED_SETTINGS.values(settings), at, id])),
    remove: (id: number): void => void db.write('remove-feed', () => remove.run([id])),
  };
}
