import type { Db, Value } from './driver.ts';

/** Rows of a statement: more hardly save time. */
const ROWS = 40;

/**
 * Prepares an insert of any number of rows, which takes half the time of one row after another.
 *
 * @param into - Table and columns, such as `product (key, id)`.
 */
export function insertRows(
  db: Db,
  into: string,
  columns: number,
): (rows: readonly (readonly Value[])[]) => void {
  const one = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  const many = Array.from({ length: ROWS }, () => one).join(', ');
  const insertMany = db.prepare(`INSERT INTO ${into} VALUES ${many}`);
  const insertOne = db.prepare(`INSERT INTO ${into} VALUES ${one}`);
  return (rows) => {
    const whole = rows.length - (rows.length % ROWS);
    for (let from = 0; from < whole; from += ROWS) {
      insertMany.run(rows.slice(from, from + ROWS).flat());
    }
    for (const row of rows.slice(whole)) insertOne.run(row);
  };
}
