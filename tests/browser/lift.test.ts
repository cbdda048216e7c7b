import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { addEvent, counted, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { writePosts } from '#tests/support/service/service.ts';

const FIRST = Date.UTC(2025, 0, 1);
const LAUNCH = Date.UTC(2025, 5, 9);

/** Posts of sixty accounts on two topics on each of 200 days; one has thrice as many in the week of the campaign. */
const stage = ownStage(async (folder) => {
  const random = new Random(7);
  const posts = Array.from({ length: 200 }, (_, day) => FIRST + day * DAY_MS).flatMap((start) =>
    ['boots', 'coats'].flatMap((text) => {
      const isMoved = text === 'boots' && start >= LAUNCH && start < LAUNCH + 7 * DAY_MS;
      const length = random.poisson(isMoved ? 36 : 12);
      return Array.from({ length }, (_, i) => ({ createdAt: start + i * MINUTE_MS, text }));
    }),
  );
  writePosts(
    join(folder, 'sample.sqlite'),
    posts.map((post, i) => ({ ...post, id: BigInt(i + 1), username: `user${random.below(60)}` })),
  );
});

const VIEW =
  '/#source=sample&from=2025-05-01&to=2025-07-10&zone=Europe/Berlin&by=day&q=boots&q=coats';

describe('the lift of a campaign', () => {
  it(
    'has the same numbers in its workbook and on its page of paper, also after a reload without the network',
    { tags: 'long' },
    async () => {
      const { context, page, complaints } = await visit(stage.browser);
      await page.goto(`${stage.service.url}${VIEW}`);
      await counted(page);
      await addEvent(page);
      await page.getByPlaceholder('What happened').fill('Launch');
      await page.getByRole('radio', { name: 'Campaign' }).check();
      await page.getByLabel('From', { exact: true }).fill('2025-06-09');
      await page.getByLabel('To', { exact: true }).fill('2025-06-15');
      await page.getByLabel('To', { exact: true }).press('Tab');
      const headline = page.getByText(/^(?:Larger|Smaller) than/).first();
      await headline.waitFor();
      const shown = await headline.innerText();
      const accounts = page.getByText(/^Different accounts: /);
      await accounts.waitFor();
      const ofAccounts = await accounts.innerText();

      const dots = page.getByRole('img', { name: /^The campaign among/ }).locator('circle');
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as Excel' }).click();
      const chunks: Buffer[] = [];
      for await (const chunk of await (await waiting).createReadStream()) {
        chunks.push(chunk as Buffer);
      }
      const { sheets } = await readXlsx(new Uint8Array(Buffer.concat(chunks)));
      const rowsOf = (name: string) => sheets.find((sheet) => sheet.name === name)?.rows ?? [];
      const facts = new Map(rowsOf('Lift').map(([name, value]) => [name, value]));
      expect(facts.get('Result')).toBe(shown);
      expect(facts.get('Accounts')).toBe(ofAccounts);
      expect(ofAccounts).toMatch(/^Different accounts: \+\d+% \(/);
      const percent = (name: string): string => {
        const whole = Math.round(Number(facts.get(name)) * 100);
        return `${whole > 0 ? '+' : ''}${whole}%`;
      };
      for (const name of ['Lift', 'Band, low', 'Band, high'])
        expect(shown).toContain(percent(name));
      expect(shown).toContain(
        `of ${String(facts.get('Rank, of separate earlier windows'))} earlier`,
      );
      expect(rowsOf('Windows')).toHaveLength((await dots.count()) + 1);
      expect(rowsOf('Days')).toHaveLength(7 + 1);

      await page.evaluate(() => {
        window.print = () => undefined;
      });
      await page.getByRole('button', { name: 'Print', exact: true }).click();
      const paper = page.getByRole('article');
      await page.emulateMedia({ media: 'print' });
      await expect.poll(() => paper.locator('li').count()).toBe(await dots.count());
      expect(await page.getByRole('banner').isVisible()).toBe(false);
      await page.emulateMedia({ media: 'screen' });
      const pdf = await page.pdf({ preferCSSPageSize: true, format: 'A4' });
      expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      await paper.waitFor({ state: 'detached' });

      await page.reload();
      await counted(page);
      await page.getByRole('button', { name: /^Campaign: Launch/ }).click();
      await headline.waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      expect(complaints).toEqual([]);
      await context.setOffline(true);
      await page.getByRole('button', { name: /^Campaign: Launch/ }).click();
      await headline.waitFor();
      expect(await headline.innerText()).toBe(shown);
      await context.close();
    },
  );

  it(
    'of an ads manager’s CSV is on one page of paper, with what the campaign cost',
    { tags: 'long' },
    async () => {
      await groundswell('user', 'add', 'ann', '--data', stage.service.data);
      const { context, page, complaints } = await visit(stage.browser);
      await page.goto(`${stage.service.url}${VIEW}`);
      await counted(page);
      await addEvent(page);
      await page.getByRole('radio', { name: 'Campaign' }).check();
      await page.getByRole('button', { name: 'From an ad account or a file…' }).click();
      const days = Array.from({ length: 7 }, (_, i) => `Summer boots,2025-06-${9 + i},EUR,10`);
      const text = ['Campaign name,Day,Currency,Spend', ...days].join('\n').replace('-9,', '-09,');
      const file = { name: 'june.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
      await page.getByLabel('Export of a console').setInputFiles(file);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      const sheet = page.getByRole('dialog', { name: 'Import june.csv' });
      await sheet.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Add 1 campaign' }).click();
      await page.getByText('Added 1 campaign.').waitFor();

      const drawer = page.getByRole('complementary', { name: 'Summer boots' });
      const headline = drawer.getByText(/^(?:Larger|Smaller) than/).first();
      await headline.waitFor();
      await drawer.getByText('Compare with a control').click();
      await drawer.getByRole('checkbox', { name: 'coats' }).check();
      await drawer.getByText(/^The control explains/).waitFor();
      await drawer.getByText(/^Different accounts: /).waitFor();
      const shown = await headline.innerText();
      await page.evaluate(() => {
        window.print = () => undefined;
      });
      await page.getByRole('button', { name: 'Print', exact: true }).click();
      const paper = page.getByRole('article');
      await page.emulateMedia({ media: 'print' });
      await paper.getByText(shown).first().waitFor();
      expect(await paper.innerText()).toContain('Summer boots');
      expect(await paper.innerText()).toContain('An additional Post cost about €');
      await page.emulateMedia({ media: 'screen' });
      const pdf = await page.pdf({ preferCSSPageSize: true, format: 'A4' });
      expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      await paper.waitFor({ state: 'detached' });

      const inRow = page.getByRole('button', { name: /^Campaign: Summer boots/ });
      await page.reload();
      await counted(page);
      await inRow.click();
      await headline.waitFor();
      expect(complaints).toEqual([]);
      await page.getByRole('button', { name: 'Close' }).click();
      await context.setOffline(true);
      await inRow.click();
      await headline.waitFor();
      expect(await headline.innerText()).toBe(shown);
      await context.close();
    },
  );
});
