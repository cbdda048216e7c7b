import { object } from '#core/import/json.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import {
  decodeRow,
  decodeState,
  objectHash,
  type StoredState,
  type StoredVersion,
} from './post-row.ts';
import type { Tables } from './schema.ts';
import type { RunQuery } from './scope.ts';
import { committed, literal } from './sql-terms.ts';
import type { ClusterState } from './state.ts';

/** Reads rows of Posts, and the objects that they refer to. */
export function rowReader(read: RunQuery, { all }: Tables, state: ClusterState) {
  return {
    /** The newest versions of Posts, also of those that were deleted, in any order. */
    versions: async (ids: readonly bigint[]): Promise<StoredVersion[]> => {
      if (ids.length === 0) return [];
      const rows = await read(
        `SELECT id, argMax(generation, batch), argMax(state, batch), argMax(collections, batch), argMaxIf(row, batch, row != '')
         FROM ${all.post} WHERE id IN (${ids.join(', ')}) AND ${committed(state)} GROUP BY id`,
      );
      const found: StoredVersion[] = [];
      while (!rows.done) found.push(decodeRow(rows));
      return found;
    },
    /** The same without their rows. */
    states: async (ids: readonly bigint[]): Promise<StoredState[]> => {
      if (ids.length === 0) return [];
      const rows = await read(
        `SELECT id, argMax(generation, batch), argMax(state, batch), argMax(collections, batch)
         FROM ${all.post} WHERE id IN (${ids.join(', ')}) AND ${committed(state)} GROUP BY id`,
      );
      const found: StoredState[] = [];
      while (!rows.done) found.push(decodeState(rows));
      return found;
    },
    /** Users whose objects were written after a revision, and whether they are protected. */
    protection: async (after: number): Promise<Map<string, boolean>> => {
      // The text rules out nearly all before any is parsed; at first, only those that are protected are of interest.
      const likely = `position(argMax(json, batch), '"protected":true') > 0`;
      const rows = await read(
        `SELECT key, if(${likely}, argMax(json, batch), '') FROM ${all.object} WHERE kind = 'users'
         AND batch > ${after} AND ${committed(state)} GROUP BY key${after === 0 ? ` HAVING ${likely}` : ''}`,
      );
      const found = new Map<string, boolean>();
      while (!rows.done) {
        const [key, json] = [rows.text(), rows.text()];
        found.set(key, json !== '' && object(JSON.parse(json))?.protected === true);
      }
      return found;
    },
    objects: async (
      keys: readonly Pick<StoredObject, 'kind' | 'key'>[],
    ): Promise<StoredObject[]> => {
      if (keys.length === 0) return [];
      const list = keys.map(({ kind, key }) => `(${literal(kind)}, ${literal(key)})`);
      const hashes = keys.map(({ kind, key }) => objectHash(kind, key));
      const rows = await read(
        `SELECT kind, key, argMax(json, batch) FROM ${all.object} WHERE hash IN (${hashes.join(', ')})
         AND (kind, key) IN (${list.join(', ')}) AND ${committed(state)} GROUP BY kind, key`,
      );
      const found: StoredObject[] = [];
      while (!rows.done) found.push({ kind: rows.text(), key: rows.text(), json: rows.text() });
      return found;
    },
  };
}
