import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openPosts } from '#server/posts/store/post-table.ts';
import { relationTable, type RelationTable } from '#server/posts/store/relations.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';

const folder = temporaryFolder();
const random = countingBytes();

function opened(name: string) {
  const db = openPosts(folder(name), { random });
  return { db, table: relationTable(db) };
}

const USERS = [1n, 2n, 3n, 4n];
const pair = fc.record({
  source: fc.constantFrom(...USERS),
  target: fc.constantFrom(...USERS),
  imported: fc.boolean(),
});

/** Everything that a reader may see. */
function stateOf(table: RelationTable) {
  return USERS.map((user) => ({
    followers: table.page('follow', 'target', user, 'older', null, 100),
    following: table.page('follow', 'source', user, 'older', null, 100),
    counts: [table.count('follow', 'target', user), table.count('follow', 'source', user)],
  }));
}

describe('relations', () => {
  test('list the newest first, imported ones last in their order', () => {
    const { db, table } = opened('order');
    table.put('like', 1n, 10n);
    table.add('like', 1n, 20n);
    table.put('like', 1n, 11n);
    table.add('like', 1n, 21n);
    const ids = table.page('like', 'source', 1n, 'older', null, 10).map(({ id }) => id);
    expect(ids).toEqual([21n, 20n, 10n, 11n]);
    expect(table.count('like', 'source', 1n)).toEqual({ total: 4, made: 2 });
    db.close();
  });

  test('added twice are one relation, and an undone one leaves the state before it', () => {
    const { db, table } = opened('law');
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 12 }), pair, (before, { source, target }) => {
        db.exec('DELETE FROM relation; DELETE FROM relation_count;');
        for (const { source, target, imported } of before) {
          const added = imported
            ? table.put('follow', source, target)
            : table.add('follow', source, target);
          expect(added && table.add('follow', source, target)).toBe(false);
        }
        const there = table.has('follow', source, target);
        const state = stateOf(table);
        expect(table.add('follow', source, target)).toBe(!there);
        if (!there) table.remove('follow', source, target);
        expect(stateOf(table)).toEqual(state);
        for (const user of USERS) {
          const all = table.page('follow', 'target', user, 'older', null, 100);
          expect(table.count('follow', 'target', user).total).toBe(all.length);
        }
      }),
      { numRuns: runs(200) },
    );
    db.close();
  });

  test('of a list that becomes private keep their order and their counts', () => {
    const { db, table } = opened('convert');
    table.put('member', 1n, 5n);
    table.add('member', 1n, 6n);
    const before = table.page('member', 'source', 1n, 'older', null, 10);
    table.convert('member', 'private_member', 1n);
    expect(table.page('private_member', 'source', 1n, 'older', null, 10)).toEqual(before);
    expect(table.count('member', 'target', 6n)).toEqual({ total: 0, made: 0 });
    table.convert('private_member', 'member', 1n);
    expect(table.page('member', 'source', 1n, 'older', null, 10)).toEqual(before);
    expect(table.count('member', 'source', 1n)).toEqual({ total: 2, made: 1 });
    table.removeAll('member', 'source', 1n);
    expect(db.prepare('SELECT count(*) FROM relation_count WHERE total <> 0').get()).toEqual([0]);
    db.close();
  });
});
