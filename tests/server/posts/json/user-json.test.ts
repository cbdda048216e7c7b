import { expect, it } from 'vitest';
import type { PostFinder } from '#server/posts/index/source.ts';
import { userJson } from '#server/posts/json/user-json.ts';

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

it('entities are those of the description and the address, unless the source has them', () => {
  const user = { id: '1', username: 'ann', name: 'Ann', description: '😀 #tea by @bob' };
  const entitiesOf = (more: object) =>
    userJson({ ...user, ...more }, ['entities'], finder).entities;
  const description = {
    hashtags: [{ start: 2, end: 6, tag: 'tea' }],
    mentions: [{ start: 10, end: 14, username: 'bob' }],
  };
  expect(entitiesOf({})).toEqual({ description });
  const address = 'https://example.org/tea';
  const display_url = 'example.org/tea';
  expect(entitiesOf({ url: address })).toEqual({
    url: { urls: [{ start: 0, end: 23, url: address, expanded_url: address, display_url }] },
    description,
  });
  expect(entitiesOf({ entities: { url: {} } })).toEqual({ url: {} });
  expect(entitiesOf({ description: 'tea' })).toBeUndefined();
  expect(userJson(user, ['description'], finder)).not.toHaveProperty('entities');
});
