import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import type { CacheEvents } from '#app/counts/cache/counts-cache.ts';
import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase } from '#app/counts/cache/database.ts';

Dexie.dependencies.IDBKeyRange = IDBKeyRange as typeof globalThis.IDBKeyRange;

/** The disk under a test's cache. */
interface Disk {
  /** While set, nothing can be written. */
  full: boolean;
  /** Cell records that can still be written. */
  room: number;
}

/** The app's cache over an IndexedDB in memory, with its tables and its disk for a test to look into. */
export type TestCache = CountsCache & { readonly db: CountsDatabase; readonly disk: Disk };

/** Makes writes of a database fail as those to a full disk do. */
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

/** An empty cache that lives as long as the test holds it. */
export function testCache(events?: CacheEvents): TestCache {
  // A factory for each: what one test leaves is no other's.
  const db = new CountsDatabase('counts', new IDBFactory());
  const disk = { full: false, room: Infinity };
  limit(db, disk);
  return Object.assign(new CountsCache(db, events), { db, disk });
}
