import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { CountsCache, type CacheEvents } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase } from '#app/counts/cache/database.ts';
import { wholeCache, type WholeCache } from '#tests/support/data/whole-cache.ts';

Dexie.dependencies.IDBKeyRange = IDBKeyRange as typeof globalThis.IDBKeyRange;

/** The simulated disk of a test's cache. */
interface Disk {
  /** While set, nothing can be written. */
  full: boolean;
  /** Cell records that can still be written. */
  room: number;
}

/** The app's cache over an IndexedDB in memory; tests can inspect its tables and fill its disk. */
export type TestCache = WholeCache<
  CountsCache & { readonly db: CountsDatabase; readonly disk: Disk }
>;

/** Makes writes to a database fail while its disk is full. */
function limit(db: CountsDatabase, disk: Disk): void {
  db.use({
    stack: 'dbcore',
    name: 'disk',
    create: (core) => ({
      ...core,
      table: (name) => {
        const table = core.table(name);
        return {
          ...table,
          mutate: async (request) => {
            const writes = request.type === 'add' || request.type === 'put';
            if (writes && name === 'cells') disk.room -= request.values.length;
            if (writes && (disk.full || disk.room < 0)) {
              disk.room = Math.max(0, disk.room);
              throw new DOMException('no room', 'QuotaExceededError');
            }
            return await table.mutate(request);
          },
        };
      },
    }),
  });
}

/** Opens an empty cache, independent of all others. */
export function testCache(events?: CacheEvents): TestCache {
  // Each has its own factory, so that tests do not share databases.
  const db = new CountsDatabase('counts', new IDBFactory());
  const disk = { full: false, room: Infinity };
  limit(db, disk);
  return wholeCache(Object.assign(new CountsCache(db, events), { db, disk }));
}
