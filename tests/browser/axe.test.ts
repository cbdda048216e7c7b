import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { axe } from '#tests/support/browser/axe.ts';
import {
  chartOptions,
  chooseExport,
  counted,
  dayBefore,
  drag,
  sampleBoard,
  visit,
  type VisitOptions,
} from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

/** The conditions under which people see the page; zoomed is 1,440 pixels at 200 %. */
const CONDITIONS = {
  light: {},
  dark: { colorScheme: 'dark' },
  forced: { forcedColors: 'active', colorScheme: 'dark' },
  zoomed: { width: 720, height: 450, deviceScaleFactor: 2 },
  German: { locale: 'de-DE' },
  Japanese: { locale: 'ja-JP' },
  phone: { width: 390, height: 844, phone: true },
} as const satisfies Record<string, VisitOptions>;
type Condition = keyof typeof CONDITIONS;

const dialog = (page: Page): Locator => page.getByRole('dialog');

async function openBoard(page: Page, url: string, more = ''): Promise<void> {
  await page.goto(url + sampleBoard() + more);
  await counted(page);
  await page.getByRole('application').waitFor();
}

interface Screen {
  readonly in: readonly Condition[];
  /** Leads there from the screen before, in the order of the table. */
  open(page: Page, url: string): Promise<unknown>;
  /** True if Escape closes it. */
  readonly over?: boolean;
}

