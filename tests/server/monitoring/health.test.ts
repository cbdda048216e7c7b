import { expect, test } from 'vitest';
import { ClockError } from '#core/import/id.ts';
import { healthOf } from '#server/monitoring/health.ts';
import { StoreError } from '#server/db/store-error.ts';

const fails = (error: unknown) => (): void => {
  throw error;
};
const coded = (code: string): Error => Object.assign(new Error('/secret/path'), { code });

test.each([
  [true, {}, 'ok', {}],
  [false, { posts: () => {} }, 'starting', { posts: 'ok' }],
  [
    true,
    { folder: fails(coded('ENOSPC')), clock: fails(new ClockError('late')) },
    'failing',
    { folder: 'full', clock: 'wrong' },
  ],
  [
    false,
    {
      folder: fails(coded('EROFS')),
      posts: fails(new StoreError('damaged', '/secret/path')),
      sample: () => {},
      service: fails(coded('ENOENT')),
      ads: fails(new Error('/secret/path')),
    },
    'failing',
    { folder: 'not-writable', posts: 'damaged', sample: 'ok', service: 'missing', ads: 'failing' },
  ],
] as const)('ready: %s, with %o, is %s', (isReady, parts, status, stores) => {
  const failing = Object.entries(stores).flatMap(([name, state]) => (state === 'ok' ? [] : [name]));
  expect(healthOf('0.1.0', isReady, parts)).toEqual({ status, version: '0.1.0', stores, failing });
});
