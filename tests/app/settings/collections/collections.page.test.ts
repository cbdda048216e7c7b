import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { MemoryService } from '#tests/app/settings/memory-service.ts';
import { openSettings } from '#tests/app/settings/settings-page.ts';
import type { CollectionInfo } from '#contract/posts/collections.ts';

const WAIT = { timeout: 60_000 };

function info(id: string, name: string, over: Partial<CollectionInfo> = {}): CollectionInfo {
  return {
    id,
    name,
    source: `${id}.csv`,
    kind: 'csv',
    imported_at: '2026-11-20T10:00:00.000Z',
    read: 1300,
    added: 1204,
    posts: 1204,
    first: '2024-01-01T00:00:00.000Z',
    last: '2024-02-01T00:00:00.000Z',
    included: true,
    removable: true,
    ...over,
  };
}

const TWO = [
  info('2', 'Posted here', { source: null, read: null, added: null, removable: false }),
  info('3', 'June'),
];

/** Opens the list of collections. */
async function openList(collections: readonly CollectionInfo[], theme: 'light' | 'dark' = 'light') {
  const service = new MemoryService();
  service.collections = collections;
  const settings = openSettings('sources', { service, theme });
  const expected = collections.length === 0 ? 'None yet.' : collections.at(-1)!.name;
  await expect.poll(() => document.body.innerText, WAIT).toContain(expected);
  return { ...settings, service };
}

const names = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('li .name')].map((each) => each.innerText);

describe('the collections in the settings', () => {
  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('break no accessibility rule at a width of %i, %s', async (width, theme) => {
    await page.viewport(width, 844);
    await openList([...TWO, info('4', 'July', { included: false })], theme);
    await page.getByRole('button', { name: 'Rename June' }).click();
    expect(await violationsIn(document.querySelector('[role=dialog]')!)).toEqual([]);
    await page.viewport(1280, 900);
  });

  it('show what each has, and say what they are while there are none', async () => {
    const { close } = await openList(TWO);
    const text = document.querySelector<HTMLElement>('[role=dialog]')!.innerText;
    expect(text).toContain('3.csv · 1,204 Posts · 1 Jan 2024 – 1 Feb 2024 · imported ');
    await expect.element(page.getByRole('button', { name: 'Remove June' })).toBeVisible();
    expect(document.body.innerText.match(/Remove\n/g)).toHaveLength(1);
    await close();
    await openList([]);
  });

  it('are switched out and in', async () => {
    const { service, board } = await openList(TWO);
    const loads = board.loads;
    await page.getByRole('checkbox', { name: 'Count June' }).click();
    await expect.poll(names, WAIT).toEqual(['Posted here', 'June · switched out']);
    await page.getByRole('checkbox', { name: 'Count June' }).click();
    await expect.poll(names, WAIT).toEqual(['Posted here', 'June']);
    expect(service.sent).toEqual(['PUT /collections/3', 'PUT /collections/3']);
    expect(board.loads).toBe(loads + 2);
  });

  it('are renamed with the keyboard, and a taken name is refused where it is typed', async () => {
    await openList(TWO);
    await page.getByRole('button', { name: 'Rename June' }).click();
    const field = page.getByRole('textbox', { name: 'Name of June' });
    await expect.element(field).toHaveFocus();
    await userEvent.keyboard('Posted here{Enter}');
    await expect.poll(() => document.body.innerText, WAIT).toContain('Another collection is named');
    await field.fill('Summer');
    await userEvent.keyboard('{Enter}');
    await expect.poll(names, WAIT).toEqual(['Posted here', 'Summer']);
    await page.getByRole('button', { name: 'Rename Summer' }).click();
    await userEvent.keyboard('x{Escape}');
    await expect.poll(names, WAIT).toEqual(['Posted here', 'Summer']);
    expect(document.querySelector('[role=dialog]')).not.toBeNull();
  });

  it('are removed with undo, and restored after it is gone', async () => {
    await openList(TWO);
    await page.getByRole('button', { name: 'Remove June' }).click();
    const restore = page.getByRole('button', { name: 'Restore June' });
    await expect.element(restore).toBeVisible();
    expect(names()).toEqual(['Posted here', 'June']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.element(restore).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'Remove June' }).click();
    await restore.click();
    await expect.element(restore).not.toBeInTheDocument();
    expect(names()).toEqual(['Posted here', 'June']);
  });
});
