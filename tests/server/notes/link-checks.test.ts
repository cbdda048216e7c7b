import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bucket } from '#core/notes/evaluation.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import { PUBLIC_ONLY } from '#server/fetcher/target.ts';
import { linksOf, openLinkChecks } from '#server/notes/link-checks.ts';
import { testFetcher } from '#tests/support/service/fetcher.ts';
import { startReceiver, testNames, type TestReceiver } from '#tests/support/service/receiver.ts';

let receiver: TestReceiver;
let fetcher: Fetcher;
beforeAll(async () => {
  receiver = await startReceiver();
  receiver.deliver = ({ method, path }, response) => {
    const status = Number(/\d{3}/.exec(path)?.[0] ?? 200);
    response.statusCode = path.startsWith('/get') && method === 'HEAD' ? 405 : status;
    response.end(path === '/large' && method === 'GET' ? Buffer.alloc(1024 * 1024) : '');
  };
  fetcher = testFetcher({
    resolve: testNames,
    // The receiver is on a port of this machine.
    rules: {
      plain: true,
      rangeOf: (address) => (address === '127.0.0.1' ? null : PUBLIC_ONLY.rangeOf(address)),
    },
    ca: receiver.ca,
  });
});
afterAll(async () => {
  await fetcher.close();
  await receiver.close();
});

function opened() {
  const stored: [bigint, Bucket][] = [];
  const log: string[] = [];
  const table = { setLinks: (id: bigint, links: Bucket) => void stored.push([id, links]) };
  const checks = openLinkChecks({ table, fetcher, log: (line) => void log.push(line) });
  const of = (id: bigint, text: string, links: Bucket | null = null) =>
    checks.of([{ id, links, info: { text } }]);
  return { of, stored, log };
}

it.each([
  ['High', ['/a', '/b']],
  ['High', ['/get']],
  ['High', ['/large']],
  ['Low', ['/a', '/404']],
  ['Low', ['/204']],
  ['Low', ['/301']],
] as const)('is %s for %j', async (bucket, paths) => {
  const { of, stored } = opened();
  expect(await of(1n, `see ${paths.map((path) => receiver.url(path)).join(' ')}`)).toEqual([
    bucket,
  ]);
  expect(stored).toEqual([[1n, bucket]]);
});

it('does not know what cannot be reached or fetched, and stores nothing', async () => {
  const { of, stored } = opened();
  for (const [i, url] of ['https://nowhere.example/', 'http://10.0.0.1/'].entries()) {
    expect(await of(BigInt(i), `${url} ${receiver.url('/a')}`)).toEqual([null]);
  }
  expect(stored).toEqual([]);
  expect(await of(3n, `https://nowhere.example/ ${receiver.url('/404')}`)).toEqual(['Low']);
});

it('checks a note once, and none whose links are known', async () => {
  const { of } = opened();
  const before = receiver.deliveries.length;
  await Promise.all([of(1n, receiver.url('/a')), of(1n, receiver.url('/a'))]);
  await of(1n, receiver.url('/a'));
  expect(await of(2n, receiver.url('/a'), 'Low')).toEqual(['Low']);
  expect(receiver.deliveries.length - before).toBe(1);
});

it('logs what fails otherwise', async () => {
  const table = {
    setLinks: () => {
      throw new Error('the disk is full');
    },
  };
  const log: string[] = [];
  const checks = openLinkChecks({ table, fetcher, log: (line) => void log.push(line) });
  const note = { id: 1n, links: null, info: { text: receiver.url('/a') } };
  expect(await checks.of([note])).toEqual([null]);
  expect(log).toEqual(['The links of note 1 were not checked: Error: the disk is full']);
});

it('finds the links of a text without what follows them', () => {
  const text = 'See https://a.com/b?c=d#e, (https://a.com/f) and https://a.com/b?c=d.';
  expect(linksOf(text)).toEqual(['https://a.com/b?c=d', 'https://a.com/f']);
});
