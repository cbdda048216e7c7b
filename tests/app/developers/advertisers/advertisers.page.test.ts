import axe from 'axe-core';
import * as v from 'valibot';
import { afterEach, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { AdvertisersAnswer, CampaignsAnswer } from '#contract/ads/advertisers.ts';
import { MemoryService } from '#tests/app/settings/memory-service.ts';
import { openDevelopers } from '../developers-page.ts';

const WAIT = { timeout: 60_000 };
let close = async (): Promise<void> => undefined;
afterEach(() => close());

const text = (): string =>
  (document.querySelector('.developers') as HTMLElement).innerText.replaceAll(/\s+/g, ' ');

const ACCOUNTS: AdvertisersAnswer = {
  accounts: ['Empty', 'Shop'].map((name, i) => ({
    id: `a${i}`,
    name,
    username: 'ann',
    timezone: 'America/Los_Angeles',
    campaigns: i,
  })),
};
const AUTUMN: CampaignsAnswer['campaigns'][number] = {
  id: 'c1',
  name: 'Autumn',
  status: 'EXPIRED',
  start: Date.parse('2026-10-01T07:00:00Z'),
  end: Date.parse('2026-10-21T06:59:59Z'),
  currency: 'EUR',
  spend: 1_234_500_000,
  impressions: 12_345,
  clicks: null,
  engagements: 7,
};
const CAMPAIGNS: Readonly<Record<string, CampaignsAnswer>> = {
  a0: { campaigns: [], total: 0 },
  a1: { campaigns: [AUTUMN], total: 1 },
};

it('shows the campaigns of an ad account with their dates, spend and results', async () => {
  const answer = (path: string): unknown => {
    const [, id] = /^\/advertisers\/(\w+)\/campaigns$/.exec(path) ?? [];
    return id === undefined ? ACCOUNTS : CAMPAIGNS[id];
  };
  const service = Object.assign(new MemoryService(), {
    json: async <T>(path: string, schema: v.GenericSchema<unknown, T>): Promise<T> =>
      await Promise.resolve(v.parse(schema, answer(path))),
  });
  ({ close } = openDevelopers('advertisers', { service }));
  // The first with campaigns, in days of its time zone. The page of a test is as narrow as a phone.
  await expect.poll(text, WAIT).toContain('Autumn Expired, 1 Oct 2026 – 20 Oct 2026, €1,234.50');
  const cells = [...document.querySelectorAll('tbody td.amount')].map((cell) => cell.textContent);
  expect(cells.slice(-4)).toEqual(['12,345', '7', '–', '€1,234.50']);
  const found = await axe.run('.developers', { runOnly: ['wcag2a', 'wcag2aa'] });
  expect(found.violations.map(({ id }) => id)).toEqual([]);
  await page.getByRole('button', { name: 'Show the campaigns of Empty', exact: true }).click();
  await expect.poll(text, WAIT).toContain('Campaigns of Empty No campaigns yet.');
});
