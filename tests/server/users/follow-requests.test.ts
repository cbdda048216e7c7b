import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { NEW_PROFILE, type AccountInfo } from '#contract/accounts/accounts.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { approveRest, orderAndApprove, orderRequests } from '#server/users/follow-requests.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';

const db = openPosts(temporaryFolder()('posts.sqlite'), { random: countingBytes() });
afterAll(() => db.close());
const relations = relationTable(db);
const editor = editorOver(db, Date.now);

const account = (id: string, username: string, isProtected = false): AccountInfo => ({
  id,
  username,
  name: username,
  ...NEW_PROFILE,
  protected: isProtected,
  created_at: '2024-01-01T00:00:00.000Z',
});
const accounts = [account('1', 'Ann', true), account('2', 'Bob'), account('3', 'carl')];
const deps = { accounts, editor };
const list = () => orderRequests(deps, { action: 'list', username: 'ann' });
const answer = (action: 'approve' | 'refuse', requester: string) =>
  orderRequests(deps, { action, username: 'ann', requester });
const followers = (id: bigint) =>
  relations.page('follow', 'target', id, 'newer', null, 10).map((each) => each.id);

beforeEach(() => {
  for (const kind of ['follow', 'request'] as const) relations.removeAll(kind, 'target', 1n);
  for (const id of [2n, 3n, 9n]) relations.add('request', id, 1n);
});

describe('requests to follow a protected account', () => {
  const bob = { id: '2', username: 'Bob' };
  const carl = { id: '3', username: 'carl' };
  const gone = { id: '9', username: '9' };

  it('are listed, newest first, with the id of an account that was removed', async () => {
    expect(await list()).toEqual([gone, carl, bob]);
    expect(await orderRequests(deps, { action: 'list', username: 'carl' })).toEqual([]);
  });

  it('become follows if approved, and disappear if refused', async () => {
    expect(await answer('approve', 'BOB')).toEqual([bob]);
    expect(await answer('refuse', 'carl')).toEqual([carl]);
    expect(await answer('refuse', '9')).toEqual([gone]);
    expect([await list(), followers(1n)]).toEqual([[], [2n]]);
    await expect(answer('approve', 'carl')).rejects.toThrow('@carl does not ask to follow @ann.');
    await expect(orderRequests(deps, { action: 'list', username: 'dan' })).rejects.toThrow(
      'There is no account @dan.',
    );
  });

  it('become follows once it is no longer protected, and only then', async () => {
    const set = (profile: object) =>
      orderAndApprove(
        () => [accounts[0]!],
        () => '',
        editor,
        {
          action: 'set',
          username: 'ann',
          profile,
        },
      );
    await set({ name: 'A' });
    await set({ protected: true });
    expect(followers(1n)).toEqual([]);
    expect(await set({ protected: false })).toEqual([accounts[0]]);
    expect([await list(), followers(1n)]).toEqual([[], [2n, 3n, 9n]]);
  });

  it('of an open account, which a killed process left, are approved at the next start', async () => {
    await approveRest(deps, relations);
    expect(followers(1n)).toEqual([]);
    await approveRest({ accounts: [account('1', 'Ann')], editor }, relations);
    expect([await list(), followers(1n)]).toEqual([[], [2n, 3n, 9n]]);
  });
});
