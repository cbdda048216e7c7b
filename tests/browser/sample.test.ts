import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { axe } from '#tests/support/browser/axe.ts';
import { chooseExport, fileOf, totalOf, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { groundswell } from '#tests/support/service/command.ts';

describe('the first visit', () => {
  const stage = ownStage();

  for (const [width, height, colorScheme, tags] of [
    [390, 844, 'dark', ['long']],
    [1440, 900, 'light', []],
  ] as const) {
    it(
      `opens on the sample, labelled as made up, calm and without errors (${width} x ${height}, ${colorScheme})`,
      { tags: [...tags] },
      async () => {
        const { page, complaints, context } = await visit(stage.browser, {
          width,
          height,
          colorScheme,
        });
        await page.goto(stage.service.url);
        // On a phone only the chart has the label.
        await page
          .getByText(/made-up (data|posts)/)
          .filter({ visible: true })
          .first()
          .waitFor();
        await page.getByRole('img', { name: /^Posts an? / }).waitFor();
        await page
          .getByRole('cell', { name: /^[\d,]+$/ })
          .first()
          .waitFor();
        expect(await axe(page)).toEqual([]);
        await page.getByRole('tab', { name: 'Summary' }).waitFor();
        const controls = await page.evaluate(() => {
          const all =
            'button, a[href], input, select, textarea, summary, [role=tab], [contenteditable]';
          // The headings of columns and the peaks belong to the figures.
          const figures = 'thead, .peak';
          return [...document.querySelectorAll(all)].filter(
            (each) =>
              each.checkVisibility({ visibilityProperty: true }) &&
              (each.matches('input') || each.checkVisibility({ opacityProperty: true })) &&
              each.getBoundingClientRect().width > 1 &&
              each.getBoundingClientRect().top < innerHeight &&
              !each.closest(figures),
          ).length;
        });
        expect(controls).toBeGreaterThan(5);
        expect(controls).toBeLessThanOrEqual(28);
        await chooseExport(page, 'More', /^Table of/);
        await page.getByRole('columnheader').first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBeLessThanOrEqual(width);
        expect(complaints).toEqual([]);
        await context.close();
      },
    );
  }

  it(
    'shows the error of a query and its position, keeps the curve, and recovers',
    { tags: 'long' },
    async () => {
      const { page, complaints, context } = await visit(stage.browser);
      await page.goto(`${stage.service.url}/#source=sample&range=1y&zone=UTC&by=day&q=matcha`);
      const total = await totalOf(page, 'matcha');
      expect(total).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Edit the query matcha' }).click();
      await page.getByRole('textbox', { name: 'Query of matcha' }).fill('matcha (latte');
      await page.getByText(/position 8/).waitFor();
      await page.getByText('Still showing').waitFor();
      expect(await totalOf(page, 'matcha')).toBe(total);
      await page.getByRole('button', { name: 'Fix: (latte)' }).click();
      await page.getByText('Posts that say matcha and latte').waitFor();
      await page.getByText('Still showing').waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('labels a peak by its first cause, which a slide names with its share', async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(`${stage.service.url}/#source=sample&range=1y&zone=UTC&by=day&q=matcha`);
    const label = page.locator('.peak.dot').first();
    await label.waitFor();
    const name = await label.innerText();
    await page.getByRole('img', { name: `“${name}”` }).waitFor();
    await label.click();
    const drawer = page.getByRole('complementary').filter({ hasText: 'What it was about' });
    const row = drawer
      .getByRole('listitem')
      .filter({ hasText: `“${name}”` })
      .first();
    const [share = ''] = /\d+%/.exec(await row.innerText()) ?? [];
    await drawer.getByRole('button', { name: 'Put on a slide' }).click();
    expect(await page.getByRole('checkbox', { name: 'Name the causes' }).isChecked()).toBe(true);
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save SVG' }).click();
    const svg = readFileSync(await fileOf(await waiting), 'utf8');
    for (const text of ['What it was about: ', `>${share}<`, `>“${name}”<`, `>${name}<`]) {
      expect(svg).toContain(text);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('opens on Your posts once there are any', { tags: 'long' }, async () => {
    const file = join(stage.service.data, 'mine.csv');
    writeFileSync(
      file,
      'id,created_at,author,text\n1,2020-02-01T10:00:00Z,ann,hello world\n2,2020-02-03T10:00:00Z,bob,hello again\n',
    );
    const { page, complaints, context } = await visit(stage.browser);
    // The command finds the running service and delegates the import to it.
    expect(await groundswell('import', '--data', stage.service.data, file)).toMatchObject({
      code: 0,
    });
    await page.goto(stage.service.url);
    await page.getByText('Your posts').first().waitFor();
    await page.goto(`${stage.service.url}/#source=posts&range=all&zone=UTC&by=day&q=hello`);
    expect(await totalOf(page, 'hello')).toBe(2);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
