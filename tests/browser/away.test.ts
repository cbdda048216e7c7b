import { describe, expect, it } from 'vitest';
import type { SpendingAnswer } from '#contract/platform.ts';
import { totalOf, visit } from '#tests/support/browser.ts';
import { paidStage } from '#tests/support/stage.ts';
import { pagesSpan, storms, viewOf } from '#tests/support/paid-service.ts';

const stage = paidStage();

const EIGHT = pagesSpan(8);
const FOUR = pagesSpan(4);

describe('a service that is away', () => {
  it('is said, with what is cached in sight; back, the page goes on by itself', async () => {
    const query = 'storm -offline';
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(stage.service.url + viewOf(query, FOUR));
    expect(await totalOf(page, query)).toBe(storms(FOUR));
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    expect(complaints).toEqual([]);

    await stage.service.stop();
    await page.goto(stage.service.url + viewOf(query, EIGHT));
    await page.reload();
    await page.getByText('The service doesn’t answer.').first().waitFor();
    const owned = page.getByRole('row', { name: query }).getByRole('cell').first();
    // Of how much it is stands before it.
    await expect.poll(() => owned.innerText()).toMatch(new RegExp(`^of 50%\\s+${storms(FOUR)}$`));
    expect(stage.service.sent(query)).toHaveLength(4);

    await stage.service.start();
    await expect.poll(() => totalOf(page, query), { timeout: 30_000 }).toBe(storms(EIGHT));
    await page.getByText('The service doesn’t answer.').waitFor({ state: 'detached' });
    expect(stage.service.sent(query)).toHaveLength(8);
    await context.close();
  });

  it('in the middle of a run makes it wait, and back, it buys the rest alone', async () => {
    const query = 'storm -stopped';
    const { page, context } = await visit(stage.browser);
    const held = stage.service.holdAfter(query, 3);
    await page.goto(stage.service.url + viewOf(query, EIGHT));
    await page.getByRole('button', { name: 'Get 8 pages for $0.08' }).click();
    await held.reached;
    const stopping = stage.service.stop();
    held.release();
    await stopping;
    await page
      .getByText(/the service does not answer, retrying in \d|The service doesn’t answer/)
      .first()
      .waitFor();
    await stage.service.start();
    await expect.poll(() => totalOf(page, query), { timeout: 60_000 }).toBe(storms(EIGHT));
    expect(stage.service.sent(query)).toHaveLength(8);
    await context.close();
  });

  it('has parts of the page wait that were not there', async () => {
    const query = 'storm -parts';
    const { page, context } = await visit(stage.browser, { serviceWorker: false });
    let looks = 0;
    await page.route(stage.service.url + '/', async (route) => {
      if (route.request().method() === 'HEAD') looks += 1;
      await (looks === 1 ? route.abort() : route.continue());
    });
    await page.goto(stage.service.url + viewOf(query, FOUR));
    expect(await totalOf(page, query)).toBe(storms(FOUR));
    expect(looks).toBe(2);
    await context.close();
  });
});

describe('a platform that cannot be reached', () => {
  it('in the middle of a run is said in words, and back, the rest comes', async () => {
    const query = 'storm -cut';
    const { page, context } = await visit(stage.browser);
    const held = stage.service.holdAfter(query, 3);
    await page.goto(stage.service.url + viewOf(query, EIGHT));
    await page.getByRole('button', { name: 'Get 8 pages for $0.08' }).click();
    await held.reached;
    await stage.service.platform.refuse();
    held.release();
    await page.getByText(/the service cannot reach the platform, retrying in \d/).waitFor();
    await stage.service.platform.accept();
    await expect.poll(() => totalOf(page, query), { timeout: 60_000 }).toBe(storms(EIGHT));
    // What was on its way when the connections broke may have counted: that is remembered, and requested again.
    const spent = await page.evaluate(async (asked) => {
      const answer = await fetch('/platform/spending');
      const { queries, uncertain } = (await answer.json()) as SpendingAnswer;
      const all = queries.find((one) => one.query === asked)?.requests ?? 0;
      return { all, uncertain: uncertain.requests };
    }, query);
    expect(spent.all - spent.uncertain).toBe(8);
    // The one held up had reached the platform; of the others that is not known.
    const reached = stage.service.sent(query).length;
    expect(reached).toBeGreaterThan(8);
    expect(reached).toBeLessThanOrEqual(spent.all);
    await context.close();
  });
});
