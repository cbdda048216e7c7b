import { expect, it } from 'vitest';
import {
  forOwner,
  LIKE_READ,
  POST_READ,
  USER_READ,
  type ResourcePrice,
} from '#contract/counts/prices.ts';
import { resourcesOf } from '#server/billing/resources.ts';

const PAGE = {
  data: [{ id: '1' }, { id: '2' }],
  includes: { users: [{ id: '7' }], tweets: [{ id: '3' }], media: [{ media_key: '3_4' }] },
  errors: [{ value: '9', resource_id: '9' }],
};
const priced = (answer: unknown, price: ResourcePrice, isOwn = false) =>
  resourcesOf(answer, price, isOwn).map(({ kind, amount, ids }) => [kind, amount, ids.join()]);

it('finds what an answer returns, in data and in includes', () => {
  expect(priced(PAGE, POST_READ)).toEqual([
    ['post', 5_000, '1,2'],
    ['post', 5_000, '3'],
    ['user', 10_000, '7'],
  ]);
  expect(priced({ data: { id: '7' }, includes: { posts: [{ id: '1' }] } }, USER_READ)).toEqual([
    ['user', 10_000, '7'],
    ['post', 5_000, '1'],
  ]);
  expect(priced(PAGE, LIKE_READ)[0]).toEqual(['like', 1_000, '1,2']);
});

it('prices all of an answer alike where the owner of the app reads its own account', () => {
  const price = forOwner(POST_READ);
  expect(priced(PAGE, price, true).map(([, amount]) => amount)).toEqual([1_000, 1_000, 1_000]);
  expect(priced(PAGE, price, false)).toEqual(priced(PAGE, POST_READ));
  expect(priced(PAGE, POST_READ, true)).toEqual(priced(PAGE, POST_READ));
});

it.each([null, {}, { data: null }, { meta: { result_count: 0 } }, { data: [], includes: {} }])(
  'finds nothing in %j',
  (answer) => {
    expect(resourcesOf(answer, POST_READ, false)).toEqual([]);
  },
);
