// First, as on the page: dialogs override it.
import '#app/ui/tokens.css';
import '#app/ui/base.css';
import * as v from 'valibot';
import { beforeEach, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { EndpointClient } from '#app/api/endpoint-call.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import { unreachable } from '#app/api/answer-fault.ts';
import AdCampaigns from '#app/events/ads/AdCampaigns.svelte';
import type { AdvertisedCampaign } from '#app/events/ads/advertised.ts';
import { Formatter } from '#app/format/formatter.ts';
import type { AdvertisersAnswer, CampaignsAnswer } from '#contract/ads/advertisers.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const WAIT = { timeout: 60_000 };
const START = Date.parse('2026-10-01T07:00:00Z');
const END = Date.parse('2026-10-21T07:00:00Z');
const ACCOUNTS: AdvertisersAnswer = {
  usernames: ['ann'],
  accounts: ['Empty', 'Shop'].map((name, i) => ({
    id: `a${i}`,
    name,
    username: 'ann',
    timezone: 'America/Los_Angeles',
    imported: i === 1,
    campaigns: i,
  })),
};
const NOTHING = { spend: null, impressions: null, clicks: null, engagements: null };
const campaign = (id: string, name: string, start: number | null) => ({
  ...NOTHING,
  id,
  name,
  status: 'RUNNING',
  start,
  end: start && END,
  currency: 'EUR',
});
const SHOP: CampaignsAnswer = {
  campaigns: [
    { ...campaign('c1', 'Autumn', START), spend: 1_234_500_000 },
    campaign('c2', 'Winter', START),
    campaign('c3', 'Draft', null),
  ],
  total: 3,
};

/** The paths of requests, and the reason they fail; null while they do not. */
let asked: string[] = [];
let fails: Error | null = null;
let accounts: AdvertisersAnswer = ACCOUNTS;

function answer(path: string): unknown {
  const { pathname, searchParams } = new URL(path, location.origin);
  const [, account, id] = /^\/advertisers\/(\w+)\/campaigns(?:\/(\w+))?$/.exec(pathname) ?? [];
  if (account === undefined) return accounts;
  if (account === 'a0') return { campaigns: [], total: 0 };
  const ids = searchParams.get('ids')?.split(',');
  const listed = SHOP.campaigns.filter((each) => ids?.includes(each.id) ?? true);
  if (id === undefined) return { campaigns: listed, total: listed.length };
  const { name, spend } = SHOP.campaigns.find((each) => each.id === id)!;
  const figures = { ...NOTHING, budget: null, days: [], posts: [], spend };
  return {
    id,
    name,
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    run: { start: START, end: END },
    ...figures,
  };
}
const client: EndpointClient = {
  json: async (path, schema) => {
    asked.push(path);
    if (fails) throw fails;
    return await Promise.resolve(v.parse(schema, answer(path)));
  },
  send: () => Promise.reject(new TypeError('expected no change')),
};
const SURVEY = { rows: 1, columns: [], ignored: [], undecided: null };
const counts = { read: 1, created: 1, updated: 0, unchanged: 0, refused: 0 };
const IMPORTED = {
  type: 'imported',
  ...counts,
  reasons: [],
  statuses: [],
  account: 'a1',
  campaigns: { total: 3, created: 1, updated: 1, unchanged: 1, ids: ['c2', 'c3'] },
};

const files: FileSender = {
  json: async (_path, _file, schema) => await Promise.resolve(v.parse(schema, SURVEY)),
  lines: async (_path, _file, { read }) => await Promise.resolve(read(JSON.stringify(IMPORTED))),
};

let known = new Set<string>();
let taken: (readonly AdvertisedCampaign[])[] = [];
beforeEach(() => {
  [asked, fails, accounts, taken, known] = [[], null, ACCOUNTS, [], new Set()];
});

function open(): void {
  mounted(AdCampaigns, {
    service: { client, files },
    format: new Formatter('en-GB', 'Europe/Berlin'),
    isKnown: (account: string, campaign: string) => known.has(`${account} ${campaign}`),
    ontake: (campaigns: readonly AdvertisedCampaign[]) => taken.push(campaigns),
    onclose: () => undefined,
  });
}
const text = (): string =>
  (document.querySelector('[role=dialog]') as HTMLElement | null)?.innerText.replaceAll(
    /\s+/g,
    ' ',
  ) ?? '';
const add = (name: string) => page.getByRole('button', { name, exact: true });

it('says which of the ticked campaigns the board has, and will update', async () => {
  known = new Set(['a1 c1']);
  open();
  await page.getByRole('checkbox', { name: /Autumn/ }).click();
  await expect.element(add('Update 1 campaign')).toBeEnabled();
  await page.getByRole('checkbox', { name: /Winter/ }).click();
  await expect.element(add('Add 1 campaign, update 1')).toBeEnabled();
});

it('lists the campaigns of an ad account in its time zone, and reads those that are ticked', async () => {
  open();
  await expect.poll(text, WAIT).toContain('Autumn 1–20 Oct 2026 · €1,234.50');
  expect(text()).toContain('Draft No dates and no figures');
  await expect.element(page.getByRole('checkbox', { name: /Draft/ })).toBeDisabled();
  await expect.element(add('Add 0 campaigns')).toBeDisabled();
  await page.getByRole('checkbox', { name: /Autumn/ }).click();
  await page.getByRole('checkbox', { name: /Winter/ }).click();
  await Promise.all(document.getAnimations().map(({ finished }) => finished));
  expect(await violationsIn('[role=dialog]', { runOnly: ['wcag2a', 'wcag2aa'] })).toEqual([]);
  await add('Add 2 campaigns').click();
  await expect.poll(() => taken.length).toBe(1);
  expect(taken[0]?.map(({ text, campaign }) => [text, campaign.spend, campaign.source])).toEqual([
    ['Autumn', 1234.5, 'Shop'],
    ['Winter', null, 'Shop'],
  ]);
  await page.getByLabelText('From').selectOptions('Empty, @ann');
  await expect.poll(text, WAIT).toContain('No campaigns yet.');
  await expect.element(add('Add 0 campaigns')).toBeDisabled();
});

it('imports a file, and ticks its campaigns under its name', async () => {
  open();
  await expect.poll(text, WAIT).toContain('Autumn');
  const input = document.querySelector<HTMLInputElement>(
    'input[aria-label="Export of a console"]',
  )!;
  const transfer = new DataTransfer();
  transfer.items.add(new File(['Campaign'], 'october.csv'));
  input.files = transfer.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect.poll(text, WAIT).toContain('Campaigns of october.csv Winter');
  expect(text()).toContain('The first 2 of 3 campaigns.');
  expect(text()).not.toContain('Autumn');
  await add('Add 1 campaign').click();
  await expect.poll(() => taken[0]?.[0]?.campaign.source).toBe('october.csv');
  await page.getByLabelText('From').selectOptions('Shop, @ann');
  await expect.poll(text, WAIT).toContain('Campaigns of Shop Autumn');
});

it.each([
  ['no ad account', { ...ACCOUNTS, accounts: [] }, 'No ad accounts yet. The CSV'],
  [
    'no account at all',
    { usernames: [], accounts: [] },
    'no account of this service to import for',
  ],
])('says that there is %s', async (_, given, message) => {
  accounts = given;
  open();
  await expect.poll(text, WAIT).toContain(message);
  expect(asked).toHaveLength(1);
});

it('says that the service is away, at first and when adding, and tries again', async () => {
  fails = unreachable(new TypeError('offline'));
  open();
  const retry = page.getByRole('button', { name: 'Try again' });
  await expect.element(retry).toBeVisible();
  fails = null;
  await retry.click();
  await page.getByRole('checkbox', { name: /Autumn/ }).click();
  fails = unreachable(new TypeError('offline'));
  await add('Add 1 campaign').click();
  await expect.element(retry).toBeVisible();
  expect(taken).toEqual([]);
  fails = null;
  await retry.click();
  await expect.poll(() => taken.length).toBe(1);
});
