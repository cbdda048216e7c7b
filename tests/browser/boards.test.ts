import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { readBoard } from '#app/counts/files/board-file.ts';
import { archiveOf } from '#tests/support/data/archives.ts';
import { addEvent, fileOf, totalOf, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

const stage = ownStage();

const VIEW =
  '/#source=sample&range=1y&zone=UTC&by=week&q=matcha&name=Matcha&q=%22oat+milk%22&name=Oat';

const head = (page: Page, name: string) =>
  page.getByRole('banner').getByRole('button', { name: new RegExp(`^${name}`) });

/** Chooses an action in the menu of boards. */
async function choose(page: Page, what: string): Promise<void> {
  await head(page, 'Board').click();
  await page.getByRole('dialog').getByRole('button', { name: what, exact: true }).click();
}

async function saveAs(page: Page, first: string, name: string): Promise<void> {
  await choose(page, first);
  await page.getByLabel('Name of the board').fill(name);
  await page.keyboard.press('Enter');
  await head(page, `Board: ${name}$`).waitFor();
  // The page writes the address a moment later.
  await expect.poll(() => page.url()).toContain('board=');
}

const seriesNames = (page: Page): Promise<string[]> =>
  page.getByRole('region', { name: 'Series' }).getByRole('heading').allInnerTexts();

/** Waits until the board has exactly these series. */
async function waitForNames(page: Page, names: readonly string[]): Promise<void> {
  await expect.poll(() => seriesNames(page)).toEqual(names);
}

describe('saved boards', () => {
  it('can be switched, renamed in every tab, deleted and restored', async () => {
    const { page, context, complaints } = await visit(stage.browser);
    await page.goto(stage.service.url + VIEW.replace('1y', '90d'));
    await totalOf(page, 'Matcha');
    expect(await page.title()).toBe('Groundswell');
    await saveAs(page, 'Save this board…', 'Plant drinks');
    expect(await page.title()).toBe('Plant drinks · Groundswell');
    // The focus returns to where it was, not to the top of the page.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel))
      .toBe('Board: Plant drinks');
    await choose(page, 'New board');
    await page.getByRole('button', { name: /^Add a query/ }).click();
    // Without waiting: typed text goes to the input about to get the focus, not to the page's shortcuts.
    await page.keyboard.type('coffee');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await waitForNames(page, ['coffee']);
    await saveAs(page, 'Save this board…', 'Coffee');

    await head(page, 'Board').click();
    const list = page.getByRole('list', { name: 'Saved boards' });
    await expect.poll(() => list.getByRole('button').count()).toBe(2);
    expect(await list.getByRole('button', { name: /^Coffee/ }).getAttribute('aria-current')).toBe(
      'true',
    );
    await list.getByRole('button', { name: /^Plant drinks/ }).click();
    await waitForNames(page, ['Matcha', 'Oat']);
    await head(page, 'Board: Plant drinks$').waitFor();

    await page.getByRole('button', { name: /^Edit the query "?oat/ }).focus();
    await page.keyboard.press('h');
    await head(page, 'Board: Plant drinks. Changed since saved').waitFor();
    await choose(page, 'Save');
    await head(page, 'Board: Plant drinks$').waitFor();

    const other = await context.newPage();
    await other.goto(page.url());
    await head(other, 'Board: Plant drinks$').waitFor();
    await choose(page, 'Rename…');
    await page.getByLabel('New name of this board').fill('Drinks of plants');
    await page.keyboard.press('Enter');
    await head(other, 'Board: Drinks of plants$').waitFor();
    expect(await other.title()).toBe('Drinks of plants · Groundswell');
    await other.close();

    await choose(page, 'Delete');
    await head(page, 'Boards').waitFor();
    await waitForNames(page, ['Matcha', 'Oat']);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await head(page, 'Board: Drinks of plants$').waitFor();

    // The page writes the address a moment later.
    await expect.poll(() => page.url()).toContain('board=');
    await page.goBack();
    await page.goForward();
    await head(page, 'Board: Drinks of plants$').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('open in another browser from a file, with their notes', { tags: 'long' }, async () => {
    const { page, context, complaints } = await visit(stage.browser);
    await page.goto(stage.service.url + VIEW);
    await totalOf(page, 'Matcha');
    await addEvent(page);
    await page.getByPlaceholder('What happened').fill('Recall story');
    await page.getByLabel('From').fill('2026-03-01');
    await page.keyboard.press('Enter');
    await page
      .getByRole('list', { name: 'Events' })
      .getByRole('button', { name: /^Note: Recall story, 1 Mar 2026/ })
      .waitFor();
    await saveAs(page, 'Save this board…', 'Plant drinks');
    const waiting = page.waitForEvent('download');
    await choose(page, 'Export this board');
    const download = await waiting;
    expect(download.suggestedFilename()).toBe('Plant drinks.groundswell-board');
    const file = await fileOf(download);
    expect(await readBoard(new Blob([await readFile(file)]))).toMatchObject({
      name: 'Plant drinks',
      notes: [{ text: 'Recall story' }],
    });

    const manifest = '{"groundswell":"board","version":9}';
    const later = archiveOf([['manifest.json', Buffer.from(manifest)]]);
    const fresh = await visit(stage.browser);
    await fresh.page.goto(stage.service.url);
    await fresh.page.getByText('made-up data').first().waitFor();
    await fresh.page.getByLabel('File to open').setInputFiles({
      name: 'later.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from(await later.arrayBuffer()),
    });
    await fresh.page.getByText(/^later\.zip cannot be read as a board\. A newer version/).waitFor();
    await fresh.page.getByLabel('File to open').setInputFiles(file);
    await head(fresh.page, 'Board: Plant drinks$').waitFor();
    await waitForNames(fresh.page, ['Matcha', 'Oat']);
    await fresh.page
      .getByRole('list', { name: 'Events' })
      .getByRole('button', { name: /^Note: Recall story, 1 Mar 2026/ })
      .waitFor();
    expect([...complaints, ...fresh.complaints]).toEqual([]);
    await fresh.context.close();
    await context.close();
  });
});

describe('notes', () => {
  it(
    'survive a reload, saved or not, and can be removed and restored',
    { tags: 'long' },
    async () => {
      const { page, context, complaints } = await visit(stage.browser);
      await page.goto(stage.service.url + VIEW);
      await totalOf(page, 'Matcha');
      await page.getByRole('heading', { name: 'Matcha' }).click();
      await page.keyboard.press('m');
      await page.keyboard.type('Launch in Berlin');
      await page.keyboard.press('Enter');
      const note = page
        .getByRole('list', { name: 'Events' })
        .getByRole('button', { name: /^Note: Launch in Berlin/ });
      await note.waitFor();
      await page.reload();
      await note.waitFor();
      await saveAs(page, 'Save this board…', 'With notes');
      await page.reload();
      await head(page, 'Board: With notes$').waitFor();
      await note.click();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await note.waitFor({ state: 'detached' });
      await head(page, 'Board: With notes. Changed since saved').waitFor();
      await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
      await note.waitFor();
      await head(page, 'Board: With notes$').waitFor();
      // The note changes its place in the list while its times are typed.
      await addEvent(page);
      await page.getByPlaceholder('What happened').fill('Earlier');
      await page.getByLabel('From').fill('5 Jan 2026');
      await page.getByLabel('To, if it lasted').fill('January 9');
      await page.getByText('2026-01-05 – 2026-01-09').waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      await page
        .getByRole('list', { name: 'Events' })
        .getByRole('button', { name: /^Note: Earlier, 5–9 Jan 2026/ })
        .waitFor();
      await page.getByRole('tab', { name: 'Events' }).click();
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      const csv = await readFile(await fileOf(await saving), 'utf8');
      expect(csv).toContain(
        '\r\nnote,2026-01-05T00:00:00.000Z,2026-01-10T00:00:00.000Z,2026-01-05T00:00:00+00:00,Earlier,,,',
      );
      await page.getByRole('cell', { name: '5–9 Jan 2026' }).click();
      await page.getByRole('heading', { name: 'Earlier' }).waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Events' }).click();
      await page.getByRole('switch', { name: 'Notes' }).click();
      await note.waitFor({ state: 'detached' });
      await expect.poll(() => page.url()).toContain('events=-note');
      await page.reload();
      await page.getByRole('button', { name: 'Events' }).click();
      await page.getByRole('switch', { name: 'Notes' }).click();
      await page
        .getByRole('list', { name: 'Notes' })
        .getByRole('button', { name: /^Note: Launch in Berlin/ })
        .waitFor();
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
