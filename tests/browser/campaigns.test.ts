import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { axe } from '#tests/support/browser/axe.ts';
import { addEvent, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { writePosts } from '#tests/support/service/service.ts';

const stage = ownStage(async (folder) => {
  const days = ['2025-10-02', '2025-10-25', '2025-11-09'];
  const posts = days.map((day, i) => ({
    id: BigInt(i + 1),
    createdAt: Date.parse(day),
    text: 'boots',
  }));
  writePosts(join(folder, 'sample.sqlite'), posts);
});

/** As an ads manager exports it, over the day on which the clock of Berlin goes back. */
const EXPORT = [
  'Campaign name,Day,Currency,Spend,Impressions,Link clicks',
  'Autumn boots,2025-10-24,EUR,10.50,"1,000",5',
  'Autumn boots,2025-10-25,EUR,21.00,"2,400",10',
  'Autumn boots,2025-10-26,EUR,4.50,,',
  'Winter coats,2025-10-28,EUR,3.00,300,0',
].join('\n');

const VIEW = '/#source=sample&from=2025-10-01&to=2025-11-10&zone=Europe/Berlin&by=day&q=boots';

describe('campaigns of an ads manager', () => {
  it(
    'come from its CSV into the row, the drawer and the board, and from its next CSV are updated',
    { tags: 'long' },
    async () => {
      await groundswell('user', 'add', 'ann', '--data', stage.service.data);
      const { context, page, complaints } = await visit(stage.browser);
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith('/advertisers')) asked.push(pathname);
      });
      await page.goto(`${stage.service.url}${VIEW}`);
      await addEvent(page);
      await page.getByRole('radio', { name: 'Campaign' }).click();
      expect(asked).toEqual([]);
      const list = page.getByRole('dialog', { name: 'Campaigns to add' });
      const load = async (name: string, text: string): Promise<void> => {
        await page.getByRole('button', { name: 'From an ad account or a file…' }).click();
        await list.waitFor();
        const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
        await page.getByLabel('Export of a console').setInputFiles(file);
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page
          .getByRole('dialog', { name: `Import ${name}` })
          .getByRole('button', { name: 'Done' })
          .click();
      };
      await load('october.csv', EXPORT);
      await list.getByText('Campaigns of october.csv').waitFor();
      expect(await axe(page)).toEqual([]);
      await list.getByRole('button', { name: 'Add 2 campaigns' }).click();
      await page.getByText('Added 2 campaigns.').waitFor();

      const row = page.getByRole('list', { name: 'Events' });
      const boots = row.getByRole('button', { name: /^Campaign: Autumn boots, 24–26 Oct 2025/ });
      await boots.waitFor();
      expect(await boots.locator('path').count()).toBe(1);
      await expect.poll(() => row.getByRole('listitem').count()).toBe(2);
      await boots.click();
      const drawer = page.getByRole('complementary', { name: 'Autumn boots' });
      const figures = drawer.getByRole('region', { name: 'Figures' });
      const facts = async (): Promise<string> => (await figures.innerText()).replaceAll('\n', ' ');
      expect(await facts()).toContain(
        'Spend €36.00 Impressions 3,400 Clicks 15 Cost per click €2.40',
      );
      await figures.getByText('By day').click();
      const cells = (await figures.getByRole('row').allInnerTexts()).map((row) => row.split('\t'));
      expect(cells).toEqual([
        ['Day', 'Spend', 'Impressions', 'Clicks', 'Per click'],
        ['24 Oct 2025', '€10.50', '1,000', '5', '€2.10'],
        ['25 Oct 2025', '€21.00', '2,400', '10', '€2.10'],
        ['26 Oct 2025', '€4.50', '–', '–', '–'],
      ]);
      expect(await axe(page)).toEqual([]);

      await load('october.csv', `${EXPORT.split('\n').slice(0, 4).join('\n')}30\n`);
      await list.getByRole('button', { name: 'Update 1 campaign' }).click();
      await page.getByText('Updated 1 campaign.').waitFor();
      expect(await row.getByRole('listitem').count()).toBe(2);
      expect(await facts()).toContain('Clicks 45 Cost per click €0.80');
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(facts).toContain('Clicks 15 Cost per click €2.40');

      await page.reload();
      await boots.waitFor();
      expect(complaints).toEqual([]);
      await context.setOffline(true);
      await boots.click();
      expect(await facts()).toContain('Spend €36.00');
      await context.close();
    },
  );
});
