import { afterAll, expect, test } from 'vitest';
import type { Profile, UserOrder } from '#contract/accounts/accounts.ts';
import type { LogEntry } from '#server/streams/log.ts';
import { startService } from '#tests/support/service/service.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

const service = startService({ now: () => NOW });
afterAll(() => service.close());

/** Runs work that causes events, and returns them once `count` are in the log. */
async function caused(count: number, work: () => unknown): Promise<LogEntry[]> {
  const { posts } = service.events;
  const last = posts.last();
  const entries = new Promise<LogEntry[]>((resolve) => {
    const end = posts.onAppend(() => {
      const found = posts.after(last, 100);
      if (found.length < count) return;
      end();
      resolve(found);
    });
  });
  await work();
  return await entries;
}

test('a changed profile appends an event for each changed field that has one', async () => {
  const add: UserOrder = { action: 'add', username: 'ann', profile: { description: 'old' } };
  const [{ id } = { id: '' }] = service.auth.accounts(add);
  const profile = {
    name: 'Ann',
    description: 'new',
    location: 'Bonn',
    url: 'https://example.com',
    verified_type: 'blue',
    email: 'ann@example.com',
    protected: false,
  } as const;
  const set: UserOrder = { action: 'set', username: 'ann', profile };
  const rename: UserOrder = { action: 'set', username: 'ann', rename: 'Ann_B', profile: {} };
  const made = await caused(5, () => {
    service.auth.accounts(set);
    // Nothing changes.
    service.auth.accounts(set);
    service.auth.accounts(rename);
  });
  expect(made.map(({ type, users, body }) => [type, users, body])).toEqual([
    ['profile.update.bio', [id], { before: 'old', after: 'new' }],
    ['profile.update.geo', [id], { before: '', after: 'Bonn' }],
    ['profile.update.url', [id], { before: '', after: 'https://example.com' }],
    ['profile.update.verified', [id], { before: 'none', after: 'blue' }],
    ['profile.update.screenname', [id], { before: 'ann', after: 'Ann_B' }],
  ]);
});

test.each<[Partial<Profile>, string]>([
  [{ affiliation: '@acme' }, 'Acme'],
  [{ affiliation_description: 'Staff of Acme' }, 'Staff of Acme'],
  [{ affiliation_url: 'https://acme.example' }, 'https://acme.example'],
  [{ affiliation_badge_url: 'https://acme.example/a.png' }, 'https://acme.example/a.png'],
  [{ affiliation: 'nasa, Acme' }, 'NASA'],
  [{ affiliation: '' }, ''],
])('an affiliation that becomes %o appends an event', async (change, after) => {
  const order = (action: 'add' | 'set', username: string, profile: Partial<Profile>): void =>
    void service.auth.accounts({ action, username, profile });
  if (change.affiliation === '@acme') {
    order('add', 'carl', {});
    order('add', 'acme', { name: 'Acme' });
    order('add', 'nasa', { name: 'NASA' });
  }
  const [made] = await caused(1, () => {
    order('set', 'carl', change);
    // Nothing changes.
    order('set', 'carl', change);
  });
  expect([made?.type, made?.body.after]).toEqual(['profile.update.affiliate', after]);
});

test('the end of all access of an app to an account appends one event', async () => {
  const { auth } = service;
  const app = { name: 'Reader', settings: { access: 'enterprise' } } as const;
  const [info] = auth.apps({ action: 'add', ...app }).apps;
  const issue = (oauth1: boolean) =>
    auth.issueUserToken({ name: 'bob', app: app.name, limited: false, oauth1 });
  const { account } = issue(true);
  issue(false);
  const made = await caused(1, () => auth.accounts({ action: 'remove', username: 'bob' }));
  expect(made.map(({ type, users, body }) => [type, users, body])).toEqual([
    [
      'oauth.revoke',
      [account.id],
      { date_time: '2026-11-20T12:00:00.000Z', user_id: account.id, app_id: info?.id },
    ],
  ]);
});
