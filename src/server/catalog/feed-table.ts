import type { FeedQuery } from '#contract/catalog/catalog.ts';
import { textOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** The schedule on which a feed is read, and its address. */
export type FeedSettings = Omit<FeedQuery, 'repeat'> & { readonly repeat: string | null };

/** A feed as stored. */
export interface StoredFeed extends FeedSettings {
  readonly id: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Feeds of catalogs; a catalog has one at most. */
export interface FeedTable {
  of(catalog: number): StoredFeed | null;
  /** All feeds, by catalog. */
  all(): ReadonlyMap<number, StoredFeed>;
  /** @param at - Epoch ms. */
  add(catalog: number, settings: FeedSettings, at: number): StoredFeed;
  put(id: number, settings: FeedSettings, at: number): void;
  remove(id: number): void;
}

const SETTINGS = 'url, format, frequency, repeat, start_time, time_zone';

function feedOf(row: readonly Cell[]): StoredFeed {
  const [id, url, format, frequency, repeat, start, zone, createdAt, updatedAt] = row;
  return {
    id: Number(id),
    feed_url: String(url),
    feed_format: String(format) as FeedQuery['feed_format'],
    frequency: String(frequency) as FeedQuery['frequency'],
    repeat: textOrNull(repeat),
    start_time: String(start),
    time_zone: String(zone),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
  };
}

function valuesOf(settings: FeedSettings): (string | null)[] {
  const { feed_url, feed_format, frequency, repeat, start_time, time_zone } = settings;
  return [feed_url, feed_format, frequency, repeat, start_time, time_zone];
}

export function feedTable(db: Db): FeedTable {
  const of = db.prepare(
    `SELECT id, ${SETTINGS}, created_at, updated_at FROM feed WHERE catalog = ?`,
  );
  const all = db.prepare(
    `SELECT id, ${SETTINGS}, created_at, updated_at, catalog FROM feed ORDER BY catalog`,
  );
  const insert = db.prepare(
    `INSERT INTO feed (${SETTINGS}, created_at, updated_at, catalog) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE feed SET (${SETTINGS}, updated_at) = (?, ?, ?, ?, ?, ?, ?) WHERE id = ?`,
  );
  const remove = db.prepare('DELETE FROM feed WHERE id = ?');
  const lastId = db.prepare('SELECT last_insert_rowid()');
  return {
    of: (catalog) => {
      const row = of.get([catalog]);
      return row ? feedOf(row) : null;
    },
    all: () => new Map(all.all().map((row) => [Number(row.at(-1)), feedOf(row)])),
    add: (catalog, settings, at) =>
      db.write('feed', () => {
        insert.run([...valuesOf(settings), at, at, catalog]);
        const id = Number(lastId.get()?.[0]);
        return { ...settings, id, createdAt: at, updatedAt: at };
      }),
    put: (id, settings, at) =>
      void db.write('feed', () => update.run([...valuesOf(settings), at, id])),
    remove: (id) => void db.write('remove-feed', () => remove.run([id])),
  };
}
