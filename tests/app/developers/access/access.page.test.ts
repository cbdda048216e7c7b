import { beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { AppBill } from '#contract/accounts/usage.ts';
import { plainProblem } from '#contract/fault.ts';
import { SCOPES } from '#contract/accounts/scopes.ts';
import { billCsv } from '#contract/accounts/bill-text.ts';
import { button, openDevelopers, root, rowsIn, text, WAIT } from '../developers-page.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { account, app, MemoryService } from '#tests/app/settings/memory-service.ts';

beforeEach(() => localStorage.clear());

const field = (name: string) => page.getByLabelText(name, { exact: true });

const ANN = account('ann', { name: 'Ann', verified_type: 'blue', subscription_type: 'Premium' });
const BOB = account('bob', { protected: true, note_writer: true });
const RADAR = app('Radar', { id: '5', owner: 'ann', credits: 1_234_500_000, early_access: true });

const ROW = { username: null, requests: 1, resources: 0, charged: 5_000, price: 5_000 };
const BILL: AppBill = {
  id: RADAR.id,
  name: 'Radar',
  access: 'pay-per-use',
  charged: 15_001,
  price: 15_001,
  month: { charged: 15_001, price: 15_001 },
  credits: 1_234_500_000,
  credits_remaining: 1_234_484_999,
  limit_remaining: null,
  pace: { days: 7, per_day: 2_143, credits_end: '2027-01-02' },
  days: [
    {
      day: '2026-11-22',
      charged: 10_001,
      price: 10_001,
      operations: [
        { ...ROW, operation: 'GET /2/tweets', account: '7', username: 'ann', charged: 5_001 },
        { ...ROW, operation: 'GET /2/tweets', account: 'none' },
      ],
    },
    {
      day: '2026-11-21',
      charged: 5_000,
      price: 5_000,
      operations: [{ ...ROW, operation: 'GET /2/tweets', account: 'unknown' }],
    },
  ],
};

function filled(): MemoryService {
  const service = new MemoryService([ANN, BOB], [app('Scripts'), RADAR]);
  service.bills = [BILL];
  return service;
}

async function open(options: Parameters<typeof openDevelopers>[1] = {}) {
  await page.viewport(1280, 900);
  const service = options.service ?? filled();
  const settings = openDevelopers('accounts', { ...options, service });
  await expect.poll(text, WAIT).toMatch(/Act as|doesn’t answer|could not do/);
  return { ...settings, service };
}

const rowsOf = (at: number): string[][] => rowsIn(root().querySelectorAll('table')[at]);

/** The views of the part, each opened from the lists. */
const VIEWS: Readonly<Record<string, () => Promise<void>>> = {
  lists: async () => undefined,
  'a new account with mistakes': async () => {
    await button('Add account').click();
    await button('Add account').click();
  },
  'an account to remove': async () => {
    await button('Edit @ann').click();
    await button('Remove account…').click();
  },
  'an app to rotate': async () => {
    await button('Edit Radar').click();
    await button('New secrets…').click();
  },
  'a new token': async () => {
    await button('New access token').click();
    await button('None').click();
    await button('Create token').click();
  },
  'a new OAuth 1.0a token': async () => {
    await button('New access token').click();
    await field('Kind').selectOptions('OAuth 1.0a');
  },
  'a bill': async () => {
    await button('Bill of Radar').click();
    await expect.poll(text, WAIT).toContain('Download CSV');
  },
  secrets: async () => {
    await button('Add app').click();
    await field('Name').fill('New');
    await button('Add app').click();
    await expect.poll(text, WAIT).toContain('cannot be shown again');
  },
};

it('a bill shows the same rows and amounts as its CSV', async () => {
  await open();
  await button('Bill of Radar').click();
  await expect.poll(text, WAIT).toContain('Download CSV');
  const [, ...cells] = rowsOf(0);
  expect(cells).toEqual([
    ['22 Nov 2026', 'GET /2/tweets', '@ann', '1', '0', '$0.005001'],
    ['22 Nov 2026', 'GET /2/tweets', 'no account', '1', '0', '$0.005'],
    ['21 Nov 2026', 'GET /2/tweets', 'not known', '1', '0', '$0.005'],
  ]);
  expect(billCsv(BILL).trimEnd().split('\n').slice(1)).toEqual([
    '2026-11-22,GET /2/tweets,ann,7,1,0,0.005001,0.005000',
    '2026-11-22,GET /2/tweets,no account,,1,0,0.005000,0.005000',
    '2026-11-21,GET /2/tweets,not known,,1,0,0.005000,0.005000',
  ]);
  expect(text()).toContain('$0.015001 for 3 requests.');
  expect(text()).toContain(
    '$1,234.484999 of $1,234.50 in credits is left. At $0.002143 a day, the mean of the last 7 days, it runs out on 2 Jan 2027.',
  );
  await button('Accounts and apps').click();
  await expect.element(button('Bill of Radar')).toHaveFocus();
});

describe.each(['light', 'dark'] as const)('accounts and apps in the %s theme', (theme) => {
  it.each(Object.entries(VIEWS))('break no accessibility rule: %s', async (_, show) => {
    await open({ theme });
    await show();
    expect(await violationsIn(root())).toEqual([]);
  });
});

describe('accounts and apps', () => {
  it.each([
    [1440, 900],
    [390, 844],
    [320, 568],
  ])('fit the page at %d × %d', async (width, height) => {
    for (const [view, show] of Object.entries(VIEWS)) {
      const service = new MemoryService(
        [ANN, account('long_name_12345', { name: 'W'.repeat(50), protected: true })],
        [app('Scripts'), { ...RADAR, owner: 'long_name_12345' }, app('W'.repeat(32))],
      );
      const operation = 'DELETE /2/users/:source_user_id/muting/:target_user_id';
      const row = { ...ROW, operation, account: '7', username: 'long_name_12345' };
      service.bills = [{ ...BILL, days: [{ ...BILL.days[0]!, operations: [row] }] }];
      const { close } = await open({ service });
      await page.viewport(width, height);
      await show();
      const pane = root().querySelector('.pane') as HTMLElement;
      expect(pane.scrollWidth, view).toBeLessThanOrEqual(pane.clientWidth);
      expect(document.documentElement.scrollWidth, view).toBeLessThanOrEqual(width);
      await close();
    }
  });

  it('are listed, with amounts in dollars in the locale of the user', async () => {
    await open({ locale: 'de-DE' });
    expect(rowsOf(0)).toEqual([
      ['Username', 'Name', 'Verified', 'Subscription', 'Protected', 'Roles', ''],
      ['@ann', 'Ann', 'Blue', 'Premium', '–', '–', 'Edit'],
      ['@bob', 'bob', '–', '–', 'Yes', 'Note writer', 'Edit'],
    ]);
    expect(rowsOf(1)).toEqual([
      ['Name', 'Access', 'Client', 'Owner', 'Credits', 'Early access', ''],
      ['Scripts', 'Pay per use', 'Confidential', '–', 'No limit', '–', 'Bill Edit'],
      ['Radar', 'Pay per use', 'Confidential', '@ann', '1.234,50 $', 'Yes', 'Bill Edit'],
    ]);
    await button('Edit Radar').click();
    await expect.element(field('Credits')).toHaveValue('1234,5');
  });

  it('say that there are none', async () => {
    await open({ service: new MemoryService([], []) });
    expect(text()).toContain('No accounts yet. Add one to post and to sign programs in.');
    expect(text()).toContain('No apps yet. Add one to sign programs in.');
    expect(text()).not.toContain('New access token');
  });

  it('show a long list a part at a time', async () => {
    const many = Array.from({ length: 250 }, (_, i) => account(`user_${i}`));
    await open({ service: new MemoryService(many) });
    expect(rowsOf(0)).toHaveLength(101);
    await button('Show 100 more').click();
    await button('Show 50 more').click();
    expect(rowsOf(0)).toHaveLength(251);
  });

  it('say that they load, and why they could not be loaded', async () => {
    const service = filled();
    let release = (): void => undefined;
    service.hold = new Promise((resolve) => (release = resolve));
    openDevelopers('accounts', { service });
    await expect.poll(text, WAIT).toContain('Loading the accounts and apps…');
    service.fails = plainProblem(503, 'Service Unavailable', 'The store is busy.');
    release();
    await expect.poll(text, WAIT).toContain('The service could not do this: The store is busy.');
    await button('Try again').click();
    await expect.poll(() => rowsOf(0).length, WAIT).toBe(3);
    expect(text()).not.toContain('The store is busy.');
  });
});

describe('an account', () => {
  it('is added by keyboard; the focus returns to the button', async () => {
    const { service, toasts } = await open();
    await button('Add account').click();
    await expect.element(field('Username')).toHaveFocus();
    await userEvent.keyboard('carol');
    await field('Subscription').selectOptions('Basic');
    await field('Protected').click();
    await field('Name').click();
    await userEvent.keyboard('Carol{Enter}');
    await expect.poll(() => rowsOf(0).length, WAIT).toBe(4);
    expect(service.sent).toEqual([
      {
        action: 'add',
        username: 'carol',
        profile: { name: 'Carol', subscription_type: 'Basic', protected: true },
      },
    ]);
    expect(toasts.list.map((toast) => toast.text)).toEqual(['Added @carol.']);
    await expect.element(button('Add account')).toHaveFocus();
  });

  it('keeps what was typed when it is wrong or refused, and says why', async () => {
    const { service } = await open();
    await button('Add account').click();
    await field('E-mail').fill('carol');
    expect(text()).not.toContain('Enter an address');
    await field('Username').click();
    await expect.poll(text).toContain('Enter an address like name@example.com.');
    expect(text()).not.toContain('Use 1 to 15 letters');
    await button('Add account').click();
    await expect.element(field('Username')).toHaveFocus();
    expect(text()).toContain('Use 1 to 15 letters (A–Z), digits and underscores.');
    await field('Username').fill('BOB');
    await field('E-mail').fill('carol@example.com');
    service.fails = plainProblem(409, 'Conflict', 'The account @bob exists already.');
    await button('Add account').click();
    await expect.poll(text, WAIT).toContain('The account @bob exists already.');
    await expect.element(field('E-mail')).toHaveValue('carol@example.com');
    await field('Username').fill('carol');
    await button('Add account').click();
    await expect.poll(() => rowsOf(0).length, WAIT).toBe(4);
  });

  it('keeps what was typed while another part shows, and asks before the page closes', async () => {
    const { service } = await open();
    const asks = (): boolean => !dispatchEvent(new Event('beforeunload', { cancelable: true }));
    await button('Edit @ann').click();
    expect(asks()).toBe(false);
    await field('Bio').fill('Half a sen');
    expect(asks()).toBe(true);
    await page.getByRole('link', { name: 'Advertisers' }).click();
    await page.getByRole('link', { name: 'Accounts and apps' }).click();
    await expect.element(field('Bio')).toHaveValue('Half a sen');
    await button('Save').click();
    await expect
      .poll(() => service.sent, WAIT)
      .toEqual([{ action: 'set', username: 'ann', profile: { description: 'Half a sen' } }]);
    await expect.element(button('Edit @ann')).toBeVisible();
  });

  it('is removed only after a confirmation that names what is lost', async () => {
    const { service } = await open();
    await button('Edit @ann').click();
    await button('Remove account…').click();
    await expect.poll(text).toContain('Its access tokens stop working and cannot be restored');
    expect(text()).toContain('Its Posts stay');
    expect(text()).toContain('Radar will have no owner.');
    const question = page.getByRole('group').filter({ hasText: 'Remove @ann?' });
    await expect.element(question.getByRole('button', { name: 'Cancel' })).toHaveFocus();
    await userEvent.keyboard('{Enter}');
    await expect.element(button('Remove account…')).toHaveFocus();
    expect(service.sent).toEqual([]);
    await button('Remove account…').click();
    await button('Remove @ann').click();
    await expect.poll(() => rowsOf(0).length, WAIT).toBe(2);
    expect(service.sent).toEqual([{ action: 'remove', username: 'ann' }]);
    await expect.element(button('Add account')).toHaveFocus();
  });
});

describe('an app', () => {
  it('is changed in dollars, and sent in micro-dollars', async () => {
    const { service } = await open();
    await button('Edit Radar').click();
    await expect.element(button('Save')).toBeDisabled();
    await field('Credits').fill('0.0000001');
    await button('Save').click();
    expect(text()).toContain('At most six digits after the decimal sign.');
    await field('Credits').fill('0.25');
    await field('Owner').selectOptions('@bob');
    await button('Save').click();
    await expect
      .poll(() => service.sent, WAIT)
      .toEqual([{ action: 'set', name: 'Radar', settings: { owner: 'bob', credits: 250_000 } }]);
    await expect.element(button('Edit Radar')).toHaveFocus();
  });

  it('shows why it cannot be removed', async () => {
    const { service } = await open();
    await button('Edit Scripts').click();
    await button('Remove app…').click();
    await expect.poll(text).toContain('every token issued for it stop working');
    service.fails = plainProblem(409, 'Conflict', 'The app Scripts cannot be removed.');
    await button('Remove Scripts').click();
    await expect.poll(text, WAIT).toContain('The app Scripts cannot be removed.');
    await button('Remove Scripts').click();
    await expect.poll(() => rowsOf(1).length, WAIT).toBe(2);
  });
});

/** Everything that this page stores or shows, where a secret must not remain. */
const traces = (): string =>
  [
    document.documentElement.outerHTML,
    location.href,
    JSON.stringify({ ...localStorage }),
    JSON.stringify({ ...sessionStorage }),
    document.cookie,
  ].join('\n');

describe('secrets', () => {
  const addApp = async (): Promise<void> => {
    await button('Add app').click();
    await field('Name').fill('New');
    await button('Add app').click();
    await expect.poll(text, WAIT).toContain('secret bearer');
  };

  it('appear once after an app was added, each with a button to copy it', async () => {
    const { copied } = await open();
    await addApp();
    expect(text()).toContain('Copy them now: the secrets cannot be shown again.');
    const names = [...root().querySelectorAll('dt')].map((name) => name.innerText);
    const all = ['api_key', 'api_key_secret', 'bearer_token', 'client_id', 'client_secret'];
    expect(names).toEqual(all);
    for (const name of all) await button(`Copy ${name}`).click();
    expect(copied).toEqual([
      'key of New',
      'secret key 1',
      'secret bearer 1',
      'client of New',
      'secret client 1',
    ]);
    expect(text()).toContain('Copied client_secret.');
    await button('Done').click();
    await expect.poll(() => rowsOf(1).length, WAIT).toBe(4);
    expect(traces()).not.toContain('secret');
  });

  it('leave the page with their panel', async () => {
    await open();
    await addApp();
    await page.getByRole('link', { name: 'Streams' }).click();
    await expect.poll(traces, WAIT).not.toContain('secret');
  });

  it('never reach a message when the browser refuses the clipboard', async () => {
    const { toasts } = await open({ clipboard: false });
    await addApp();
    await button('Copy bearer_token').click();
    await expect
      .poll(text)
      .toContain('refused access to the clipboard. Select bearer_token and copy it by hand.');
    expect(JSON.stringify(toasts.list)).not.toContain('secret');
  });

  it('are replaced after a confirmation', async () => {
    const { service } = await open();
    await button('Edit Radar').click();
    await button('New secrets…').click();
    await button('Replace the secrets').click();
    await expect.poll(text, WAIT).toContain('secret bearer 1');
    expect(service.sent).toEqual([{ action: 'rotate', name: 'Radar' }]);
    await button('Done').click();
    await expect.element(button('Edit Radar')).toHaveFocus();
  });

  it('include the token of an account for an app with the chosen scopes', async () => {
    const { service } = await open();
    await button('New access token').click();
    await field('Account').selectOptions('@bob');
    await field('App').selectOptions('Radar');
    await button('None').click();
    await button('Create token').click();
    expect(text()).toContain('Choose at least one scope.');
    await field('tweet.read').click();
    await button('Create token').click();
    await expect.poll(text, WAIT).toContain('secret token of bob');
    expect(text()).toContain('Copy it now: it cannot be shown again.');
    const scopes = SCOPES.filter((scope) => scope === 'tweet.read');
    expect(service.sent).toEqual([{ username: 'bob', app: 'Radar', scopes }]);
    await button('Done').click();
    await expect.element(button('New access token')).toHaveFocus();
    expect(traces()).not.toContain('secret');
  });
});

describe('an OAuth 1.0a token', () => {
  it('has no scopes, and shows its secret with the key of the app', async () => {
    const { service } = await open();
    await button('New access token').click();
    await field('Account').selectOptions('@bob');
    await field('App').selectOptions('Radar');
    expect(text()).toContain('tweet.read');
    await field('Kind').selectOptions('OAuth 1.0a');
    expect(text()).not.toContain('tweet.read');
    await button('Create token').click();
    await expect.poll(text, WAIT).toContain('second secret of bob');
    for (const shown of ['api_key', 'the key', 'secret token of bob', 'access_token_secret']) {
      expect(text()).toContain(shown);
    }
    expect(text()).toContain('Copy them now: the secrets cannot be shown again.');
    expect(service.sent).toEqual([{ username: 'bob', app: 'Radar', oauth1: true }]);
    await button('Done').click();
    expect(text()).not.toContain('secret token of bob');
    expect(traces()).not.toContain('secret');
  });
});

describe('acting as an account', () => {
  it('is off at first, explained, and stored in this browser', async () => {
    const { acting, close } = await open();
    await expect.element(field('Act as')).toHaveValue('');
    expect(text()).toContain('searches of Your posts show what this account may see');
    await field('Act as').selectOptions('@bob');
    expect([acting.id, localStorage.getItem('groundswell-account')]).toEqual([BOB.id, BOB.id]);
    await close();
    await open();
    await expect.element(field('Act as')).toHaveValue(BOB.id);
    await field('Act as').selectOptions('No account');
    expect(localStorage.getItem('groundswell-account')).toBe('');
  });

  it('ends with the account, removed here or elsewhere', async () => {
    localStorage.setItem('groundswell-account', ANN.id);
    const { acting, gone, service } = await open();
    await button('Edit @ann').click();
    await button('Remove account…').click();
    await button('Remove @ann').click();
    await expect.poll(gone, WAIT).toBe(1);
    await expect.element(field('Act as')).toHaveValue('');
    await field('Act as').selectOptions('@bob');
    service.accounts = [];
    await page.getByRole('link', { name: 'Advertisers' }).click();
    await page.getByRole('link', { name: 'Accounts and apps' }).click();
    await expect.poll(gone, WAIT).toBe(2);
    expect(acting.id).toBeNull();
  });
});
