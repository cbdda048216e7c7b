import { expect, it } from 'vitest';
import type { PostFinder } from '#server/posts/source.ts';
import { userJson } from '#server/posts/user-json.ts';

/** No figures are asked for. */
const finder = {} as PostFinder;

it.each([
  [{ user_id: '7' }, ['7']],
  [{ user_id: ['7', '8'] }, ['7', '8']],
  [{ user_ids: ['7'] }, ['7']],
])('an affiliation lists its ids under both names: %o', (affiliation, ids) => {
  const user = { id: '1', username: 'ann', affiliation: { ...affiliation, description: 'Tea' } };
  expect(userJson(user, ['affiliation'], finder).affiliation).toEqual({
    description: 'Tea',
    user_id: ids,
    user_ids: ids,
  });
});

it('an affiliation without ids gets none, and a user without a name has the username', () => {
  const user = { id: '1', username: 'ann', affiliation: { description: 'Tea' }, url: 'x' };
  expect(userJson(user, ['affiliation'], finder)).toEqual({
    id: '1',
    name: 'ann',
    username: 'ann',
    affiliation: { description: 'Tea' },
  });
});
