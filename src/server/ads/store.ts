import type { AdFields } from '#contract/ads/ads.ts';
import type { AdKind } from '#contract/ads/ad-kind.ts';
import { AD_KINDS, type AdKindName } from '#contract/ads/ad-kinds.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { Attempt, Db, DbOptions, Value } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { openStore } from '#server/db/migrate.ts';
import { newSnowflake } from '#core/import/id.ts';
import { ADS_SCHEMA, STATISTICS_JOBS } from '#server/migrations/ads.ts';
import { entityPages } from './entity-pages.ts';
import { ENTITY_COLUMNS, entityOf, REPEATED, repeated, type AdEntity } from './entity-row.ts';
import { figureTable } from './figures.ts';
import { jobTable } from './job-table.ts';

/** An entity to add. */
export interface NewAdEntity extends Pick<AdEntity, 'kind' | 'holder' | 'parent' | 'fields'> {
  /** Made from its number if absent. */
  readonly id?: string;
  /**
   * Key of what it is about, or of the import that it comes from; unique in its holder and kind. The id by default for a
   * kind that is identified by such a key.
   */
  readonly source?: string;
}

/** The file of advertisers. Changes are durable when a method returns. */
export type AdsStore = ReturnType<typeof openAds>;

export const ADS_KIND = { application: 0x47536164, first: 3, steps: [ADS_SCHEMA, STATISTICS_JOBS] };

/** Ids have five digits from here on, as those of the platform (platform-facts, section 10). */
const FIRST_ID = 15_000_000;

/** The time for which the keys before a change are kept. A walk that takes longer sees the new ones. */
const WALK_MS = DAY_MS;
/** Former keys that a change removes at most. */
const FORGOTTEN = 1000;

const COLUMNS = ENTITY_COLUMNS.join(', ');

/** The kinds that belong to another one and end with it. A campaign outlives its funding instrument. */
function childrenOf(kind: AdKindName): AdKindName[] {
  if (kind === 'FUNDING_INSTRUMENT') return [];
  const all = Object.entries(AD_KINDS) as [AdKindName, AdKind][];
  return all.filter(([, { parent }]) => parent?.kind === kind).map(([name]) => name);
}

/** Counts changes, and remembers by which keys entities were sorted before them. */
function changeLog(db: Db) {
  const meta = metaOf(db);
  const KEYS = 'updated_at, deleted, name, start_time, end_time, daily, total, standard, amount';
  const remember = db.prepare(
    `INSERT INTO moved (seq, holder, kind, change, at, ${KEYS})
    SELECT seq, holder, kind, ?, ?, ${KEYS} FROM entity WHERE seq = ?`,
  );
  const oldest = db.prepare('SELECT at FROM moved ORDER BY rowid LIMIT 1');
  const forgettable = db.prepare(
    `SELECT max(change) FROM (SELECT change FROM moved WHERE at < ? ORDER BY rowid LIMIT ${FORGOTTEN})`,
  );
  const forget = db.prepare('DELETE FROM moved WHERE change <= ?');
  return {
    changes: () => ({ last: meta.number('changes'), forgotten: meta.number('forgotten') }),
    /** Begins a change. @returns Its number. */
    next: (now: number): number => {
      const first = oldest.get()?.[0];
      if (first !== undefined && Number(first) < now - WALK_MS) {
        const last = Number(forgettable.get([now - WALK_MS])?.[0]);
        forget.run([last]);
        meta.put('forgotten', last);
      }
      const change = meta.number('changes') + 1;
      meta.put('changes', change);
      return change;
    },
    remember: (seq: number, change: number, now: number): void =>
      void remember.run([change, now, seq]),
  };
}

/** Statements that find entities. */
function finders(db: Db) {
  const finderOf = <V extends readonly Value[]>(condition: string) => {
    const statement = db.prepare(`SELECT ${COLUMNS} FROM entity WHERE ${condition}`);
    return (...values: V): AdEntity | undefined => {
      const row = statement.get(values);
      return row && entityOf(row);
    };
  };
  const hasSource = db.prepare(
    'SELECT 1 FROM entity WHERE kind = ? AND source = ? AND deleted = 0 LIMIT 1',
  );
  const advertisers = db.prepare(
    "SELECT DISTINCT holder FROM entity WHERE kind = 'ACCOUNT' AND deleted = 0",
  );
  const below = db.prepare(
    `SELECT ${COLUMNS} FROM entity WHERE holder = ? AND kind = ? AND parent = ? AND deleted = 0`,
  );
  const due = db.prepare(
    `SELECT ${COLUMNS} FROM entity WHERE due <= ? AND deleted = 0 ORDER BY due, seq LIMIT ?`,
  );
  return {
    /** The entity of an id, whether deleted or not, and of any holder. */
    find: finderOf<[kind: AdKindName, id: string]>('kind = ? AND id = ?'),
    /** The entity that a key identifies, or that an import made from it, whether deleted or not. */
    bySource: finderOf<[kind: AdKindName, holder: string, source: string]>(
      'kind = ? AND holder = ? AND source = ?',
    ),
    /** True if any holder has an entity of that key that is not deleted. */
    hasSource: (kind: AdKindName, source: string) => hasSource.get([kind, source]) !== undefined,
    /** Ids of the users who have an ad account that is not deleted. */
    advertisers: (): ReadonlySet<string> =>
      new Set(advertisers.all().map(([holder]) => String(holder))),
    /** Entities below another one that are not deleted. */
    below: (kind: AdKindName, { holder, id }: Pick<AdEntity, 'holder' | 'id'>) =>
      below.all([holder, kind, id]).map(entityOf),
    /** Scheduled Posts whose time has come, the earliest first. @param now - Epoch ms. */
    due: (now: number, limit: number) => due.all([now, limit]).map(entityOf),
  };
}

