import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time/span.ts';
import { coverageTable, NO_COLLECTION } from '#server/posts/store/coverage.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { counted, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { giveTinySample, writePosts } from '#tests/support/service/service.ts';

/** Fills Your posts with three Posts an hour for 150 days, up to the present, which they cover from then on. */
function giveUsualPosts(file: string): void {
  const size = 150 * 24 * 3;
  const first = Date.now() - size * 20 * MINUTE_MS;
  const posts = Array.from({ length: size }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: first + i * 20 * MINUTE_MS,
    text: 'oat milk',
  }));
  writePosts(file, posts);
  const db = openPosts(file, { random: (n) => randomBytes(n) });
  db.write('posted', () =>
    coverageTable(db).created([NO_COLLECTION], { id: 0n, createdAt: first }),
  );
  db.close();
}

describe('an alert', { tags: 'long' }, () => {
  const stage = ownStage(
    (folder) => {
      giveTinySample(folder);
      giveUsualPosts(join(folder, 'posts.sqlite'));
      return Promise.resolve();
    },
    { args: ['--allow-private'] },
  );
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.end();
    });
  });
  beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void receiver.close());

  it('that is made in the menu of a topic reaches a receiver and the page, where it leads to its event', async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(`${stage.service.url}/#source=posts&range=3y&zone=UTC&by=day&q=milk`);
    await counted(page);
    await page.getByRole('button', { name: 'Actions of milk' }).click();
    await page.getByRole('menuitem', { name: 'Alert me…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Alert me about “milk”' });
    await dialog.getByText('It would not have rung in the last 13 weeks.').waitFor();
    await dialog.getByRole('button', { name: 'Also send to…' }).click();
    const { port } = receiver.address() as AddressInfo;
    await page.keyboard.type(`http://127.0.0.1:${port}/hook`);
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await expect.poll(() => bodies[0]).toContain('This is a test of the alert “milk”.');
    await dialog.getByRole('button', { name: 'Done' }).click();

    const now = Date.now();
    const rows = Array.from(
      { length: 90 },
      (_, i) => `${1_000_000 + i},${new Date(now - i * 10).toISOString()},eve,oat milk`,
    );
    const file = join(stage.service.data, 'burst.csv');
    writeFileSync(file, `id,created_at,author,text\n${rows.join('\n')}\n`);
    expect(await groundswell('import', '--data', stage.service.data, file)).toMatchObject({
      code: 0,
    });
    await expect.poll(() => bodies[1]).toMatch(/milk is (already )?at \d+ times its usual/);
    const { messages } = JSON.parse(bodies[1] ?? '') as { messages: { url: string }[] };
    const linked = await context.newPage();
    await linked.goto(messages[0]?.url ?? '');
    await counted(linked);
    await linked.getByRole('button', { name: 'Actions of milk' }).waitFor();
    expect(linked.url()).toContain('zoom=');
    await linked.close();
    await page.getByRole('button', { name: '1 unread message of alerts' }).click();
    const message = page.getByRole('list', { name: 'Messages' }).getByRole('button');
    await message.getByText(/times its usual/).waitFor();
    await page.getByText('at most about once a week.').waitFor();
    await page.getByRole('button', { name: /unread message/ }).waitFor({ state: 'detached' });
    expect(await axe(page)).toEqual([]);
    await message.click();
    await expect.poll(() => page.url()).toContain('zoom=');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
