import { Dexie } from 'dexie';
import { afterEach } from 'vitest';

// Files that run in the same browser share its databases.
afterEach(async () => {
  for (const name of await Dexie.getDatabaseNames()) await Dexie.delete(name);
});
