import { describe, expect, it } from 'vitest';
import { axe } from '#tests/support/browser/axe.ts';
import { visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const stage = ownStage(async (folder) => giveTinySample(folder));
const CODE = /\/assets\/open-developers-/;

describe('the page for developers', () => {
  it('is reached from the end of the sources, and is no part of the board', async () => {
    const { context, page, complaints } = await visit(stage.browser);
    const fetched: string[] = [];
    context.on('request', (request) => fetched.push(request.url()));
    await page.goto(stage.service.url);
    await page.getByRole('button', { name: 'Settings, theme and keys' }).waitFor();
    expect(await page.getByRole('link', { name: /developers/i }).count()).toBe(0);
    await page.keyboard.press(',');
    const tabs = page.getByRole('dialog').getByRole('tab');
    await tabs.first().waitFor();
    expect(await tabs.allInnerTexts()).toEqual(['Sources', 'Spending', 'Storage']);
    expect(fetched.filter((url) => CODE.test(url))).toEqual([]);
    await page.getByRole('link', { name: 'For developers' }).click();
    await page.getByRole('heading', { name: 'Accounts and apps', level: 2 }).waitFor();
    await page.getByRole('link', { name: 'Groundswell' }).click();
    await page.getByRole('button', { name: 'Settings, theme and keys' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  for (const [colorScheme, width, tags] of [
    ['light', 1440, []],
    ['dark', 390, ['long']],
  ] as const) {
    it(
      `has an address for each part, in ${colorScheme} at ${width}`,
      { tags: [...tags] },
      async () => {
        const { context, page, complaints } = await visit(stage.browser, { colorScheme, width });
        await page.goto(`${stage.service.url}/developers#streams`);
        await page.getByText('No connections in the last 7 days.').waitFor();
        for (const part of await page.getByRole('navigation').getByRole('link').all()) {
          await part.press('Enter');
          const title = await part.innerText();
          await page.getByRole('heading', { name: title, level: 2 }).waitFor();
          await page.getByRole('heading', { level: 3 }).first().waitFor();
          expect(await page.title()).toBe(`${title} · Developers · Groundswell`);
          expect(await axe(page)).toEqual([]);
          expect(await page.evaluate(() => document.body.scrollWidth)).toBeLessThanOrEqual(width);
        }
        await page.goBack();
        await page.getByRole('heading', { name: 'Product catalogs', level: 2 }).waitFor();
        expect(complaints).toEqual([]);
        await context.close();
      },
    );
  }
});
