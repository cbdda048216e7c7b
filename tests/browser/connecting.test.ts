import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPlan, totalOf, visit } from '#tests/support/browser/browser.ts';
import { pagesSpan, POSTS, storms, viewOf } from '#tests/support/service/paid-service.ts';
import { startPlatform, type TestPlatform } from '#tests/support/service/platform.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

let platform: TestPlatform;
const environment: Record<string, string> = {};
beforeAll(async () => {
  platform = await startPlatform({ posts: POSTS });
  environment['GROUNDSWELL_PLATFORM_URL'] = platform.url;
});
afterAll(() => platform.close());

describe('the platform', () => {
  const stage = ownStage(undefined, { environment });

  it('is connected in the settings, checked, counted, paid for in sight, and forgotten', async () => {
    const { page, complaints, context } = await visit(stage.browser);
    const span = pagesSpan(1);
    await page.goto(stage.service.url);
    const sources = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Settings, theme and keys' }).click();
      await page.getByRole('menuitem', { name: 'Settings' }).click();
    };
    await sources();
    const token = page.getByLabel('Access token of the platform');
    await token.fill(platform.token);
    await token.press('Enter');
    await page.getByText(`Connected to ${new URL(platform.url).host}`).waitFor();
    await page.getByText(/^The platform accepts the token\./).waitFor();
    expect(platform.sent.map(({ path }) => path)).toEqual(['/2/usage/tweets']);
    await page.getByRole('button', { name: 'Check archive access ($0.01)' }).click();
    await page.getByText('The token reaches the archive. This check cost $0.01.').waitFor();
    await page.getByRole('button', { name: 'Close the settings' }).click();

    await page.goto(stage.service.url + viewOf('storm', span));
    await loadPlan(page, 1);
    expect(await totalOf(page, 'storm')).toBe(storms(span));
    // The cost of Posts is in the header as soon as they are read.
    const spent = page.getByText(/this month$/);
    const before = await spent.innerText();
    await page.getByRole('application').focus();
    await page.keyboard.press('Shift+Enter');
    await page.getByRole('button', { name: /^Read \d+ Posts? · up to/ }).click();
    await expect.poll(() => spent.innerText()).not.toBe(before);
    const stored = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
    expect(stored + (await page.content())).not.toContain(platform.token);

    await sources();
    await page.getByRole('button', { name: 'Disconnect…' }).click();
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await token.waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
