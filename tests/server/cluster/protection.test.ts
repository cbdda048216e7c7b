import { expect, test } from 'vitest';
import { clusterPosts } from '#server/cluster/posts.ts';
import type { ClusterStore } from '#server/cluster/store.ts';

const NOTHING_LOCAL = { members: () => [], owners: () => undefined };

/** A store at a revision, whose answers about protected users come when a test gives them. */
function storeAt() {
  const asked: { after: number; answer: (changed: Map<string, boolean>) => void }[] = [];
  let revision = 1;
  const store = {
    state: async () => ({ store: 's', revision, mark: `m${revision}`, protected: 0 }),
    reader: () => ({
      protection: async (after: number) =>
        await new Promise((answer) => void asked.push({ after, answer })),
    }),
  };
  const setRevision = (next: number): void => void (revision = next);
  return { store: store as unknown as ClusterStore, asked, setRevision };
}

test('the protected users of a state are read once, however many ask at the same time', async () => {
  const { store, asked, setRevision } = storeAt();
  const posts = clusterPosts(store, NOTHING_LOCAL);
  const users = async () => (await posts.protection()).protectedUsers();
  const first = [users(), users()];
  await expect.poll(() => asked.length).toBe(1);
  setRevision(2);
  const later = users();
  asked[0]?.answer(new Map([['1', true]]));
  expect(await Promise.all(first)).toEqual([['1'], ['1']]);
  await expect.poll(() => asked.length).toBe(2);
  expect(asked.map(({ after }) => after)).toEqual([0, 1]);
  asked[1]?.answer(new Map([['2', true]]));
  expect(await later).toEqual(['1', '2']);
  // The same list, also for what is kept by it.
  expect(await users()).toBe(await users());
  expect(asked.length).toBe(2);
});

test('protected users that could not be read are read again', async () => {
  let fails = true;
  const store = {
    state: async () => ({ store: 's', revision: 1, mark: 'm', protected: 0 }),
    reader: () => ({
      protection: async () => {
        if (fails) throw new Error('the cluster is away');
        return new Map([['1', true]]);
      },
    }),
  };
  const posts = clusterPosts(store as unknown as ClusterStore, NOTHING_LOCAL);
  await expect(posts.protection()).rejects.toThrow('away');
  fails = false;
  expect((await posts.protection()).protectedUsers()).toEqual(['1']);
});
