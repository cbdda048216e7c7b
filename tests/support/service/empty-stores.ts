import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAds } from '#server/ads/store.ts';
import { openService } from '#server/auth/store.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { openPlatform } from '#server/platform/store.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openDeliveryQueue } from '#server/streams/delivery-queue.ts';

/** The id of copied stores of Posts, until it is replaced. */
const COPIED_ID = Buffer.alloc(16, 0xa5);
const random = (): Uint8Array => COPIED_ID;

/** Creates the empty stores of a service, by kind. */
const CREATE = {
  posts: (file: string) => openPosts(file, { random }).close(),
  service: (file: string) => openService(file, { random }).close(),
  ads: (file: string) => openAds(file).close(),
  catalog: (file: string) => openCatalogs(file).close(),
  deliveries: (file: string) => openDeliveryQueue(file).close(),
  platform: (file: string) => openPlatform(file).close(),
} as const;

const contents = new Map<keyof typeof CREATE, Buffer>();

/** Contents of an empty store, which is created once per process. */
function contentOf(kind: keyof typeof CREATE): Buffer {
  const known = contents.get(kind);
  if (known) return known;
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-empty-'));
  const file = join(folder, kind);
  CREATE[kind](file);
  const content = readFileSync(file);
  rmSync(folder, { recursive: true });
  contents.set(kind, content);
  return content;
}

/**
 * Writes an empty store: a copy, because creating the stores of a service takes 45 ms of CPU time.
 *
 * @param random - Returns that many random bytes; used for the id of a store of Posts.
 * @throws {Error} with the code `EEXIST` if the file exists.
 */
export function giveEmptyStore(
  kind: keyof typeof CREATE,
  file: string,
  random: (n: number) => Uint8Array,
): void {
  const content = contentOf(kind);
  writeFileSync(file, content, { mode: 0o600, flag: 'wx' });
  if (kind !== 'posts') return;
  const copied = COPIED_ID.toString('hex');
  const at = content.indexOf(copied);
  if (at < 0 || content.includes(copied, at + 1)) {
    throw new Error(`expected the id ${copied} once in a new store of Posts`);
  }
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.from(random(COPIED_ID.length)).toString('hex'), at);
  closeSync(opened);
}
