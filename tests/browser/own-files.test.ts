import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { axe } from '#tests/support/browser/axe.ts';
import { counted, drag, importAsShown, totalOf, visit } from '#tests/support/browser/browser.ts';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

interface Row {
  readonly created_at: string;
  readonly author: string;
  readonly text: string;
  readonly lang: string;
}

const folder = realData();

/** The lines of a corpus's first file in January and February 2015, below its header. */
function winter(): { header: string; lines: readonly string[] } {
  const [file = ''] = postFiles(folder ?? '', 'ira-2012');
  const [header = '', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
  return { header, lines: lines.filter((line) => /^\d+,2015-0[12]/.test(line)) };
}

async function sources(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings, theme and keys' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Sources' }).click();
}

describe.runIf(folder)('files of real Posts', () => {
  const stage = ownStage();

  it(
    'become collections, series, formulas and discoveries, and every number is that of their rows',
    { tags: 'long' },
    async () => {
      const { header, lines } = winter();
      const csvOf = (some: readonly string[]): string => `${header}\n${some.join('\n')}\n`;
      const rowsOf = (some: readonly string[]): Row[] =>
        Papa.parse<Row>(csvOf(some), { header: true, skipEmptyLines: true }).data;
      const isEarly = (line: string): boolean => /^\d+,[^,]+,[a-k]/i.test(line);
      // The second file has Posts of the first one too.
      const first = lines.filter(isEarly);
      const second = lines.filter((line) => /^\d+,2015-02/.test(line));
      const more = second.filter((line) => !isEarly(line));
      const inLang = (some: readonly string[], lang: string): number =>
        rowsOf(some).filter((row) => row.lang === lang).length;
      const [english, russian] = [inLang(first, 'en'), inLang(first, 'ru')];
      const added = inLang(more, 'en');
      const shown = (n: number): string => n.toLocaleString('en-GB');

      const { page, complaints, context } = await visit(stage.browser);
      await page.goto(stage.service.url);
      await counted(page);
      await drag(page, 'first.csv', csvOf(first), 'drop');
      await importAsShown(page);
      await page.getByText(`Added ${shown(first.length)} Posts`).waitFor();
      const board = '#source=posts&from=2015-01-01&to=2015-02-28&zone=UTC&by=day';
      await page.goto(
        `${stage.service.url}/${board}&q=min_likes:0 lang:en&name=English&q=min_likes:0 lang:ru&name=Russian`,
      );
      expect(await totalOf(page, 'English')).toBe(english);
      expect(await totalOf(page, 'Russian')).toBe(russian);

      // A formula is checked while it is typed, and counts as it says.
      await page.getByRole('button', { name: 'Actions of English' }).click();
      await page.getByRole('menuitem', { name: /^Combine/ }).click();
      const formula = page.getByLabel('Formula', { exact: true });
      await formula.fill('(A + C) ÷ B');
      await page.getByRole('dialog').getByRole('status').getByText('C').first().waitFor();
      await formula.fill('(A + B) − 2 × (B ÷ 2)');
      expect(await axe(page)).toEqual([]);
      await page.keyboard.press('Enter');
      const computed = 'English + Russian − 2 × (Russian ÷ 2)';
      expect(await totalOf(page, computed)).toBe(english);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+z');
      await page.getByRole('row', { name: computed }).waitFor({ state: 'detached' });

      // An import into the open board says what it adds to each series, and can be left out.
      await drag(page, 'second.csv', csvOf(second), 'drop');
      await page.getByLabel('Collection', { exact: true }).fill('February');
      await importAsShown(page);
      await page.getByText(`Added ${shown(more.length)} Posts`).waitFor();
      await page
        .getByText(`adds ${shown(more.length)} Posts to this range (English +${shown(added)},`)
        .waitFor();
      await expect.poll(() => totalOf(page, 'English')).toBe(english + added);
      await page.getByRole('button', { name: 'Leave it out: February' }).click();
      await expect.poll(() => totalOf(page, 'English')).toBe(english);
      expect(await totalOf(page, 'Russian')).toBe(russian);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => totalOf(page, 'English')).toBe(english + added);

      // A file of a name that was imported says which collection it continues, and can be kept apart.
      await drag(page, 'first.csv', csvOf(second), 'drop');
      const sheet = page.getByRole('dialog');
      await sheet.getByText('Adds to the collection “first.csv”').waitFor();
      await sheet.getByRole('button', { name: 'Keep it apart' }).click();
      await expect
        .poll(() => page.getByLabel('Collection', { exact: true }).inputValue())
        .toBe('first.csv (2)');
      await page.keyboard.press('Escape');

      // A collection is part of a query, is removed, and comes back.
      await page.keyboard.press('n');
      await page.getByRole('textbox', { name: /^Query/ }).fill('in:February lang:en');
      await page.keyboard.press('Enter');
      const february = inLang(second, 'en');
      expect(await totalOf(page, 'in:February lang:en')).toBe(february);
      await sources(page);
      await page.getByRole('button', { name: 'Remove February' }).click();
      await expect.poll(() => totalOf(page, 'English')).toBe(english);
      await page.getByText("There is no collection named 'February'").first().waitFor();
      // The browser itself reports that the service refused the query.
      expect(complaints.splice(0).every((line) => line.includes('400 (Bad Request)'))).toBe(true);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(() => totalOf(page, 'in:February lang:en')).toBe(february);

      // A rising word is charted by a click, and its message takes it off again.
      await page.getByRole('tab', { name: 'Discover' }).click();
      const rising = page
        .getByRole('group', { name: 'Rising hashtags' })
        .getByRole('button')
        .first();
      await rising.waitFor();
      const [tag = ''] = /^#\S+/.exec(await rising.innerText()) ?? [];
      const tagged = new RegExp(String.raw`(?<!\w)${tag}(?!\w)`, 'iu');
      const all = rowsOf([...first, ...more]).filter(({ text }) => tagged.test(text));
      await rising.click();
      await page.getByRole('tab', { name: 'Summary' }).click();
      expect(await totalOf(page, tag)).toBe(all.length);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('row', { name: tag }).waitFor({ state: 'detached' });
      // So does undo of the board; what goes with a series becomes a series of both.
      await page.getByRole('tab', { name: 'Discover' }).click();
      await page.getByRole('radio', { name: 'Related to' }).check({ force: true });
      await page.getByText(`counted over all ${shown(english + added)} Posts that match`).waitFor();
      await rising.waitFor({ state: 'detached' });
      await page.getByRole('radio', { name: 'Rising' }).check({ force: true });
      await rising.click();
      await page.getByText(`Added “${tag}”.`).waitFor();
      await page.keyboard.press('Control+z');
      await page.getByRole('tab', { name: 'Summary' }).click();
      await page.getByRole('row', { name: tag }).waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
