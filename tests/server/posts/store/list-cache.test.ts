import { expect, it } from 'vitest';
import { listCache } from '#server/posts/store/list-cache.ts';

const list = (bytes: number) => new Uint16Array(bytes / 2);

it('has the lists of the chunks that were used last, up to a size', () => {
  const cache = listCache(10_000);
  const [one, two] = [list(4000), list(4000)];
  cache.of(1).put('a', one);
  cache.of(2).put('a', two);
  expect([cache.of(2).get('a'), cache.of(1).get('a')]).toEqual([two, one]);
  expect(cache.of(1).get('b')).toBeUndefined();
  cache.of(3).put('a', list(4000));
  expect(cache.of(2).get('a')).toBeUndefined();
  expect(cache.of(1).get('a')).toBe(one);
});

it('has nothing of a chunk whose lists are larger', () => {
  const cache = listCache(10_000);
  const lists = cache.of(1);
  lists.put('a', list(8000));
  lists.put('b', list(8000));
  lists.put('c', list(10));
  expect(cache.of(1).get('a')).toBeUndefined();
  expect(cache.of(1).get('c')).toBeUndefined();
});
