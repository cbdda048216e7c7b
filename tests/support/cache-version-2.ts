import { Dexie } from 'dexie';

/** Opens the cache with the tables of version 2, as a tab does that was not reloaded since. */
export function openVersion2(name: string, onOutdated: () => void = () => undefined) {
  const db = new Dexie(name, { chromeTransactionDurability: 'relaxed' });
  db.version(1).stores({
    cells: 'key',
    summaries: 'key',
    receipts: 'id,series',
    stores: 'key',
    sources: 'id',
  });
  db.version(2).stores({
    asks: 'id,series',
    runs: 'series',
    series: 'key,usedAt',
    settings: 'key',
  });
  db.on('versionchange', () => {
    db.close({ disableAutoOpen: true });
    onOutdated();
    return false;
  });
  return {
    /** Writes rows unchanged, table by table. */
    put: async (tables: Readonly<Record<string, readonly unknown[]>>): Promise<void> => {
      for (const [table, rows] of Object.entries(tables)) await db.table(table).bulkPut([...rows]);
    },
    close: () => db.close({ disableAutoOpen: true }),
  };
}
