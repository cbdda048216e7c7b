import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { axe } from '#tests/support/browser/axe.ts';
import { visit } from '#tests/support/browser/browser.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { giveTinySample } from '#tests/support/service/service.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

const POSTS = `id,created_at,author,text,lang,notes_requested,note_links
1990000000000000001,2026-10-20T10:00:00Z,nordvik,"The bridge collapsed.",en,12,https://example.com/report 7
1990000000000000002,2026-10-21T10:00:00Z,tea,"Tea cures colds.",en,yes,
1990000000000000003,2026-10-22T10:00:00Z,tea,"A coffee.",en,,
`;

const stage = ownStage(async (folder) => giveTinySample(folder));
const run = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await groundswell(...args, '--data', stage.service.data);
  expect([code, err]).toEqual([0, '']);
  return out;
};

beforeAll(async () => {
  const file = join(stage.service.data, 'posts.csv');
  writeFileSync(file, POSTS);
  const { out } = await groundswell('import', file, '--data', stage.service.data);
  expect(out).toContain('notes requested for 2 Posts');
  for (const name of ['lena', 'omar']) await run('user', 'add', name);
  await run('user', 'set', 'lena', '--ai-developer', 'yes', '--note-writer', 'yes');
  const { access_token: token } = JSON.parse(
    await run('token', 'user', '--name', 'lena', '--json'),
  ) as { access_token: string };
  const info = {
    text: 'It stood on 3 May 2023: http://127.0.0.1:1/a',
    classification: 'not_misleading',
    trustworthy_sources: true,
  };
  const answer = await fetch(`${stage.service.url}/2/notes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ test_mode: true, post_id: '1990000000000000001', info }),
  });
  expect(answer.status).toBe(200);
});

async function openPart(page: Page): Promise<void> {
  await page.goto(`${stage.service.url}/developers#notes`);
}
const requests = (page: Page) => page.getByRole('list', { name: 'Requested notes' });
const requested = (page: Page) => requests(page).getByRole('button', { name: /^Remove/ });

describe('the settings of community notes', () => {
  it(
    'request notes by id and address, and remove them with undo, by keyboard',
    { tags: 'long' },
    async () => {
      const { context, page, complaints } = await visit(stage.browser);
      await openPart(page);
      await requests(page).getByText('Tea cures colds.').waitFor();
      expect(await requested(page).count()).toBe(2);
      await requests(page).getByText('12 requests').waitFor();
      await requests(page).getByText('https://example.com/report').waitFor();
      expect(await axe(page)).toEqual([]);

      const posts = page.getByRole('textbox', { name: 'Posts', exact: true });
      await posts.fill('not-an-id');
      await page.keyboard.press('Tab');
      await page.getByText('“not-an-id” is not the ID or the address of a Post.').waitFor();
      await posts.fill('1');
      await page.getByRole('button', { name: 'Request notes' }).press('Enter');
      await page.getByText('There is no Post 1 in Your posts.').waitFor();
      await posts.fill('https://x.com/tea/status/1990000000000000003?s=20');
      await page.getByLabel('Source', { exact: true }).fill('https://example.com/coffee');
      await page.keyboard.press('Enter');
      await requests(page).getByText('A coffee.').waitFor();
      await requests(page).getByText('https://example.com/coffee').waitFor();
      expect(await posts.inputValue()).toBe('');

      const remove = page.getByRole('button', { name: /Remove .*1990000000000000003/ });
      await remove.focus();
      await page.keyboard.press('Enter');
      await remove.waitFor({ state: 'detached' });
      // The focus moves to the next entry.
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
        .toContain('1990000000000000002');
      await page.getByRole('button', { name: 'Undo' }).press('Enter');
      await remove.waitFor();
      // The browser itself reports the Post that was not found.
      expect(complaints).toEqual([expect.stringContaining('status of 404')]);
      await context.close();
    },
  );

  it.each(['light', 'dark'] as const)(
    'in %s on a phone, show a writer’s test notes, its admission and its limit',
    { tags: 'long' },
    async (colorScheme) => {
      const { context, page, complaints } = await visit(stage.browser, { colorScheme, width: 390 });
      await openPart(page);
      const writers = page.getByRole('list', { name: 'Note writers', exact: true });
      const isFirst = colorScheme === 'light';
      await writers.getByText(isFirst ? 'No notes' : 'Needs both').waitFor();
      await page.getByRole('button', { name: 'Show the notes of @lena' }).click();
      const tests = page.getByRole('list', { name: 'Test notes' });
      await tests.getByText('It stood on 3 May 2023').waitFor();
      await tests
        .getByText(/Links: unknown · Civility: high · Claims over opinion: high/)
        .waitFor();
      if (isFirst) {
        await page.getByText('50 test notes, of which there are 1').waitFor();
        await page.getByRole('button', { name: 'Admit now' }).click();
      }
      await page.getByText('0 of 10 notes in the last 24 hours').waitFor();
      await writers.getByText('Admitted').waitFor();
      expect(await axe(page)).toEqual([]);
      const width = await page.evaluate(() => document.body.scrollWidth);
      expect(width).toBeLessThanOrEqual(390);

      const flag = page.getByRole('checkbox', { name: '@omar is an AI developer' });
      expect(await flag.isChecked()).toBe(!isFirst);
      await flag.press('Space');
      await expect.poll(() => flag.isChecked()).toBe(isFirst);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('say that the service is away, and keep what is visible', { tags: 'long' }, async () => {
    const { context, page } = await visit(stage.browser);
    await openPart(page);
    await requests(page).getByText('Tea cures colds.').waitFor();
    await page.route('**/notes/**', (route) => route.abort());
    await requested(page).last().click();
    await page.getByText('The service doesn’t answer.').first().waitFor();
    expect(await requests(page).getByText('Tea cures colds.').count()).toBe(1);
    await page.reload();
    await openPart(page);
    await page.getByRole('alert').getByText('The service doesn’t answer.').first().waitFor();
    expect(await axe(page)).toEqual([]);
    await page.unroute('**/notes/**');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await requests(page).getByText('Tea cures colds.').waitFor();
    await context.close();
  });
});
