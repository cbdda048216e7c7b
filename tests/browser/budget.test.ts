import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { totalOf, visit } from '#tests/support/browser.ts';
import { paidStage } from '#tests/support/stage.ts';
import { pagesSpan, storms, viewOf } from '#tests/support/paid-service.ts';

const stage = paidStage();

const EIGHT = pagesSpan(8);

/** Types the cap of a day in the settings, as its owner does. */
async function cap(page: Page, money: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings, look and keys' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Budget' }).click();
  await page.getByLabel('Money a day').fill(money);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
  await page.getByRole('button', { name: 'Close the settings' }).click();
}

describe('a budget', () => {
  it('set in the settings stops a run at the cap, and goes on when it is raised', async () => {
    const query = 'storm -budget';
    const { page, context } = await visit(stage.browser);
    await page.goto(stage.service.url + viewOf(query, EIGHT));
    await page.getByText(/This view takes 8 pages: \$0\.08/).waitFor();
    await cap(page, '0.05');
    await page.getByText(/Today’s budget of \$0\.05 stops it after 5 of 8 pages/).waitFor();
    await page.getByRole('button', { name: 'Get 8 pages for $0.08' }).click();
    await page.getByText(/5 of 8 pages.*today’s budget of \$0\.05 is reached; goes on/).waitFor();
    await page.getByText('Nothing more is bought for now:').waitFor();
    expect(stage.service.sent(query)).toHaveLength(5);

    await cap(page, '1');
    expect(await totalOf(page, query)).toBe(storms(EIGHT));
    await page.getByText('Nothing more is bought for now:').waitFor({ state: 'detached' });
    expect(stage.service.sent(query)).toHaveLength(8);
    await context.close();
  });
});
