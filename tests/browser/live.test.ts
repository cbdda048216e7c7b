import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { floorTo } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { coverageTable, NO_COLLECTION } from '#server/posts/store/coverage.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { openBrowser, totalOf, visit } from '#tests/support/browser/browser.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { serveProcess, temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample, writePosts } from '#tests/support/service/service.ts';

const EARLIER = 100;

/** Fills Your posts with a Post an hour up to the present, which they cover from then on. */
function fill(data: string): void {
  giveTinySample(data);
  const first = Date.now() - EARLIER * HOUR_MS;
  const file = join(data, 'posts.sqlite');
  const posts = Array.from({ length: EARLIER }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: first + i * HOUR_MS,
    text: 'oat milk',
  }));
  writePosts(file, posts);
  const db = openPosts(file, { random: (n) => randomBytes(n) });
  db.write('posted', () =>
    coverageTable(db).created([NO_COLLECTION], { id: 0n, createdAt: first }),
  );
  db.close();
}

test(
  'a created Post moves the curve and the open drawer of every tab, and what happened while the service was away is repaired',
  { tags: 'long' },
  async () => {
    const data = temporaryFolder();
    fill(data);
    const command = ['token', 'user', '--name', 'alice', '--data', data];
    const token = (await groundswell(...command)).out.trim();
    let service = await serveProcess(data);
    const { url } = service;
    const browser = await openBrowser(service);
    const post = async (text: string): Promise<void> => {
      const answer = await fetch(`${url}/2/tweets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      });
      expect(answer.status).toBe(201);
    };
    const { page, context, complaints } = await visit(browser);
    const streams: string[] = [];
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/live') streams.push(request.method());
    });
    const today = floorTo(Date.now(), 'day');
    const day = [today, today + DAY_MS]
      .map((at) => new Date(at).toISOString().replace(':00.000', ''))
      .join('/');
    const view = `#source=posts&range=7d&zone=UTC&by=day&live=1&q=milk&at=1@${day}`;
    await page.goto(`${url}/${view}`);
    expect(await totalOf(page, 'milk')).toBe(EARLIER);
    await page.getByTitle('Counts move as Posts arrive.').waitFor();
    const other = await context.newPage();
    await other.goto(`${url}/#source=posts&range=7d&zone=UTC&by=hour&live=1&q=milk`);
    await other.getByTitle('Counts move as Posts arrive.').waitFor();

    const drawer = page.getByRole('complementary');
    const list = drawer.getByRole('listitem');
    await list.first().waitFor();
    await drawer.getByRole('radio', { name: 'Newest' }).click();
    await list.first().waitFor();
    await post('oat milk, live');
    const has = (tab: typeof page, count: number) =>
      expect
        .poll(() => totalOf(tab, 'milk'), { timeout: 8000, interval: 50 })
        .toBe(EARLIER + count);
    await has(page, 1);
    await has(other, 1);
    expect(streams).toHaveLength(1);
    // The list stays as it is until its reader wants more.
    expect(await drawer.getByText('oat milk, live').count()).toBe(0);
    await drawer.getByRole('button', { name: 'Show 1 new Post' }).click();
    await drawer.getByText('oat milk, live').waitFor();
    expect(await drawer.getByRole('button', { name: /new Post/ }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
    expect(complaints).toEqual([]);

    service.process.kill('SIGKILL');
    await service.ended;
    const { port } = new URL(url);
    service = await serveProcess(data, {}, ['--port', port]);
    await post('oat milk, while the page was not connected');
    await has(page, 2);
    await has(other, 2);
    await drawer.getByRole('button', { name: 'Show 1 new Post' }).waitFor();

    await page.keyboard.press('l');
    await page.getByTitle('Counts move as Posts arrive.').waitFor({ state: 'detached' });
    await post('milk while the first tab is paused');
    await has(other, 3);
    expect(await totalOf(page, 'milk')).toBe(EARLIER + 2);
    await browser.close();
    await service.stop();
    rmSync(data, { recursive: true, force: true });
  },
);
