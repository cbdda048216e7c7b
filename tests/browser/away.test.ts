import { describe, expect, it } from 'vitest';
import type { SpendingAnswer } from '#contract/counts/spending.ts';
import { loadPlan, totalOf, visit } from '#tests/support/browser/browser.ts';
import { paidStage } from '#tests/support/browser/stage.ts';
import { pagesSpan, storms, viewOf } from '#tests/support/service/paid-service.ts';

const stage = paidStage();

const EIGHT = pagesSpan(8);
const FOUR = pagesSpan(4);

describe('a stopped service', () => {
  it('is reported while cached counts stay visible; the page continues when it is back', async () => {
    const query = 'storm -offline';
    const { page, complaints, context } = await visit(stage.browser, { serviceWorker: true });
    await page.goto(stage.service.url + viewOf(query, FOUR));
    await loadPlan(page, 4);
    expect(await totalOf(page, query)).toBe(storms(FOUR));
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    expect(complaints).toEqual([]);

    await stage.service.stop();
    await page.goto(stage.service.url + viewOf(query, EIGHT));
    await page.reload();
    await page.getByText('The service doesn’t answer.').first().waitFor();
    // The plan of the rest has a row of the query too.
    const summary = page.getByRole('tabpanel');
    const cached = summary.getByRole('row', { name: query }).getByRole('cell').first();
    // The cell begins with the share of the range that the total covers.
    await expect.poll(() => cached.innerText()).toMatch(new RegExp(`^of 50%\\s+${storms(FOUR)}$`));
    expect(stage.service.sent(query)).toHaveLength(4);

    await stage.service.start();
    await loadPlan(page, 4);
    await expect.poll(() => totalOf(page, query), { timeout: 30_000 }).toBe(storms(EIGHT));
    await page.getByText('The service doesn’t answer.').waitFor({ state: 'detached' });
    expect(stage.service.sent(query)).toHaveLength(8);
    await context.close();
  });

  it(
    'makes a run wait, which buys only the rest when the service is back',
    { tags: 'long' },
    async () => {
      const query = 'storm -stopped';
      const { page, context } = await visit(stage.browser, { serviceWorker: true });
      const held = stage.service.holdAfter(query, 3);
      await page.goto(stage.service.url + viewOf(query, EIGHT));
      await loadPlan(page, 8);
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
    },
  );

  it('delays the parts of the page that could not be loaded', { tags: 'long' }, async () => {
    const query = 'storm -parts';
    const { page, context } = await visit(stage.browser);
    let probes = 0;
    let files = 0;
    await page.route(/\/Insight-[^/]+\.js$/, (route) => {
      files += 1;
      return files === 1 ? route.abort() : route.continue();
    });
    await page.route(stage.service.url + '/', async (route) => {
      if (route.request().method() === 'HEAD') probes += 1;
      await (probes === 1 ? route.abort() : route.continue());
    });
    await page.goto(stage.service.url + viewOf(query, FOUR));
    await loadPlan(page, 4);
    expect(await totalOf(page, query)).toBe(storms(FOUR));
    expect(files).toBe(2);
    // The first fails, the second is before the parts whose file fails, the third before all of them.
    expect(probes).toBe(3);
    await context.close();
  });
});

describe('a platform that cannot be reached', () => {
  it(
    'is reported in words during a run, which fetches the rest when it is back',
    { tags: 'long' },
    async () => {
      const query = 'storm -cut';
      const { page, context } = await visit(stage.browser);
      const held = stage.service.holdAfter(query, 3);
      await page.goto(stage.service.url + viewOf(query, EIGHT));
      await loadPlan(page, 8);
      await held.reached;
      await stage.service.platform.refuse();
      held.release();
      await page.getByText(/the service cannot reach the platform, retrying in \d/).waitFor();
      await stage.service.platform.accept();
      await expect.poll(() => totalOf(page, query), { timeout: 60_000 }).toBe(storms(EIGHT));
      // Requests in flight when the connections broke may have been billed: they are recorded, and sent again.
      const spent = await page.evaluate(async (wanted) => {
        const answer = await fetch('/platform/spending');
        const { queries, uncertain } = (await answer.json()) as SpendingAnswer;
        const all = queries.find((each) => each.query === wanted)?.requests ?? 0;
        return { all, uncertain: uncertain.requests };
      }, query);
      expect(spent.all - spent.uncertain).toBe(8);
      // The request held up had reached the platform; the others may have.
      const reached = stage.service.sent(query).length;
      expect(reached).toBeGreaterThan(8);
      expect(reached).toBeLessThanOrEqual(spent.all);
      await context.close();
    },
  );
});
