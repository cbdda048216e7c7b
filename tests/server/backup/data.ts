import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAds } from '#server/ads/store.ts';
import { openService } from '#server/auth/store.ts';
import { STORES } from '#server/backup/contents.ts';
import { writeBackup, type BackupDeps } from '#server/backup/backup.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { openPlatform } from '#server/platform/store.ts';
import { storedToken } from '#server/platform/stored-token.ts';
import { openDeliveryQueue } from '#server/streams/delivery-queue.ts';
import { act } from '#tests/server/crash/files.ts';
import { Held } from '#tests/server/crash/proof.ts';

const random = (n: number): Uint8Array => randomBytes(n);

export const AT = Date.parse('2026-11-24T03:00:00Z');
export const TOKEN = 'AAAAAAAAAAAAAAAAAAAAAMLheAAAAAAA0%2BuSeid';

export const CALENDAR = { name: 'Fairs', events: 1, notes: [], skipped: [], readAt: AT };

/** Makes a data folder with every kind of content. */
export function makeData(folder: string, posts = 60): void {
  mkdirSync(join(folder, 'media', 'incoming'), { recursive: true });
  for (const name of ['uploads', 'feeds']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, '1.feed'), 'not part of a backup');
  }
  const file = (name: string): string => join(folder, name);
  act(file('posts.sqlite'), new Held(), [{ what: 'import', from: 1, posts }]);
  act(file('sample.sqlite'), new Held(), [{ what: 'import', from: 1, posts: 5 }]);
  const service = openService(file('service.sqlite'), { random });
  service.secret('apps');
  service.calendars.add(CALENDAR, 'https://example.com/fairs.ics', 'BEGIN:VCALENDAR');
  service.close();
  openPlatform(file('platform.sqlite')).close();
  openAds(file('ads.sqlite')).close();
  openCatalogs(file('catalog.sqlite')).close();
  openDeliveryQueue(file('deliveries.sqlite')).close();
  const files = { token: file('platform-token.json'), key: file('platform-token.key') };
  storedToken(files, random).write(TOKEN);
  writeFileSync(file(`media/${'ab'.repeat(32)}.jpg`), randomBytes(700));
  writeFileSync(file('media/incoming/3f0c'), randomBytes(512));
  writeFileSync(file('media/incoming/empty'), '');
  writeFileSync(file('open.html'), 'not part of a backup');
}

/** The files of a data folder that a backup holds: their SHA-256 by name. */
export function contentsOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(
      (name) => STORES.has(name) || /^(?:media|platform-token)/.test(name.replaceAll('\\', '/')),
    );
  return new Map(names.sort().map((name) => [name, digest(readFileSync(join(folder, name)))]));
}

export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Backs up a folder. */
export const backUp = (folder: string, file: string, deps: Partial<BackupDeps> = {}) =>
  writeBackup(folder, file, {
    version: '0.1.0',
    now: () => AT,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...deps,
  });
