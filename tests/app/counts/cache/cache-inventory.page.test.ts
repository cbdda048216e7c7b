import { Dexie } from 'dexie';
import { afterEach } from 'vitest';
import { openCache } from '#app/counts/cache/counts-cache.ts';
import { shelfLaws } from '#tests/support/shelf-laws.ts';

const opened: { close(): void }[] = [];
let names = 0;

afterEach(async () => {
  for (const cache of opened.splice(0)) cache.close();
  for (const name of await Dexie.getDatabaseNames()) await Dexie.delete(name);
});

shelfLaws(() => {
  const cache = openCache(`shelf-${(names += 1)}`);
  opened.push(cache);
  return cache;
}, 5);
