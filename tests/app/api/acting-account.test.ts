import { describe, expect, test } from 'vitest';
import { ActingAccount } from '#app/api/acting-account.svelte.ts';
import { Client } from '#app/api/client.ts';
import { Fault } from '#contract/fault.ts';
import { ACCOUNT_HEADER, NO_ACCOUNT } from '#contract/accounts/session.ts';
import { FakeTime } from '#tests/support/fake-time.ts';

/** The storage of a browser with one value. */
function storageWith(value: string | null): Storage {
  const values = new Map(value === null ? [] : [['groundswell-account', value]]);
  return {
    get length() {
      return values.size;
    },
    clear: () => values.clear(),
    getItem: (key) => values.get(key) ?? null,
    key: (at) => [...values.keys()][at] ?? null,
    removeItem: (key) => void values.delete(key),
    setItem: (key, text) => void values.set(key, text),
  };
}

const missing = (status = 400): Response =>
  new Response(JSON.stringify({ title: 'Refused', type: NO_ACCOUNT, status }), { status });

/** A client that acts as a stored account, at a service that answers by the account it gets. */
function actingClient(stored: string | null, answer: (account: string | null) => Response) {
  let gone = 0;
  const acting = new ActingAccount(storageWith(stored), () => (gone += 1));
  const sent: [path: string, account: string | null][] = [];
  const time = new FakeTime(Date.UTC(2026, 10, 20));
  const client = new Client(
    time.environment(async (path, init) => {
      const account = new Headers(init.headers).get(ACCOUNT_HEADER);
      sent.push([path, account]);
      return answer(account);
    }),
    null,
    acting,
  );
  const get = (path: string) => client.get(path, { signal: new AbortController().signal });
  return { acting, sent, get, client, gone: () => gone };
}

const ok = (): Response => new Response('{}');

describe('the account that a browser acts as', () => {
  test.each([
    [null, null],
    ['', null],
    ['12', '12'],
    ['12\n', null],
    ['ann', null],
    ['1'.repeat(21), null],
  ])('stored as %j is %j', (stored, id) => {
    expect(new ActingAccount(storageWith(stored), () => undefined).id).toBe(id);
  });

  test('is stored for the next visit, and follows the choice in another tab', () => {
    const storage = storageWith(null);
    const first = new ActingAccount(storage, () => undefined);
    first.choose('12');
    const second = new ActingAccount(storage, () => undefined);
    expect(second.id).toBe('12');
    second.follow({ key: 'groundswell-account', newValue: '' });
    second.follow({ key: 'other', newValue: '13' });
    expect(second.id).toBeNull();
  });

  test('goes with requests to Your posts only, and not with counts, which the browser stores', async () => {
    const { sent, get } = actingClient('12', ok);
    const paths = ['/2/tweets/search/all', '/2/tweets/counts/all', '/sample/2/tweets/counts/all'];
    for (const path of [...paths, '/sources', '/platform/2/tweets/search/all']) await get(path);
    expect(sent.map(([, account]) => account)).toEqual(['12', null, null, null, null]);
  });

  test.each([
    [400, 'does not know it'],
    [403, 'lets this login act as none'],
  ])(
    'is none again if the service answers %i, as it %s: the request succeeds, and the page says so once',
    async (status) => {
      const { acting, sent, get, gone } = actingClient('12', (account) =>
        account === '12' ? missing(status) : ok(),
      );
      await Promise.all([get('/2/tweets/search/recent'), get('/2/tweets/search/all')]);
      expect([acting.id, gone(), sent.filter(([, account]) => account === null)]).toEqual([
        null,
        1,
        [
          ['/2/tweets/search/recent', null],
          ['/2/tweets/search/all', null],
        ],
      ]);
    },
  );

  test('stays if another one was chosen meanwhile', async () => {
    const { acting, get, gone } = actingClient('12', (account) => {
      if (account !== '12') return ok();
      acting.choose('13');
      return missing();
    });
    await get('/2/tweets/search/all');
    expect([acting.id, gone()]).toEqual(['13', 0]);
  });

  test('ends a request at a service that refuses it without an account too', async () => {
    const { get, sent } = actingClient('12', () => missing());
    await expect(get('/2/tweets/search/all')).rejects.toBeInstanceOf(Fault);
    expect(sent).toHaveLength(2);
  });
});
