import type { HandleOwners } from '#core/query/handles.ts';
import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';

/** Text in `meta`: as {@link HandleList}, in JSON; empty if no username ever changed. */
const HANDLES = 'handles';

/** Folded usernames of accounts of this service that changed, or that others had before, with their accounts. */
export type HandleList = readonly (readonly [name: string, owners: HandleOwners])[];

/** Finds the accounts of a folded username; undefined for one that always had the same. */
export type FindOwners = (name: string) => HandleOwners | undefined;

/** Reads the usernames that changed, so that queries find Posts by who has a username now. */
export function handlesIn(db: Db): { readonly text: () => string; readonly find: FindOwners } {
  const meta = metaOf(db);
  let read = { text: '', owners: new Map<string, HandleOwners>() };
  return {
    text: () => meta.text(HANDLES),
    find: (name) => {
      const text = meta.text(HANDLES);
      if (text !== read.text) {
        read = { text, owners: new Map(text === '' ? [] : (JSON.parse(text) as HandleList)) };
      }
      return read.owners.get(name);
    },
  };
}

/** Records the usernames that changed, over a connection that the caller closes. */
export function handleChanges(db: Db) {
  const meta = metaOf(db);
  return {
    /** @param text - As stored. */
    noteHandles: (text: string): void =>
      db.write('note-handles', () => {
        if (meta.text(HANDLES) !== text) meta.putText(HANDLES, text);
      }),
  };
}
