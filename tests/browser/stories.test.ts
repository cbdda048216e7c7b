import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newsPosts } from '#tests/support/data/stories.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { counted, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { writePosts } from '#tests/support/service/service.ts';

/** A fire on 8 November among usual days. */
const stage = ownStage(async (folder) => {
  writePosts(join(folder, 'sample.sqlite'), newsPosts(Date.UTC(2025, 10, 10)));
});

const VIEW =
  '/#source=sample&from=2025-10-20&to=2025-11-09&zone=Europe/Berlin&by=day&q=harbour&events=%2Bstory';

describe('a story', () => {
  it(
    'is counted before it is charted, and stays after a reload and without the network',
    { tags: 'long' },
    async () => {
      const { context, page, complaints } = await visit(stage.browser);
      await page.goto(`${stage.service.url}${VIEW}`);
      await counted(page);
      const row = page.getByRole('list', { name: 'Events' });
      await row
        .getByRole('button', { name: /^Story: / })
        .first()
        .click();
      const drawer = page.getByRole('complementary');
      const count = drawer.getByText(/: [\d,]+ Posts in the time in view\.$/);
      const said = (await count.innerText()).trim();
      const [, query = '', posts = ''] = /^(.+): ([\d,]+) Posts/.exec(said) ?? [];
      expect(query).toMatch(/harbour/);
      expect(Number(posts)).toBeGreaterThanOrEqual(20);
      expect(await axe(page)).toEqual([]);
      await drawer.getByRole('button', { name: 'Chart this story' }).click();
      const rows = page.getByRole('tabpanel').locator('tbody tr');
      const totals = async (): Promise<string[]> =>
        (await rows.locator('td:first-of-type').allInnerTexts()).sort();
      await expect.poll(totals).toEqual([posts, '60'].sort());

      await page.reload();
      await counted(page);
      await expect.poll(totals).toEqual([posts, '60'].sort());
      expect(complaints).toEqual([]);
      await row
        .getByRole('button', { name: /^Story: / })
        .first()
        .waitFor();
      await context.setOffline(true);
      await row
        .getByRole('button', { name: /^Story: / })
        .first()
        .click();
      await drawer.getByText('The board already charts the words of this story.').waitFor();
      await context.close();
    },
  );
});
