import type { AdFields } from '#contract/ads.ts';
import { AD_KINDS } from '#contract/ad-kinds.ts';
import type { AdKind, AdKindName, Sorted } from '#contract/ad-kinds.ts';
import type { Cell, DbOptions, Value } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { openStore } from '#server/db/migrate.ts';
import { ADS_1 } from '#server/migrations/ads-1.ts';
import { ADS_2 } from '#server/migrations/ads-2.ts';
import { figureTable } from './figures.ts';
import type { FigureTable } from './figures.ts';

/** An advertiser entity as stored. Times are in epoch ms. */
export interface AdEntity {
  /** Order of creation. */
  readonly seq: number;
  readonly kind: AdKindName;
  /** The ad account that it belongs to; of an ad account, the id of its user. */
  readonly holder: string;
  readonly id: string;
  /** Id of the entity that it belongs to. */
  readonly parent: string | null;
  readonly deleted: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly fields: AdFields;
}

/** An entity to add. */
export interface NewAdEntity extends Pick<AdEntity, 'kind' | 'holder' | 'parent' | 'fields'> {
  /** Made from its number if absent. */
  readonly id?: string;
  /** Key of the import that it comes from; unique in its holder and kind. */
  readonly source?: string;
}

/** What a listing has. */
export interface AdFilter {
  readonly kind: AdKindName;
  readonly holder: string;
  readonly ids?: readonly string[] | undefined;
  readonly parents?: readonly string[] | undefined;
  /** A part of the name, in any case. */
  readonly q?: string | undefined;
  readonly withDeleted: boolean;
  readonly withDraft: boolean;
}

/** How a listing is sorted, and where a page begins. Entities of equal keys are in the order of creation. */
export interface AdOrder {
  readonly by: Sorted | null;
  readonly descending: boolean;
  /** The last entity of the page before; null for the first page. */
  readonly after: AdPlace | null;
}

/** A place in a listing. */
export interface AdPlace {
  /** Number of changes when the walk began. */
  readonly walk: number;
  /** Value of the attribute sorted by. */
  readonly key: string | number;
  readonly seq: number;
}

/** An entity of a page, with its place. */
export interface AdRow {
  readonly entity: AdEntity;
  readonly place: AdPlace;
}

/** The file of advertisers. Changes are durable when a method returns. */
export interface AdsStore {
  /** The entities of a page, at most `limit`. */
  page(filter: AdFilter, order: AdOrder, limit: number): AdRow[];
  /** Number of entities of a listing. */
  count(filter: AdFilter): number;
  /** The entity of an id, whether deleted or not, and of any holder. */
  find(kind: AdKindName, id: string): AdEntity | undefined;
  /** The entity that an import made from a key, whether deleted or not. */
  bySource(kind: AdKindName, holder: string, source: string): AdEntity | undefined;
  /** Adds entities, all or none. @returns Them in the order given. */
  add(entities: readonly NewAdEntity[], now: number): AdEntity[];
  /** Replaces the fields of an entity. */
  put(entity: AdEntity, fields: AdFields, now: number): AdEntity;
  /** Marks an entity, and all that belongs to it, as deleted. */
  remove(entity: AdEntity, now: number): AdEntity;
  readonly figures: FigureTable;
  /** Makes several changes durable at once, or none. */
  write<T>(step: string, work: () => T): T;
  close(): void;
}

export const ADS_KIND = { application: 0x47536164, steps: [ADS_1, ADS_2] };

/** Ids have five digits from here on, as those of the platform (platform-facts, section 10). */
const FIRST_ID = 15_000_000;

const COLUMN: Readonly<Record<Sorted, string>> = {
  created_at: 'created_at',
  updated_at: 'updated_at',
  deleted: 'deleted > 0',
  name: 'name',
  start_time: 'start_time',
  end_time: 'end_time',
  daily_budget_amount_local_micro: 'daily',
  total_budget_amount_local_micro: 'total',
  standard_delivery: 'standard',
};

