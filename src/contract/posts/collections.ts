import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { instant, onlyParameters, pathOf, QUERY } from '#contract/parameters.ts';

const ID = /^\d{1,9}$/;
const time = v.nullable(Time);
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

/** A named part of Your posts. */
export const CollectionInfo = v.object({
  id: v.pipe(v.string(), v.regex(ID)),
  name: v.string(),
  /** Names of the imported files; null for what no file brought, and for imports of earlier versions. */
  source: v.nullable(v.string()),
  /** Kinds of the files, such as `csv`, separated by commas; null as for `source`. */
  kind: v.nullable(v.string()),
  /** The time at which its last import last wrote; null as for `source`. */
  imported_at: time,
  /** Rows that its last import read; null as for `source`. */
  read: v.nullable(Whole),
  /** Posts that its imports added to Your posts; the others were there before. Null as for `source`. */
  added: v.nullable(Whole),
  /** Posts in it, whether they count or not. */
  posts: Whole,
  /** Times of its first and last Post; null if it has none. */
  first: time,
  last: time,
  /** True if its Posts count. A Post counts if it is in one such collection. */
  included: v.boolean(),
  /** True if it can be removed: Posts that were made here are deleted one by one. */
  removable: v.boolean(),
});
export type CollectionInfo = v.InferOutput<typeof CollectionInfo>;

/** A collection that was removed and can still be restored. */
export const RemovedCollection = v.object({
  id: v.pipe(v.string(), v.regex(ID)),
  name: v.string(),
  /** Until when; its Posts are deleted some minutes later. */
  restorable_until: Time,
});
export type RemovedCollection = v.InferOutput<typeof RemovedCollection>;

export const CollectionsAnswer = v.object({
  collections: v.array(CollectionInfo),
  removed: v.array(RemovedCollection),
});
export type CollectionsAnswer = v.InferOutput<typeof CollectionsAnswer>;

/** The actions on the collections of a data folder; `collection` is the name of one. */
export const CollectionOrder = v.variant('action', [
  v.strictObject({ action: v.literal('list') }),
  v.strictObject({ action: v.literal('rename'), collection: name, name }),
  v.strictObject({
    action: v.picklist(['include', 'exclude', 'remove', 'restore']),
    collection: name,
  }),
]);
export type CollectionOrder = v.InferOutput<typeof CollectionOrder>;

const AddedQuery = onlyParameters({
  start_time: instant('start_time'),
  end_time: instant('end_time'),
  query: v.optional(QUERY),
});

const collection = pathOf('id', ID);

/** Collections of Your posts, for the dashboard. */
export const COLLECTIONS = {
  list: sessionEndpoint('GET', '/collections', { answer: CollectionsAnswer }),
  /**
   * The number of Posts of a time, or of those that match a query, that count only because of a collection, or would if
   * it were switched in.
   */
  added: sessionEndpoint('GET', '/collections/:id/added', {
    params: collection,
    query: AddedQuery,
    answer: v.object({ posts: Whole }),
  }),
  /** Renames a collection, or switches it in or out. */
  change: sessionEndpoint('PUT', '/collections/:id', {
    params: collection,
    body: v.strictObject({
      name: v.exactOptional(name),
      included: v.exactOptional(v.boolean()),
    }),
    answer: v.object({ changed: v.boolean() }),
  }),
  /** Removes a collection with the Posts that are in no other one. They can be restored until the time of the answer. */
  remove: sessionEndpoint('DELETE', '/collections/:id', {
    params: collection,
    answer: v.object({ deleted: v.boolean(), restorable_until: v.string() }),
  }),
  /** Undoes the removal. */
  restore: sessionEndpoint('POST', '/collections/:id/restore', {
    params: collection,
    answer: v.object({ restored: v.boolean() }),
  }),
};
