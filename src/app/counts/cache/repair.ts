import type { PageFault } from '#core/counts/check.ts';
import type { CellKey, CellRecord } from '#core/counts/ledger.ts';
import { summarise, type CellSummary } from '#core/counts/summary.ts';
import { cellSpan, intersect } from '#core/time/span.ts';
import type { CellTable, CountsDatabase } from './database.ts';
import { intact, sealed } from './checksum.ts';

/** A range of keys, both ends inclusive; an end may be a prefix of keys. */
export type KeyRange = readonly [from: readonly unknown[], to: readonly unknown[]];

const DAMAGED: PageFault = { kind: 'damaged', times: 1 };

/**
 * Rebuilds a summary from its record. If the record is damaged, deletes both, so that their span counts as unknown, and
 * notes the damage in the receipts of their pages. Needs a transaction over cells, summaries and receipts.
 */
export async function repair(db: CountsDatabase, key: CellKey): Promise<void> {
  const [series, granularity, cell] = key;
  const row = await db.cells.get(key);
  const record = row && intact(row);
  if (record) {
    await db.summaries.put(sealed(summarise(record)));
    return;
  }
  await db.cells.delete(key);
  await db.summaries.delete(key);
  await db.receipts
    .where('series')
    .equals(series)
    .and(
      (receipt) =>
        receipt.granularity === granularity && intersect(receipt.reported, cellSpan(cell)) !== null,
    )
    .modify((receipt) => {
      if (!receipt.accepted || receipt.faults.some(({ kind }) => kind === 'damaged')) return;
      Object.assign(receipt, { faults: [...receipt.faults, DAMAGED] });
    });
}

/** Reads the rows of a table in order of keys. Repairs damaged rows first, or leaves them out. */
export async function intactRows<T extends CellRecord | CellSummary>(
  db: CountsDatabase,
  table: CellTable<T>,
  range: KeyRange,
): Promise<T[]> {
  const found = table.where('key').between(...range, true, true);
  const rows = (await found.toArray()).map((row) => intact<T>(row));
  if (rows.every((row) => row !== null)) return rows;
  return await db.transaction('rw', [db.cells, db.summaries, db.receipts], async () => {
    // The key itself may be damaged in the row.
    const keys = await found.primaryKeys();
    const now = await found.toArray();
    for (const [i, key] of keys.entries()) if (now[i] && !intact<T>(now[i])) await repair(db, key);
    return (await found.toArray()).flatMap((row) => intact<T>(row) ?? []);
  });
}

/**
 * Reads the records with the given keys; undefined for one that is not stored. Deletes damaged ones. Needs a
 * transaction over cells, summaries and receipts.
 */
export async function intactRecords(
  db: CountsDatabase,
  keys: readonly CellKey[],
): Promise<(CellRecord | undefined)[]> {
  const rows = await db.cells.bulkGet([...keys]);
  const records = rows.map((row) => row && (intact(row) ?? undefined));
  for (const [i, key] of keys.entries()) if (rows[i] && !records[i]) await repair(db, key);
  return records;
}