const SCREENS: Record<string, Screen> = {
  'a board': {
    in: ['light', 'dark', 'forced', 'zoomed', 'German', 'Japanese', 'phone'],
    open: async (page, url) => {
      await openBoard(page, url);
      await page.locator('.peak.dot').first().waitFor();
    },
  },
  'what happened at a peak': {
    in: ['dark', 'forced', 'Japanese', 'phone'],
    open: async (page) => {
      await page.locator('.peak.dot').first().click();
      const drawer = page.getByRole('complementary').filter({ hasText: 'What it was about' });
      await drawer.getByText(/\d+%/).first().waitFor();
      await drawer.locator('.text').first().waitFor();
    },
    over: true,
  },
  'the form of a campaign': {
    in: ['dark', 'forced', 'German', 'phone'],
    open: async (page) => {
      await (await chartOptions(page)).getByRole('button', { name: 'Add an event' }).click();
      await page.getByPlaceholder('What happened').fill('Launch');
      await page.getByRole('radio', { name: 'Campaign' }).check();
      await page.getByLabel('From', { exact: true }).fill(dayBefore(40));
      await page.getByLabel('To', { exact: true }).fill(dayBefore(27));
      await page.getByLabel('To', { exact: true }).press('Tab');
      await page
        .getByText(/earlier windows of/)
        .first()
        .waitFor();
    },
  },
  'the row of events': {
    in: ['dark', 'forced', 'German', 'phone'],
    open: async (page) => {
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Events', exact: true }).click();
      await page.getByRole('button', { name: /^Campaign: Launch/ }).waitFor();
    },
  },
  'the choice of a source': {
    in: ['dark', 'phone'],
    open: async (page) => {
      await page.getByRole('button', { name: /^Source:/ }).click();
      await page.getByRole('menuitemradio').first().waitFor();
    },
    over: true,
  },
  'the export menu': {
    in: ['light', 'phone'],
    open: async (page) => {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByRole('menuitem').first().waitFor();
    },
    over: true,
  },
  'the choice of a range': {
    in: ['forced', 'Japanese'],
    open: async (page) => {
      await page.getByRole('button', { name: /^Range:/ }).click();
      await page.getByRole('grid').waitFor();
    },
    over: true,
  },
  'the options of the chart': {
    in: ['dark', 'zoomed'],
    open: async (page) => (await chartOptions(page)).waitFor(),
    over: true,
  },
  'the choice of a width': {
    in: ['light', 'forced'],
    open: async (page) => {
      await page.getByRole('button', { name: /^Width:/ }).click();
      await page.getByRole('menuitemradio').first().waitFor();
    },
    over: true,
  },
  'the options of CSV files': {
    in: ['German', 'zoomed'],
    open: async (page) => {
      await chooseExport(page, 'Spreadsheet', /^CSV options/);
      await dialog(page).waitFor();
    },
    over: true,
  },
  'a slide': {
    in: ['forced', 'zoomed'],
    open: async (page) => {
      await chooseExport(page, 'Slide…');
      await page.getByRole('button', { name: 'Save SVG' }).waitFor();
    },
    over: true,
  },
  'the list of peaks': {
    in: ['German', 'phone'],
    open: async (page) => {
      await page.getByRole('tab', { name: 'Peaks' }).click();
      await page.getByText('× the usual').first().waitFor();
    },
  },
  'what rises': {
    in: ['light', 'zoomed'],
    open: async (page) => {
      await page.getByRole('tab', { name: 'Discover' }).click();
      await page
        .getByRole('group', { name: /^Rising/ })
        .first()
        .waitFor();
    },
  },
  'the hours of the week': {
    in: ['dark', 'Japanese'],
    open: async (page) => {
      await page.getByRole('tab', { name: 'Rhythm' }).click();
      await page.getByRole('tabpanel').getByRole('table').waitFor();
    },
  },
  'the calendar': {
    in: ['light', 'dark', 'forced', 'phone'],
    open: async (page) => {
      await page.getByRole('tab', { name: 'Rhythm' }).click();
      await page.getByRole('radio', { name: 'Calendar' }).check({ force: true });
      await page.locator('.shade').first().waitFor();
    },
  },
  'the table of buckets': {
    in: ['German', 'phone'],
    open: async (page) => {
      await chooseExport(page, 'More', /^Table of/);
      await page.getByRole('columnheader').first().waitFor();
    },
  },
  'the list of keys': {
    in: ['dark', 'phone'],
    open: async (page) => {
      await page.keyboard.press('?');
      await dialog(page).getByRole('heading', { name: 'Keys' }).waitFor();
    },
    over: true,
  },
  'a tested draft': {
    in: ['light', 'dark', 'forced', 'phone'],
    open: async (page) => {
      await page.keyboard.press('w');
      await dialog(page)
        .getByRole('textbox')
        .fill(`matcha ${'for all '.repeat(40)}`);
      await dialog(page).getByText('too long').waitFor();
    },
    over: true,
  },
  'the settings of sources': {
    in: ['light', 'forced'],
    open: async (page) => {
      await page.keyboard.press(',');
      await dialog(page).getByLabel('Access token of the platform').waitFor();
    },
    over: true,
  },
  'the settings of spending': {
    in: ['German', 'zoomed'],
    open: async (page) => {
      await page.keyboard.press(',');
      await dialog(page).getByRole('tab', { name: 'Spending' }).click();
      await dialog(page).getByText('Nothing to spend').waitFor();
    },
    over: true,
  },
  'the settings of storage': {
    in: ['dark', 'Japanese'],
    open: async (page) => {
      await page.keyboard.press(',');
      await dialog(page).getByRole('tab', { name: 'Storage' }).click();
      await dialog(page).getByRole('progressbar').or(dialog(page).locator('h3')).first().waitFor();
    },
    over: true,
  },
  'a query with an error': {
    in: ['light', 'forced'],
    open: async (page) => {
      await page.getByRole('button', { name: 'Edit the query Matcha' }).click();
      await page.getByRole('textbox', { name: /^Query of/ }).fill('matcha (latte');
      await page.getByText(/position 8/).waitFor();
    },
    over: true,
  },
  'a file to import': {
    in: ['German', 'zoomed'],
    open: async (page) => {
      const csv = 'id,created_at,author,text\n1,2026-02-01T10:00:00Z,ann,hello\n2,never,bob,hi\n';
      await drag(page, 'mine.csv', csv, 'dragover', 'drop');
      await dialog(page).getByText('1 Post, 1 refused').waitFor();
    },
    over: true,
  },
  'small multiples': {
    in: ['Japanese', 'phone'],
    open: (page, url) => openBoard(page, url, '&form=multiples'),
  },
  'several periods': {
    in: ['light', 'forced'],
    open: (page, url) => openBoard(page, url, '&against=year-3'),
  },
  'a source without Posts': {
    in: ['zoomed', 'German'],
    open: async (page, url) => {
      await page.goto(`${url}/#source=posts&range=1y&zone=UTC`);
      await page.getByRole('heading', { name: 'No Posts here yet' }).waitFor();
    },
  },
  'the accounts of developers': {
    in: ['light', 'phone'],
    open: async (page, url) => {
      await page.goto(`${url}/developers`);
      await page.getByText('No accounts yet').waitFor();
    },
  },
  'the streams of developers': {
    in: ['dark', 'forced'],
    open: async (page, url) => {
      await page.goto(`${url}/developers#streams`);
      await page.getByText('No connections in the last 7 days.').waitFor();
    },
  },
};

/** The conditions of the short form: colours that the page does not choose, and the least room. */
const SHORT: readonly Condition[] = ['forced', 'phone'];

describe('every screen', () => {
  const stage = ownStage();

  for (const [condition, options] of Object.entries<VisitOptions>(CONDITIONS)) {
    const screens = Object.entries(SCREENS).filter(([, screen]) =>
      screen.in.includes(condition as Condition),
    );
    const tags = SHORT.includes(condition as Condition) ? [] : ['long'];
    it(
      `keeps the rules of accessibility, does not scroll sideways and is silent: ${condition}`,
      { tags },
      async () => {
        const { page, complaints, context } = await visit(stage.browser, options);
        for (const [name, screen] of screens) {
          await screen.open(page, stage.service.url);
          const broken = await axe(page);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          const wide = width > (options.width ?? 1440);
          const found = { name, broken, wide, complaints: complaints.splice(0) };
          expect.soft(found).toEqual({ name, broken: [], wide: false, complaints: [] });
          if (screen.over) await page.keyboard.press('Escape');
        }
        await context.close();
      },
    );
  }
});