/**
 * Opens the file of advertisers; creates it if it does not exist.
 *
 * @throws {@link StoreError} like `openStore`; any function, if the file cannot be read or written.
 */
export function openAds(file: string, options: DbOptions = {}) {
  const db = openStore(file, ADS_KIND, () => {}, options);
  const log = changeLog(db);
  const found = finders(db);
  const last = db.prepare('SELECT coalesce(max(seq), 0) FROM entity');
  const insert = db.prepare(
    `INSERT INTO entity (seq, kind, holder, id, parent, source, created_at, updated_at, ${REPEATED.join(', ')})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ${REPEATED.map(() => '?').join(', ')})`,
  );
  const update = db.prepare(
    `UPDATE entity SET changed = ?, updated_at = ?, ${REPEATED.map((name) => `${name} = ?`).join(', ')}
    WHERE seq = ?`,
  );
  const undelete = db.prepare('UPDATE entity SET deleted = 0 WHERE seq = ?');
  const remove = db.prepare(
    'UPDATE entity SET changed = ?, deleted = ?, updated_at = ? WHERE seq = ?',
  );
  const currency = db.prepare(
    `SELECT json_extract(fields, '$.currency') AS code FROM entity
    WHERE holder = ? AND kind IN ('CAMPAIGN', 'FUNDING_INSTRUMENT') AND code IS NOT NULL LIMIT 1`,
  );
  const inAccount = db.prepare('SELECT seq FROM entity WHERE holder = ? AND deleted = 0');
  const erase = db.prepare('DELETE FROM entity WHERE seq = ?');
  const eraseKeys = db.prepare('DELETE FROM moved WHERE seq = ?');

  const stored = (kind: AdKindName, id: string): AdEntity => {
    const entity = found.find(kind, id);
    if (!entity) throw new RangeError(`expected a stored ${kind}, got none of the id ${id}`);
    return entity;
  };
  /** An import may have brought an entity with the id of that number. */
  const freeId = (kind: AdKindName, seq: number, now: number): string => {
    const { decimal }: AdKind = AD_KINDS[kind];
    if (decimal) return String(newSnowflake(now, seq % 2 ** 22));
    let id = (FIRST_ID + seq).toString(36);
    while (found.find(kind, id)) id += '0';
    return id;
  };
  const removeOne = (seq: number, change: number, now: number): void => {
    log.remember(seq, change, now);
    remove.run([change, change, now, seq]);
  };
  const removeBelow = (of: AdEntity, change: number, now: number): void => {
    for (const kind of childrenOf(of.kind)) {
      for (const child of found.below(kind, of)) {
        removeOne(child.seq, change, now);
        removeBelow(child, change, now);
      }
    }
  };

  const put = ({ seq, kind, id }: AdEntity, fields: AdFields, now: number): AdEntity =>
    db.write('put-ad', () => {
      const change = log.next(now);
      log.remember(seq, change, now);
      update.run([change, now, ...repeated(fields), seq]);
      return stored(kind, id);
    });

  return {
    ...entityPages(db, log.changes),
    ...found,
    /** Adds entities, all or none. @returns Them in the order given. */
    add: (entities: readonly NewAdEntity[], now: number): AdEntity[] =>
      db.write('add-ads', () => {
        let seq = Number(last.get()?.[0]);
        return entities.map(({ kind, holder, parent, fields, ...given }) => {
          seq += 1;
          const id = given.id ?? freeId(kind, seq, now);
          const { keyed }: AdKind = AD_KINDS[kind];
          const source = given.source ?? (keyed ? id : null);
          insert.run([seq, kind, holder, id, parent, source, now, now, ...repeated(fields)]);
          return stored(kind, id);
        });
      }),
    /** Replaces the fields of an entity, whether deleted or not. */
    put,
    /** Replaces the fields of an entity, which is not deleted then. */
    restore: (entity: AdEntity, fields: AdFields, now: number): AdEntity =>
      db.write('restore-ad', () => {
        const { kind, id, seq } = put(entity, fields, now);
        undelete.run([seq]);
        return stored(kind, id);
      }),
    /** Marks an entity, and all that belongs to it, as deleted. */
    remove: (entity: AdEntity, now: number): AdEntity =>
      db.write('remove-ads', () => {
        const change = log.next(now);
        removeOne(entity.seq, change, now);
        if (entity.kind !== 'ACCOUNT') removeBelow(entity, change, now);
        else for (const [seq] of inAccount.all([entity.id])) removeOne(Number(seq), change, now);
        return stored(entity.kind, entity.id);
      }),
    /** Removes an entity for good. */
    erase: ({ seq }: AdEntity): void =>
      db.write('erase-ad', () => {
        eraseKeys.run([seq]);
        erase.run([seq]);
      }),
    /** A currency of the campaigns and funding instruments of an ad account; null if none has one. */
    currency: (holder: string): string | null => {
      const [code] = currency.get([holder]) ?? [];
      return code === undefined ? null : String(code);
    },
    figures: figureTable(db),
    jobs: jobTable(db),
    /** Runs `work` within a write; if it throws, only what it did is undone. */
    attempt: <T>(work: () => T): Attempt<T> => db.attempt(work),
    /** Makes several changes durable at once, or none. */
    write: <T>(step: string, work: () => T): T => db.write(step, work),
    close: (): void => db.close(),
  };
}
