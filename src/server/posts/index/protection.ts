import { ALL_TIME } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { revisions } from '#server/posts/store/revision.ts';

/** Number in `meta`: the checksum of the protected users for which the revision was last raised; 0 for none. */
export const PROTECTED = 'protected';

/** Records who is protected, over a connection that the caller closes. */
export function protectionChanges(db: Db) {
  const meta = metaOf(db);
  const revision = revisions(db);
  return {
    /**
     * Reports that counts of all times may have changed, unless the users are those that it was last reported for.
     *
     * @param sum - A checksum of all protected users, accounts of the service included; 0 for none.
     */
    noteProtected: (sum: number): void =>
      db.write('note-protected', () => {
        if (meta.number(PROTECTED) === sum) return;
        meta.put(PROTECTED, sum);
        revision.raise([ALL_TIME]);
      }),
  };
}
