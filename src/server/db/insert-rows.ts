import type { Db, Value } from './driver.ts';

/** Rows of a statement: more hardly save time. */
const ROWS = 40;

/**
 * Prepares an insert of any number of rows, which takes half the time of one row after another.
 *
 * @param into - Table and columns, such as `product (key, id)`.
 * @param conflict - The action on a row that conflicts with another, such as `ON CONFLICT DO NOTHING`.
 * @returns A function that inserts rows, and returns how many were added.
 */
export function insertRows(
  db: Db,
  into: string,
  columns: number,
  conflict = '',
): (rows: readonly (readonly Value[])[]) => number {
  const places = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  const many = Array.from({ length: ROWS }, () => places).join(', ');
  const insertMany = db.prepare(`INSERT INTO ${into} VALUES ${many} ${conflict}`);
  const insertOne = db.prepare(`INSERT INTO ${into} VALUES ${places} ${conflict}`);
  return (rows) => {
    const whole = rows.length - (rows.length % ROWS);
    let added = 0;
    for (let from = 0; from < whole; from += ROWS) {
      // With `flat` the whole takes 30% longer.
      const values: Value[] = [];
      for (let i = from; i < from + ROWS; i++) values.push(...rows[i]!);
      added += insertMany.run(values);
    }
    for (const row of rows.slice(whole)) added += insertOne.run(row);
    return added;
  };
}
