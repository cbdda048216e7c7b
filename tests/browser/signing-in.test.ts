import { describe, expect, it } from 'vitest';
import { counted, visit } from '#tests/support/browser/browser.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

const stage = ownStage();
const link = async (): Promise<string> =>
  (await groundswell('link', '--data', stage.service.data)).out.trim();

describe('signing in', () => {
  it('needs the printed address once; afterwards the plain address is enough', async () => {
    const { context, page, complaints } = await visit(stage.browser, {
      signedIn: false,
      serviceWorker: true,
    });
    await page.goto(stage.service.url);
    await page.getByText('This browser is not signed in.').waitFor();
    await page.getByText('Sign in to see counts').waitFor();
    await page.getByText('npm run -s groundswell -- link').waitFor();

    // In the same tab the browser only changes the fragment.
    const address = await link();
    await page.goto(address);
    await counted(page);
    expect(page.url()).not.toContain('sign-in');
    expect(await page.evaluate(() => history.length)).toBeLessThan(4);
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain(new URL(address).hash.slice(1));

    const again = await context.newPage();
    await again.goto(stage.service.url);
    await counted(again);
    expect(complaints).toEqual([]);
    await context.close();

    const other = await visit(stage.browser, { signedIn: false });
    await other.page.goto(address);
    await other.page.getByText('This browser is not signed in.').waitFor();
    expect(other.page.url()).not.toContain('sign-in');
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });
});
