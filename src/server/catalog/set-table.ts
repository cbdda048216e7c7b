import type { ProductCondition, Filter } from '#core/catalog/filter.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';
import type { FacetBlocks } from './facet-blocks.ts';
import type { SetBody } from '#contract/catalog/catalog-set.ts';

const SET = columns({
  id: column.number,
  name: column.text,
  description: column.textOrNull,
  type: column.word<SetBody['type']>(),
  /** Empty for a manual set. */
  filters: column.json<readonly Filter[]>(),
});

/** A set as stored. */
export type StoredSet = RowOf<typeof SET>;

const MEMBER = columns({
  key: column.number,
  /** The merchant's id. */
  id: column.text,
});

/** A product of a set. */
export type Member = RowOf<typeof MEMBER>;

/** Sets of products. */
export function setTable(db: Db, facets: FacetBlocks) {
  const idOf = db.prepare('SELECT id FROM product WHERE key = ?');
  const insert = db.prepare(
    `INSERT INTO product_set (catalog, name, description, type, filters) VALUES (?, ?, ?, ?, ?)
    RETURNING id`,
  );
  const find = SET.select(db, 'product_set WHERE id = ? AND catalog = ?');
  const page = SET.select(db, 'product_set WHERE catalog = ? AND id > ? ORDER BY id LIMIT ?');
  const update = db.prepare('UPDATE product_set SET name = ?, description = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM product_set WHERE id = ?');
  const addMember = db.prepare(
    'INSERT INTO set_member (product_set, position, product) VALUES (?, ?, ?)',
  );
  const clear = db.prepare('DELETE FROM set_member WHERE product_set = ?');
  const members = MEMBER.select(
    db,
    'set_member JOIN product ON key = product WHERE product_set = ? ORDER BY position',
  );
  const fill = (id: number, products: readonly number[]): void => {
    clear.run([id]);
    for (const [position, key] of products.entries()) addMember.run([id, position, key]);
  };
  return {
    /** @param products - Keys of the products of a manual set; empty for another. */
    add: (catalog: number, set: Omit<StoredSet, 'id'>, products: readonly number[]): StoredSet =>
      db.write('set', () => {
        const { name, description, type, filters } = set;
        const row = insert.get([catalog, name, description, type, JSON.stringify(filters)]);
        const id = Number(row?.[0]);
        fill(id, products);
        return { ...set, id };
      }),
    find: (catalog: number, id: number): StoredSet | null => find.get([id, catalog]) ?? null,
    page: (catalog: number, after: number, limit: number): StoredSet[] =>
      page.all([catalog, after, limit]),
    /** Replaces a manual set's names, and its products unless they are null. */
    put: ({ id, name, description }: StoredSet, products: readonly number[] | null): void =>
      db.write('set', () => {
        update.run([name, description, id]);
        if (products) fill(id, products);
      }),
    remove: (id: number): void =>
      db.write('remove-set', () => {
        clear.run([id]);
        remove.run([id]);
      }),
    /** Products of a manual set, in the order given. */
    members: (id: number): Member[] => members.all([id]),
    /** The number of products of a catalog that meet every condition, `most` at most. */
    count: (catalog: number, conditions: readonly ProductCondition[], most: number): number =>
      facets.matching(catalog, conditions, { after: 0, limit: most }).length,
    /** The first products of a catalog after a key that meet every condition, by key. */
    matching: (
      catalog: number,
      conditions: readonly ProductCondition[],
      of: { readonly after: number; readonly limit: number },
    ): Member[] =>
      facets.matching(catalog, conditions, of).map((key) => {
        const id = idOf.get([key])?.[0];
        return { key, id: String(id) };
      }),
  };
}