/** Attributes that deleting an entity changes: one that is deleted during a walk would come again. */
const MOVED: ReadonlySet<Sorted | null> = new Set(['deleted', 'updated_at'] as const);

const COLUMNS = 'seq, kind, holder, id, parent, deleted, created_at, updated_at, fields';

function entityOf(row: readonly Cell[]): AdEntity {
  const [seq, kind, holder, id, parent, deleted, createdAt, updatedAt, fields] = row;
  return {
    seq: Number(seq),
    kind: String(kind) as AdKindName,
    holder: String(holder),
    id: String(id),
    parent: parent === null ? null : String(parent),
    deleted: Number(deleted) > 0,
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    fields: JSON.parse(String(fields)) as AdFields,
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : -1;
}

/** The columns that repeat fields. */
function repeated(fields: AdFields): Value[] {
  const name = text(fields['name']);
  const { start_time, end_time, standard_delivery } = fields;
  return [
    fields['entity_status'] === 'DRAFT' ? 1 : 0,
    name,
    name.toLowerCase(),
    text(start_time),
    text(end_time),
    amount(fields['daily_budget_amount_local_micro']),
    amount(fields['total_budget_amount_local_micro']),
    standard_delivery === undefined ? -1 : Number(standard_delivery),
    JSON.stringify(fields),
  ];
}

/** The condition of a filter, with its values. */
function conditionOf(filter: AdFilter): { sql: string[]; values: Value[] } {
  const { kind, holder, ids, parents, q, withDeleted, withDraft } = filter;
  const sql = ['holder = ?', 'kind = ?'];
  const values: Value[] = [holder, kind];
  const among = (column: string, list: readonly string[] | undefined): void => {
    if (!list) return;
    sql.push(`${column} IN (${list.map(() => '?').join(', ')})`);
    values.push(...list);
  };
  if (!withDeleted) sql.push('deleted = 0');
  if (!withDraft) sql.push('draft = 0');
  among('id', ids);
  among('parent', parents);
  if (q !== undefined) {
    sql.push('instr(folded, ?) > 0');
    values.push(q.toLowerCase());
  }
  return { sql, values };
}

/** The kinds that belong to another one and end with it. A campaign outlives its funding instrument. */
function childrenOf(kind: AdKindName): AdKindName[] {
  if (kind === 'FUNDING_INSTRUMENT') return [];
  const all = Object.entries(AD_KINDS) as [AdKindName, AdKind][];
  return all.filter(([, { parent }]) => parent?.kind === kind).map(([name]) => name);
}

/** Where a page begins and how it is sorted. */
function orderOf({ by, descending, after }: AdOrder) {
  const [compare, direction] = descending ? ['<', 'DESC'] : ['>', 'ASC'];
  const column = by && COLUMN[by];
  const sorted = column === null ? `seq ${direction}` : `${column} ${direction}, seq ${direction}`;
  const sql: string[] = [];
  const values: Value[] = [];
  if (after && column === null) {
    sql.push(`seq ${compare} ?`);
    values.push(after.seq);
  } else if (after) {
    sql.push(`(${column}, seq) ${compare} (?, ?)`);
    values.push(after.key, after.seq);
  }
  if (after && by && MOVED.has(by)) {
    sql.push('deleted <= ?');
    values.push(after.walk);
  }
  return { sql, values, key: column ?? 'seq', sorted };
}

/**
 * Opens the file of advertisers; creates it if it does not exist.
 *
 * @throws {@link StoreError} like `openStore`; any function, if the file cannot be read or written.
 */
export function openAds(file: string, options: DbOptions = {}): AdsStore {
  const db = openStore(file, ADS_KIND, () => {}, options);
  const meta = metaOf(db);
  const find = db.prepare(`SELECT ${COLUMNS} FROM entity WHERE kind = ? AND id = ?`);
  const bySource = db.prepare(
    `SELECT ${COLUMNS} FROM entity WHERE holder = ? AND kind = ? AND source = ?`,
  );
  const last = db.prepare('SELECT coalesce(max(seq), 0) FROM entity');
  const insert = db.prepare(
    `INSERT INTO entity (seq, kind, holder, id, parent, source, created_at, updated_at,
    draft, name, folded, start_time, end_time, daily, total, standard, fields)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE entity SET updated_at = ?, draft = ?, name = ?, folded = ?, start_time = ?, end_time = ?, daily = ?,
    total = ?, standard = ?, fields = ? WHERE seq = ?`,
  );
  const DELETE = 'UPDATE entity SET deleted = ?, updated_at = ? WHERE deleted = 0';
  const removeOne = db.prepare(`${DELETE} AND seq = ?`);
  const removeAll = db.prepare(`${DELETE} AND holder = ?`);
  const below = db.prepare(
    'SELECT seq, id FROM entity WHERE holder = ? AND kind = ? AND parent = ? AND deleted = 0',
  );

  const found = (kind: AdKindName, id: string): AdEntity | undefined => {
    const row = find.get([kind, id]);
    return row && entityOf(row);
  };
  const stored = (kind: AdKindName, id: string): AdEntity => {
    const entity = found(kind, id);
    if (!entity) throw new RangeError(`expected a stored ${kind}, got none of the id ${id}`);
    return entity;
  };
  /** An import may have brought an entity with the id of that number. */
  const freeId = (kind: AdKindName, seq: number): string => {
    let id = (FIRST_ID + seq).toString(36);
    while (found(kind, id)) id += '0';
    return id;
  };
  const removeBelow = (
    { kind, holder, id }: Pick<AdEntity, 'kind' | 'holder' | 'id'>,
    change: number,
    now: number,
  ): void => {
    for (const child of childrenOf(kind)) {
      for (const [seq, of] of below.all([holder, child, id])) {
        removeOne.run([change, now, Number(seq)]);
        removeBelow({ kind: child, holder, id: String(of) }, change, now);
      }
    }
  };

  return {
    page: (filter, order, limit) => {
      const { sql, values } = conditionOf(filter);
      const from = orderOf(order);
      const walk = order.after?.walk ?? meta.number('changes');
      const statement = db.prepare(
        `SELECT ${COLUMNS}, ${from.key} FROM entity WHERE ${[...sql, ...from.sql].join(' AND ')}
        ORDER BY ${from.sorted} LIMIT ?`,
      );
      return statement.all([...values, ...from.values, limit]).map((row) => {
        const key = row.at(-1);
        const entity = entityOf(row);
        const place = { walk, key: typeof key === 'string' ? key : Number(key), seq: entity.seq };
        return { entity, place };
      });
    },
    count: (filter) => {
      const { sql, values } = conditionOf(filter);
      const statement = db.prepare(`SELECT count(*) FROM entity WHERE ${sql.join(' AND ')}`);
      return Number(statement.get(values)?.[0]);
    },
    find: found,
    bySource: (kind, holder, source) => {
      const row = bySource.get([holder, kind, source]);
      return row && entityOf(row);
    },
    add: (entities, now) =>
      db.write('add-ads', () => {
        let seq = Number(last.get()?.[0]);
        return entities.map(({ kind, holder, parent, fields, source = null, ...given }) => {
          seq += 1;
          const id = given.id ?? freeId(kind, seq);
          insert.run([seq, kind, holder, id, parent, source, now, now, ...repeated(fields)]);
          return stored(kind, id);
        });
      }),
    put: ({ seq, kind, id }, fields, now) =>
      db.write('put-ad', () => {
        update.run([now, ...repeated(fields), seq]);
        return stored(kind, id);
      }),
    remove: (entity, now) =>
      db.write('remove-ads', () => {
        const change = meta.number('changes') + 1;
        meta.put('changes', change);
        removeOne.run([change, now, entity.seq]);
        if (entity.kind === 'ACCOUNT') removeAll.run([change, now, entity.id]);
        else removeBelow(entity, change, now);
        return stored(entity.kind, entity.id);
      }),
    figures: figureTable(db),
    write: (step, work) => db.write(step, work),
    close: () => db.close(),
  };
}
