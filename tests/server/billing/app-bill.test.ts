import Papa from 'papaparse';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callersOf, MOST_ACCOUNTS } from '#server/billing/bill-callers.ts';
import { openService, SERVICE_KIND } from '#server/auth/store.ts';
import { openStore } from '#server/db/migrate.ts';
import { chargesIn } from '#server/posts/editor/charges.ts';
import { POSTS_KIND } from '#server/posts/store/post-table.ts';
import { billRows } from '#contract/accounts/bill-text.ts';
import type { BillsAnswer } from '#contract/accounts/usage.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { command } from '#tests/support/service/command.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
const POSTS = Array.from({ length: 12 }, (_, i) => ({
  id: 1_990_000_000_000_000_001n + BigInt(i) * 4_194_304_000n,
  createdAt: START - 3_600_000 + i * 1000,
  text: `tea ${i}`,
  authorId: '7',
  username: 'ann',
}));
const IDS = POSTS.map(({ id }) => String(id));

let now = START;
let service: TestService;
beforeEach(() => {
  now = START;
  service = startService({ now: () => now, posts: POSTS });
});
afterEach(() => service.close());

it('is the sum of 88 operations by hand, on the page, in the command and in its CSV', async () => {
  const settings = { credits: 5_000_000, limited: false };
  const { apps, secrets } = service.auth.apps({ action: 'add', name: 'Reader', settings });
  const { id } = apps[0]!;
  const issue = (name: string) =>
    service.auth.issueUserToken({ name, app: 'Reader', limited: false });
  const [alice, ben] = [issue('alice'), issue('ben')];
  const program = { token: secrets!.bearer_token };
  let requests = 0;
  const send = async (by: { token: string }, method: string, path: string, body?: object) => {
    requests += 1;
    const answer = await service.request(path, {
      method,
      headers: {
        cookie: '',
        authorization: `Bearer ${by.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([path, answer.ok]).toEqual([path, true]);
    return (await answer.json()).data;
  };
  const times = async <T>(n: number, run: (i: number) => Promise<T>): Promise<T[]> => {
    const done: T[] = [];
    for (let i = 0; i < n; i++) done.push(await run(i));
    return done;
  };
  const own = `/2/users/${alice.account.id}`;
  const recent = '/2/tweets/counts/recent?query=tea';
  await times(20, () => send(program, 'GET', recent));
  await times(10, () => send(program, 'GET', '/2/tweets/counts/all?query=tea'));
  const made = await times(12, (i) => send(alice, 'POST', '/2/tweets', { text: `mint ${i}` }));
  await times(2, (i) => send(alice, 'POST', '/2/tweets', { text: `${i} https://tea.example` }));
  await times(6, (i) => send(ben, 'POST', '/2/tweets', { text: `oolong ${i}` }));
  await times(10, (i) => send(alice, 'POST', `${own}/retweets`, { tweet_id: IDS[i] }));
  await times(5, (i) => send(alice, 'DELETE', `${own}/retweets/${IDS[i]}`));
  await times(4, (i) => send(alice, 'POST', `${own}/bookmarks`, { tweet_id: IDS[i] }));
  await times(3, (i) => send(alice, 'DELETE', `/2/tweets/${made[i].id}`));
  now = Date.parse('2026-11-22T12:00:00Z');
  await times(10, (i) => send(ben, 'GET', `/2/tweets/${IDS[i % 5]}`));
  await times(6, () => send(alice, 'GET', recent));
  expect(requests).toBe(88);

  const [a, b] = [alice.account.id, ben.account.id];
  const byHand = [
    ['2026-11-22', 'GET /2/tweets/:id', 'ben', b, 10, 5, '0.025000'],
    ['2026-11-22', 'GET /2/tweets/counts/recent', 'alice', a, 6, 0, '0.030000'],
    ['2026-11-21', 'GET /2/tweets/counts/all', 'no account', '', 10, 0, '0.100000'],
    ['2026-11-21', 'GET /2/tweets/counts/recent', 'no account', '', 20, 0, '0.100000'],
    ['2026-11-21', 'DELETE /2/tweets/:id', 'alice', a, 3, 0, '0.030000'],
    ['2026-11-21', 'DELETE /2/users/:id/retweets/:source_tweet_id', 'alice', a, 5, 0, '0.050000'],
    ['2026-11-21', 'POST /2/tweets', 'alice', a, 14, 0, '0.580000'],
    ['2026-11-21', 'POST /2/tweets', 'ben', b, 6, 0, '0.090000'],
    ['2026-11-21', 'POST /2/users/:id/bookmarks', 'alice', a, 4, 0, '0.020000'],
    ['2026-11-21', 'POST /2/users/:id/retweets', 'alice', a, 10, 0, '0.150000'],
  ].map((cells) => cells.map(String));

  const page = (await (await service.request(`/usage?app=${id}`)).json()) as BillsAnswer;
  const [bill] = page.data;
  const rows = billRows(bill!);
  const sum = rows.reduce((total, { charged }) => total + charged, 0);
  expect(page.data).toHaveLength(1);
  expect([bill!.charged, sum, 5_000_000 - bill!.credits_remaining!]).toEqual(
    Array(3).fill(1_175_000),
  );
  // 1.175 dollars in the 36 hours since the first of two days began.
  expect(bill!.pace).toEqual({ days: 2, per_day: 783_333, credits_end: '2026-11-27' });

  const print = async (...more: string[]): Promise<string> => {
    const args = ['app', 'bill', 'reader', ...more, '--data', service.folder];
    const { code, out, err } = await command(args, { now: () => now });
    expect([code, err]).toEqual([0, '']);
    return out;
  };
  expect(JSON.parse(await print('--json'))).toEqual(bill);
  const [columns, ...lines] = Papa.parse<string[]>((await print('--csv')).trimEnd()).data;
  expect(columns?.slice(-2)).toEqual(['charged_usd', 'price_usd']);
  const sorted = (of: string[][]) => of.map((cells) => cells.slice(0, 7).join()).toSorted();
  expect(sorted(lines)).toEqual(sorted(byHand));
  const text = await print();
  expect(text.split('\n\n')[0]).toBe(
    'Reader (pay-per-use), the last 30 days (UTC): $1.175 for 88 requests.\n' +
      '$3.825 of $5.00 in credits is left. At $0.783333 a day, the mean of the last 2 days, it runs out on 2026-11-27.',
  );
  const table = text.trimEnd().split('\n').slice(4);
  const shown = table.map((line) => line.split(/ {2,}/));
  const expected = byHand.map(([day, operation, account, , n, resources, charged]) => [
    day,
    operation,
    /^[ab]/.test(account!) ? `@${account}` : account,
    n,
    resources,
    `$${Number(charged).toFixed(3).replace(/0$/, '')}`,
  ]);
  expect(shown.map(String).toSorted()).toEqual(expected.map(String).toSorted());
  expect(await command(['app', 'bill', 'None', '--data', service.folder])).toEqual({
    code: 1,
    out: '',
    err: 'There is no app named None.\n',
  });
  expect((await service.request('/usage?app=5')).status).toBe(404);
});

const file = temporaryFolder();
const random = countingBytes();

it('names a hundred accounts a day, the same after a restart, and adds up the others', () => {
  const stored = openService(file('accounts.sqlite'), { random });
  const callers = () => callersOf({ bills: stored.bills, charges: () => [] });
  const before = callers();
  const user = (id: number) => ({ id: String(id), username: `u${id}` }) as never;
  const sum = { app: '7', operation: 'GET /x', resources: 0, posts: 0, charged: 1, price: 1 };
  for (let id = 1; id <= MOST_ACCOUNTS; id++) {
    const account = before.nameOf('7', 20_000, user(id));
    expect(account).toBe(String(id));
    stored.bills.add({ ...sum, day: 20_000, account });
  }
  for (const { nameOf } of [before, callers()]) {
    expect(nameOf('7', 20_000, null)).toBe('none');
    expect(nameOf('7', 20_000, user(1))).toBe('1');
    expect(nameOf('7', 20_000, user(101))).toBe('others');
    expect(nameOf('8', 20_000, user(101))).toBe('101');
    expect(nameOf('7', 20_001, user(101))).toBe('101');
  }
  stored.close();
});

it('does not know the accounts of days before they were stored', () => {
  const first = { ...SERVICE_KIND, steps: SERVICE_KIND.steps.slice(0, 2) };
  const old = openStore(file('old.sqlite'), first, () => {});
  old.exec(`INSERT INTO bill VALUES ('7', 20000, 'GET /x', 3, 2, 1, 4, 5)`);
  old.close();
  const stored = openService(file('old.sqlite'), { random });
  expect(stored.bills.of('7', 0)).toMatchObject([
    { account: 'unknown', requests: 3, resources: 2, posts: 1, charged: 4, price: 5 },
  ]);
  stored.close();
  const kind = { ...POSTS_KIND, steps: POSTS_KIND.steps.slice(0, 1) };
  const posts = openStore(file('posts.sqlite'), kind, () => {});
  posts.exec(`INSERT INTO charge VALUES ('7', 20000, 'POST /x', 3, 4, 5)`);
  posts.close();
  const db = openStore(file('posts.sqlite'), POSTS_KIND, () => {});
  expect(chargesIn(db)('7', 0)).toMatchObject([
    { account: 'unknown', requests: 3, charged: 4, price: 5 },
  ]);
  db.close();
});
