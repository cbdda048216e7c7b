import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { counted, drag, importAsShown, totalOf, visit } from '#tests/support/browser/browser.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { serve } from '#tests/support/service/command.ts';
import { threadEntry } from '#tests/support/service/threads.ts';

const HEADER = 'id,created_at,author,text\n';
const COUNTS = [
  'query,label,start_utc,end_utc,start_local,tweet_count,status,source,fetched_at',
  'tea leaves,Panel,2024-03-01T00:00:00.000Z,2024-03-02T00:00:00.000Z,2024-03-01T00:00:00+00:00,5,settled,a panel,',
  'tea leaves,Panel,2024-03-02T00:00:00.000Z,2024-03-03T00:00:00.000Z,2024-03-02T00:00:00+00:00,7,settled,a panel,',
]
  .map((line) => `${line}\r\n`)
  .join('');
const rows = (from: number, to: number): string =>
  Array.from(
    { length: to - from },
    (_, i) =>
      `${from + i},2024-0${1 + (i % 9)}-01T0${i % 10}:00:00Z,ann,${i % 2 ? 'tea' : 'coffee'} ${from + i}\n`,
  ).join('');

describe('a first visit', () => {
  const stage = ownStage();

  it('explains the sample and the next steps until it is dismissed', { tags: 'long' }, async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(stage.service.url);
    const strip = page.getByRole('region', { name: 'The sample' });
    await strip.getByText('made-up data').waitFor();
    await strip.getByRole('button', { name: 'Import your posts' }).waitFor();
    await strip.getByRole('button', { name: 'Connect the platform' }).click();
    await page.getByLabel('Access token of the platform').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Choose files' }).waitFor();
    await page.keyboard.press('Escape');
    await strip.getByRole('button', { name: 'Keep exploring' }).click();
    await strip.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('img', { name: /^Posts an? / }).waitFor();
    expect(await strip.count()).toBe(0);
    await page.getByRole('button', { name: /^Source:/ }).click();
    await page.getByRole('menuitem', { name: /About the sample/ }).click();
    await strip.waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('can be installed', async () => {
    const { page, context } = await visit(stage.browser);
    await page.goto(stage.service.url);
    const devtools = await context.newCDPSession(page);
    const { url, errors, data } = await devtools.send('Page.getAppManifest');
    expect([url, errors]).toEqual([`${stage.service.url}/manifest.webmanifest`, []]);
    const { icons } = JSON.parse(data ?? '') as { icons: { src: string; type: string }[] };
    for (const { src, type } of icons) {
      const answer = await page.request.get(stage.service.url + src);
      expect([answer.status(), answer.headers()['content-type']]).toEqual([200, type]);
    }
    await context.close();
  });

  it(
    'prints the finding, the curve, the names and the numbers in light colours, without controls',
    { tags: 'long' },
    async () => {
      const { page, context } = await visit(stage.browser, { colorScheme: 'dark' });
      await page.goto(stage.service.url);
      await counted(page);
      const paper = async (print: boolean): Promise<void> => {
        await page.evaluate(
          (kind) => dispatchEvent(new Event(kind)),
          print ? 'beforeprint' : 'afterprint',
        );
        await page.emulateMedia({ media: print ? 'print' : 'screen' });
      };
      await paper(true);
      await page.getByRole('heading', { name: 'Oat milk, Matcha and Cold brew' }).waitFor();
      await page
        .getByText(/Sample: made-up Posts/)
        .first()
        .waitFor();
      await page.getByText('Missing counts are omitted').waitFor();
      expect(await page.getByRole('row').count()).toBe(4);
      await page.locator('.finding h2').waitFor();
      // The table's sortable headers are printed as text.
      const controls = page.getByRole('button').and(page.locator(':not(th button, .printed)'));
      expect(await controls.count()).toBe(0);
      expect(await page.getByRole('tab').count()).toBe(0);
      const background = (): Promise<string> =>
        page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(await background()).toBe('rgb(255, 255, 255)');
      const chart = await page.getByRole('application').boundingBox();
      const canvas = await page.locator('canvas').first().boundingBox();
      expect([chart?.width, chart?.height, canvas?.width]).toEqual([680, 320, 680]);
      await paper(false);
      expect(await background()).toBe('rgb(15, 16, 19)');
      await page.getByRole('button', { name: 'Export' }).waitFor();
      expect(await page.getByRole('heading', { name: 'Oat milk, Matcha' }).count()).toBe(0);
      await context.close();
    },
  );

  it('imports dropped posts, shows the progress, and counts them', { tags: 'long' }, async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(stage.service.url);
    await counted(page);
    await drag(page, 'posts.csv', 'x', 'dragover');
    await page.getByText('Drop to import into Your posts').waitFor();

    // Records every text of the import's progress bar.
    await page.evaluate(() => {
      const progress: string[] = [];
      Object.assign(window, { progress });
      new MutationObserver(() => {
        const bar = document.querySelector('[role=progressbar]');
        const text = bar?.getAttribute('aria-valuetext');
        if (text && progress.at(-1) !== text) progress.push(text);
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    const csv = HEADER + rows(1, 40_001) + '40001,never,ann,tea\n';
    await drag(page, 'posts.csv', csv, 'dragover', 'drop');
    await importAsShown(page);
    await page.getByText('Added 40,000 Posts · 1 refused').waitFor();
    expect(await page.getByText('Drop to import').count()).toBe(0);
    const progress = await page.evaluate(
      () => (window as unknown as { progress: string[] }).progress,
    );
    expect(progress[0]).toMatch(/^Sent .+ of 1\.\d+ MB/);
    expect(progress.some((text) => /rows read · .+ of 1\.\d+ MB/.test(text))).toBe(true);
    await page.getByText('See why rows were refused').click();
    await page.getByText(/^line 40,002: the time "never"/).waitFor();

    await page.getByRole('button', { name: 'Source: your posts' }).waitFor();
    // The board begins with every Post, and with what these consist of.
    expect(await totalOf(page, 'All Posts')).toBe(40_000);
    await page.getByRole('button', { name: '@ann', exact: true }).click();
    expect(await totalOf(page, '@ann')).toBe(40_000);
    await page.goto(stage.service.url);
    expect(await totalOf(page, '@ann')).toBe(40_000);
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: /^Query/ }).fill('tea');
    await page.keyboard.press('Enter');
    expect(await totalOf(page, 'tea')).toBe(20_000);

    // A gzipped file, some of whose posts are already there.
    await drag(page, 'more.csv.gz', gzipSync(HEADER + rows(39_001, 41_001)), 'drop');
    await page.getByText('Read as the last file with these columns.').waitFor();
    await importAsShown(page);
    await page.getByText('Added 1,000 Posts · 1,000 already there').waitFor();
    await expect.poll(() => totalOf(page, 'tea')).toBe(20_500);
    // A file of counts opens on the board, marked as one, or reports its error.
    await drag(page, 'counts.csv', 'query,label,start_utc\n', 'drop');
    await page.getByText(/^“counts\.csv” was not opened/).waitFor();
    await drag(page, 'counts.csv', COUNTS, 'drop');
    await page.getByText('Opened 1 series of “counts.csv”.').waitFor();
    await page.getByText('from a file: tea leaves').waitFor();
    // It covers two days of the range, and the table says so.
    expect(await totalOf(page, 'Panel')).toBe(12);
    const complete = page.getByRole('row', { name: 'Panel' }).getByRole('cell').last();
    await expect.poll(() => complete.innerText()).toMatch(/^of .*% covered/);
    await drag(page, 'x.csv', 'a,b\n1,2\n', 'drop');
    const sheet = page.getByRole('dialog', { name: 'Import x.csv' });
    await sheet.getByText('Choose the column with the text.').waitFor();
    expect(await sheet.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(
      true,
    );
    await page.keyboard.press('Escape');
    await drag(page, 'report.pdf', '%PDF-1.7\n', 'drop');
    await page.getByText('This is a PDF.').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await totalOf(page, 'tea')).toBe(20_500);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it(
    'imports a table of another tool by the keyboard, as its sheet shows it',
    { tags: 'long' },
    async () => {
      const { page, complaints, context } = await visit(stage.browser, { width: 390, height: 844 });
      await page.goto(`${stage.service.url}/#source=posts&q=milk&from=2024-01-01&to=2025-01-01`);
      await counted(page);
      const lines = Array.from(
        { length: 24 },
        (_, i) =>
          `Milk,0${1 + (i % 9)}/0${1 + (i % 7)}/2024 2${i % 4}:30,@ann,"oat milk, again ${i}",`,
      );
      const csv = `Report:,Milk\n\nQuery Name,Date,Author,Full Text,Url\n${lines.join('\n')}\n`;
      await drag(page, 'mentions.csv', csv, 'drop');
      const sheet = page.getByRole('dialog', { name: 'Import mentions.csv' });
      await sheet.getByText('CSV · UTF-8 · header in line 3').waitFor();
      // No date shows its order: the choice has the focus, and nothing is imported before it.
      const dates = sheet.getByLabel('Dates');
      await expect.poll(() => dates.evaluate((each) => each === document.activeElement)).toBe(true);
      await dates.selectOption('DMY');
      await sheet.getByText('First 24 rows: 24 Posts, none refused.').waitFor();
      await sheet.getByLabel('Time zone of the file').selectOption('Europe/Berlin');
      await sheet.getByText('2024-01-01 19:30:00').waitFor();
      expect(await axe(page)).toEqual([]);
      await sheet.getByRole('button', { name: 'Import', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Added 24 Posts').waitFor();
      await expect.poll(() => totalOf(page, 'milk')).toBe(24);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it(
    'explains what to do when the service is down, and loses nothing',
    { tags: 'long' },
    async () => {
      const { page, context } = await visit(stage.browser, {
        width: 390,
        height: 844,
        serviceWorker: true,
      });
      await page.goto(`${stage.service.url}/#source=posts&q=tea`);
      expect(await totalOf(page, 'tea')).toBe(20_500);
      await stage.service.stop();
      await drag(page, 'later.csv', HEADER + rows(50_001, 50_101), 'drop');
      await importAsShown(page);
      await page.getByText('nothing was sent. Start it again (npm start)').waitFor();
      const port = Number(new URL(stage.service.url).port);
      const again = await serve(stage.service.data, { host: threadEntry(), port });
      await drag(page, 'later.csv', HEADER + rows(50_001, 50_101), 'drop');
      await importAsShown(page);
      await page.getByText('Added 100 Posts').waitFor();
      await expect.poll(() => totalOf(page, 'tea')).toBe(20_550);
      await context.close();
      await again.stop();
    },
  );
});
