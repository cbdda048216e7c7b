import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { axe } from '#tests/support/axe.ts';
import { counted, drag, importAsShown, totalOf, visit } from '#tests/support/browser.ts';
import { ownStage } from '#tests/support/stage.ts';

const DAYS = 60;
/** One row a day and word; `#recall` comes forty times on the 40th day, always with tea. */
const posts = (first: number, words: readonly string[], recalls: number): string => {
  const rows: string[] = [];
  const add = (day: number, text: string): void => {
    const at = new Date(Date.UTC(2024, 2, 1 + day, 9 + (rows.length % 12)));
    rows.push(`${first + rows.length},${at.toISOString()},ann${rows.length % 7},${text}`);
  };
  for (let day = 0; day < DAYS; day++) for (const word of words) add(day, word);
  for (let i = 0; i < recalls; i++) add(39, `tea #recall ${i}`);
  return `id,created_at,author,text\n${rows.join('\n')}\n`;
};
const SPRING = posts(1, ['tea', 'coffee', 'tea and coffee'], 40);
const SUMMER = posts(1001, ['tea', 'cocoa'], 0);
/** Posts with tea: two a day and the recalls; and two more files of one a day. */
const TEA = 2 * DAYS + 40;
const COFFEE = 2 * DAYS;

async function sources(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings, theme and keys' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Sources' }).click();
}

describe('files of the user', () => {
  const stage = ownStage();

  it('become collections, series, formulas and discoveries, and every number agrees', async () => {
    const { page, complaints, context } = await visit(stage.browser);
    const board = '#source=posts&from=2024-03-01&to=2024-04-29&zone=UTC&by=day';
    await page.goto(stage.service.url);
    await counted(page);
    await drag(page, 'spring.csv', SPRING, 'drop');
    await importAsShown(page);
    await page.getByText('Added 220 Posts').waitFor();
    await page.goto(`${stage.service.url}/${board}&q=tea&name=Tea&q=coffee&name=Coffee`);
    expect(await totalOf(page, 'Tea')).toBe(TEA);
    expect(await totalOf(page, 'Coffee')).toBe(COFFEE);

    // A formula is checked while it is typed, and counts as it says.
    await page.getByRole('button', { name: 'Actions of Tea' }).click();
    await page.getByRole('menuitem', { name: /^Combine/ }).click();
    const formula = page.getByLabel('Formula', { exact: true });
    await formula.fill('(A + C) ÷ B');
    await page.getByRole('dialog').getByRole('status').getByText('C').first().waitFor();
    await formula.fill('(A + B) − 2 × (B ÷ 2)');
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const computed = 'Tea + Coffee − 2 × (Coffee ÷ 2)';
    expect(await totalOf(page, computed)).toBe(TEA);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await page.getByRole('row', { name: computed }).waitFor({ state: 'detached' });

    // An import into the open board says what it adds, and can be left out.
    await drag(page, 'summer.csv', SUMMER, 'drop');
    await page.getByLabel('Collection', { exact: true }).fill('Summer');
    await importAsShown(page);
    await page.getByText('Added 120 Posts').waitFor();
    await page.getByText('adds 120 Posts to this range').waitFor();
    await expect.poll(() => totalOf(page, 'Tea')).toBe(TEA + DAYS);
    await page.getByRole('button', { name: 'Leave it out: Summer' }).click();
    await expect.poll(() => totalOf(page, 'Tea')).toBe(TEA);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => totalOf(page, 'Tea')).toBe(TEA + DAYS);

    // A collection is part of a query, is removed, and comes back.
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: /^Query/ }).fill('tea in:Summer');
    await page.keyboard.press('Enter');
    expect(await totalOf(page, 'tea in:Summer')).toBe(DAYS);
    await sources(page);
    await page.getByRole('button', { name: 'Remove Summer' }).click();
    await expect.poll(() => totalOf(page, 'Tea')).toBe(TEA);
    await page.getByText("There is no collection named 'Summer'").first().waitFor();
    // The browser itself reports that the service refused the query.
    expect(complaints.splice(0).every((line) => line.includes('400 (Bad Request)'))).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => totalOf(page, 'tea in:Summer')).toBe(DAYS);

    // What rises is charted by a click, and what goes with a series shows its own count.
    await page.getByRole('tab', { name: 'Discover' }).click();
    await page.getByRole('group', { name: 'Rising hashtags' }).getByText('#recall').click();
    await page.getByRole('tab', { name: 'Summary' }).click();
    expect(await totalOf(page, '#recall')).toBe(40);
    await page.keyboard.press('Control+z');
    await page.getByRole('row', { name: '#recall' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await context.close();
  });
});
