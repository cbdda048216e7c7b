import type { IncludedObject } from '#core/import/includes.ts';
import { textOrNull, type Db } from '#server/db/driver.ts';

export type StoredObject = IncludedObject;

/** The objects that Posts refer to. */
export function objectTable(db: Db) {
  const object = db.prepare('SELECT json FROM object WHERE kind = ? AND key = ?');
  const userId = db.prepare(
    `SELECT key FROM object WHERE kind = 'users' AND lower(json_extract(json, '$.username')) = ?`,
  );
  const protectedUsers = db.prepare(
    // In the words of its index.
    `SELECT key FROM object
     WHERE kind = 'users' AND json_type(json, '$.protected') = 'true' ORDER BY key`,
  );
  const put = db.prepare(
    'INSERT INTO object (kind, key, json) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
  );
  const after = db.prepare(
    'SELECT kind, key, json FROM object WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?',
  );
  const remove = db.prepare('DELETE FROM object WHERE kind = ? AND key = ?');
  return {
    /** The JSON of an object; null if there is none. */
    object: (kind: string, key: string): string | null => textOrNull(object.get([kind, key])?.[0]),
    /** The id of the user that imports know by a username, in lower case; null if there is none. */
    userId: (username: string): string | null => textOrNull(userId.get([username])?.[0]),
    /** Ids of the protected users among the objects, in the order of text. */
    protectedUsers: (): string[] => protectedUsers.all().map(([key]) => String(key)),
    putObjects: (objects: readonly StoredObject[]) => {
      for (const { kind, key, json } of objects) put.run([kind, key, json]);
    },
    /** Objects after another one, in the order of kind and key, at most `limit`. */
    objectsAfter: (
      { kind, key }: Pick<StoredObject, 'kind' | 'key'>,
      limit: number,
    ): StoredObject[] =>
      after.all([kind, key, limit]).map(([kind, key, json]) => ({
        kind: String(kind),
        key: String(key),
        json: String(json),
      })),
    removeObject: (kind: string, key: string): void => void remove.run([kind, key]),
  };
}
