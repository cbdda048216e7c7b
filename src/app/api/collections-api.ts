import {
  COLLECTIONS,
  type CollectionInfo,
  type RemovedCollection,
} from '#contract/posts/collections.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Span } from '#core/time/span.ts';
import type { Client } from './client.ts';
import { pathWith } from './endpoint-path.ts';

/** The collections of Your posts. Calls throw a `Fault`, at once if no answer comes. */
export interface CollectionsApi {
  list(): Promise<readonly CollectionInfo[]>;
  /** Those that were removed and can be restored, the last removed first. */
  removed(): Promise<readonly RemovedCollection[]>;
  /** Posts of a span, or those that match a query, that count only because of a collection, or would if it were switched in. */
  added(id: string, span: Span, query?: string): Promise<number>;
  /** @throws {Fault} 409 if another collection has the name. */
  rename(id: string, name: string): Promise<void>;
  include(id: string, included: boolean): Promise<void>;
  remove(id: string): Promise<void>;
  /** Undoes a removal. @throws {Fault} 409 if the Posts are gone. */
  restore(id: string): Promise<void>;
}

/** The {@link CollectionsApi} of the service this page came from. */
export function collectionsApi(client: Pick<Client, 'send' | 'json'>): CollectionsApi {
  const { list, added, change, remove, restore } = COLLECTIONS;
  const options = () => ({ signal: new AbortController().signal, impatient: true });
  const put = async (id: string, body: object): Promise<void> => {
    await client.send(change.method, pathWith(change, { id }), body, change.answer, options());
  };
  return {
    list: async () => (await client.json(list.path, list.answer, options())).collections,
    removed: async () => (await client.json(list.path, list.answer, options())).removed,
    added: async (id, { start, end }, query) => {
      const times = { start_time: formatInstant(start), end_time: formatInstant(end) };
      const asked = new URLSearchParams({ ...times, ...(query !== undefined && { query }) });
      const path = `${pathWith(added, { id })}?${asked.toString()}`;
      return (await client.json(path, added.answer, options())).posts;
    },
    rename: (id, name) => put(id, { name }),
    include: (id, included) => put(id, { included }),
    remove: async (id) => {
      await client.send(
        remove.method,
        pathWith(remove, { id }),
        undefined,
        remove.answer,
        options(),
      );
    },
    restore: async (id) => {
      await client.send(
        restore.method,
        pathWith(restore, { id }),
        undefined,
        restore.answer,
        options(),
      );
    },
  };
}
