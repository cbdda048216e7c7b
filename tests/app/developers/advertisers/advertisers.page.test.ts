import * as v from 'valibot';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { AdvertisersAnswer, CampaignsAnswer } from '#contract/ads/advertisers.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import type { ConsoleEvent, ConsoleSurvey } from '#contract/ads/console.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { MemoryService } from '#tests/app/settings/memory-service.ts';
import { openDevelopers, text, WAIT } from '../developers-page.ts';

const ACCOUNTS: AdvertisersAnswer = {
  usernames: ['ann', 'bob'],
  accounts: ['Empty', 'Shop'].map((name, i) => ({
    id: `a${i}`,
    name,
    username: 'ann',
    timezone: 'America/Los_Angeles',
    imported: i === 1,
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

const answer = (path: string): unknown => {
  const [, id] = /^\/advertisers\/(\w+)\/campaigns$/.exec(path) ?? [];
  return id === undefined ? ACCOUNTS : CAMPAIGNS[id];
};
const service = Object.assign(new MemoryService(), {
  json: async <T>(path: string, schema: v.GenericSchema<unknown, T>): Promise<T> =>
    await Promise.resolve(v.parse(schema, answer(path))),
});

it('shows the campaigns of an ad account with their dates, spend and results', async () => {
  openDevelopers('advertisers', { service });
  // The first with campaigns, in days of its time zone. The page of a test is as narrow as a phone.
  await expect.poll(text, WAIT).toContain('Autumn Expired, 1 Oct 2026 – 20 Oct 2026, €1,234.50');
  const cells = [...document.querySelectorAll('tbody td.amount')].map((cell) => cell.textContent);
  expect(cells.slice(-4)).toEqual(['12,345', '7', '–', '€1,234.50']);
  expect(await violationsIn('.developers', { runOnly: ['wcag2a', 'wcag2aa'] })).toEqual([]);
  await page.getByRole('button', { name: 'Show the campaigns of Empty', exact: true }).click();
  await expect.poll(text, WAIT).toContain('Campaigns of Empty No campaigns yet.');
});

/** Answers with a survey, then with events; an import that aborts ends as a lost connection does. */
function fileSender(survey: ConsoleSurvey, events: readonly ConsoleEvent[]) {
  const sent: URL[] = [];
  const note = (path: string): void => void sent.push(new URL(path, location.origin));
  const files: FileSender = {
    json: async (path, _file, schema, options) => {
      note(path);
      options.onAllSent();
      return await Promise.resolve(v.parse(schema, survey));
    },
    lines: async (path, _file, { read, onEvent, onAllSent, signal }) => {
      note(path);
      onAllSent();
      const found = events.map((event) => read(JSON.stringify(event)));
      for (const event of found) onEvent(event);
      if (found.length > 0) return found.at(-1) ?? null;
      return await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  };
  return { files, sent };
}
async function choose(...names: string[]): Promise<void> {
  const chooser = (): HTMLInputElement | null =>
    document.querySelector('input[aria-label="Export of a console"]');
  await expect.poll(() => chooser() !== null, WAIT).toBe(true);
  const transfer = new DataTransfer();
  for (const name of names) transfer.items.add(new File(['Campaign'], name));
  const input = chooser();
  if (!input) throw new TypeError('expected a chooser of files');
  input.files = transfer.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}
const dialog = (): string =>
  (document.querySelector('[role=dialog]') as HTMLElement | null)?.innerText.replaceAll(
    /\s+/g,
    ' ',
  ) ?? '';
const SURVEY: ConsoleSurvey = {
  rows: 3,
  columns: [
    { field: 'campaign', column: 'Campaign' },
    { field: 'billed_charge_local_micro', column: 'Spend (USD)' },
  ],
  ignored: ['CTR'],
  undecided: { example: '04/03/2026' },
};
const IMPORTED: ConsoleEvent = {
  type: 'imported',
  read: 3,
  created: 1,
  updated: 0,
  unchanged: 1,
  refused: 1,
  reasons: [{ line: 3, reason: 'expected a whole number as impressions, got "x"' }],
  statuses: ['Odd'],
  account: 'a0',
  campaigns: { total: 1, created: 1, updated: 0, unchanged: 0, ids: ['c1'] },
};

it('imports a file once its dates are decided, and says what became of its rows', async () => {
  const { files, sent } = fileSender(SURVEY, [{ type: 'reading', rows: 3 }, IMPORTED]);
  openDevelopers('advertisers', { service, files });
  await choose('export.csv');
  await expect.poll(dialog, WAIT).toContain('3 rows Columns that are read');
  expect(dialog()).toMatch(/Campaign Campaign.*Spend \(USD\) Spend.*Ignored: CTR/);
  const start = page.getByRole('button', { name: 'Import', exact: true });
  await expect.element(start).toBeDisabled();
  expect(dialog()).toContain('No date in the file shows');
  // Ann has an ad account of imports, whose time zone it keeps.
  expect(dialog()).toContain('America/Los_Angeles');
  await page.getByLabelText('Account', { exact: true }).selectOptions('@bob');
  await page.getByLabelText('Time zone').selectOptions('Asia/Tokyo');
  await page.getByLabelText('Dates').selectOptions('Day first: 04/03/2026 is 4 Mar 2026');
  // The button fades to its colours once it may be pressed.
  await Promise.all(document.getAnimations().map(({ finished }) => finished));
  expect(await violationsIn('[role=dialog]', { runOnly: ['wcag2a', 'wcag2aa'] })).toEqual([]);
  await start.click();
  await expect
    .poll(dialog, WAIT)
    .toContain(
      '3 rows, 1 campaign: 1 with a new campaign or part of one, 0 with new figures or changes, 1 unchanged, 1 refused.',
    );
  expect(dialog()).toContain('Line 3: expected a whole number as impressions, got "x"');
  expect(dialog()).toContain('Odd');
  expect(sent.map(({ pathname, search }) => pathname + search)).toEqual([
    '/advertisers/survey?name=export.csv',
    '/advertisers/import?name=export.csv&user=bob&time_zone=Asia%2FTokyo&dates=DMY',
  ]);
  await page.getByRole('button', { name: 'Done' }).click();
  // The ad account of the import is the visible one.
  await expect.poll(text, WAIT).toContain('Campaigns of Empty');
});

it('shows progress after a second, and ends an import when its sheet closes', async () => {
  const { files, sent } = fileSender({ ...SURVEY, undecided: null }, []);
  openDevelopers('advertisers', { service, files });
  await choose('export.csv');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect.poll(dialog, WAIT).toContain('0 of 3 rows');
  expect(sent.at(-1)?.search).toBe('?name=export.csv&user=ann&account=a1');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(dialog, WAIT).toBe('');
});

it.each([
  [
    'names a column that is needed',
    {
      type: 'fault',
      message: 'e.csv: has no column for campaign; name one with --map campaign=COLUMN.',
    },
    'It has no column for campaign. Name that column Campaign in the file',
  ],
  [
    'says why else',
    { type: 'fault', message: '@ann has no ad account of the id a1.' },
    '@ann has no',
  ],
] as const)('%s', async (_, event, message) => {
  const { files } = fileSender({ ...SURVEY, undecided: null }, [event]);
  openDevelopers('advertisers', { service, files });
  await choose('e.csv');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect.element(page.getByRole('alert').getByText(message)).toBeVisible();
});

it('imports one file at a time', async () => {
  openDevelopers('advertisers', { service });
  await choose('a.csv', 'b.csv');
  expect(dialog()).toBe('');
  await expect.element(page.getByText('Import one file at a time.')).toBeVisible();
});
