import type { Db } from '#server/db/driver.ts';

/** The two texts by which a row of a feed is known: the merchant's id, and a digest of the whole row. */
export type RowDigest = readonly [id: string, digest: string];

/** Digests of the rows from which products were read last. Functions that change them run within a write. */
export function rowDigests(db: Db) {
  const put = db.prepare(
    `INSERT INTO product_row (product, digest) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
      ON CONFLICT DO UPDATE SET digest = excluded.digest WHERE digest <> excluded.digest`,
  );
  const remove = db.prepare('DELETE FROM product_row WHERE product = ?');
  const some = db.prepare('SELECT 1 FROM product WHERE catalog = ? LIMIT 1');
  const differing = db.prepare(
    `SELECT json_group_array(j.key) FROM json_each(?) j
      LEFT JOIN product p ON p.catalog = ? AND p.id = j.value ->> 0
      LEFT JOIN product_row r ON r.product = p.key
      WHERE r.digest IS NOT j.value ->> 1`,
  );
  return {
    put: (digests: readonly (readonly [product: number, digest: string])[]): void => {
      if (digests.length > 0) put.run([JSON.stringify(digests)]);
    },
    remove: (product: number): void => void remove.run([product]),
    /** The rows, by their place, that have another digest than that from which their product was read last. */
    differing: (catalog: number, rows: readonly RowDigest[]): number[] => {
      if (some.get([catalog]) === undefined) return [...rows.keys()];
      return JSON.parse(String(differing.get([JSON.stringify(rows), catalog])?.[0])) as number[];
    },
  };
}
