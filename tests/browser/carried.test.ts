import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chooseExport,
  counted,
  drag,
  openBrowser,
  resolution,
  totalOf,
  visit,
} from '#tests/support/browser/browser.ts';
import { groundswell, serve } from '#tests/support/service/command.ts';
import { giveSample } from '#tests/support/run/made-data.ts';
import { temporaryFolder, type RunningService } from '#tests/support/service/process.ts';
import { threadEntry } from '#tests/support/service/threads.ts';

const VIEW =
  '/#source=posts&from=2024-01-01&to=2024-03-31&zone=Europe/Berlin&by=day&q=tea&name=Tea&q=coffee&name=Coffee&calc=1/%281%2B2%29&name=Part';
const POSTS = Array.from({ length: 900 }, (_, i) => {
  const at = new Date(Date.UTC(2024, 0, 1) + i * 8_500_000).toISOString();
  return `${i + 1},${at},ann,${i % 3 ? 'tea' : 'coffee'} ${i}\n`;
});

let browser: Browser;
let service: RunningService;
/** A service without posts. */
let bare: RunningService;
const folders = [temporaryFolder(), temporaryFolder()] as const;

beforeAll(async () => {
  const [data, none] = folders;
  const file = join(data, 'posts.csv');
  writeFileSync(file, `id,created_at,author,text\n${POSTS.join('')}`);
  expect(await groundswell('import', '--data', data, file)).toMatchObject({ code: 0 });
  for (const folder of folders) await giveSample(folder);
  const host = threadEntry();
  [service, bare] = await Promise.all([serve(data, { host }), serve(none, { host })]);
  browser = await openBrowser(service, bare);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), bare?.stop()]);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function bundleOf(page: Page): Promise<{ name: string; bytes: Buffer }> {
  const waiting = page.waitForEvent('download');
  await chooseExport(page, 'More', 'Bundle');
  const download = await waiting;
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(chunks) };
}

describe('a bundle', () => {
  it(
    'opens with the same counts on a service without posts, requests nothing, and is exported unchanged',
    { tags: 'long' },
    async () => {
      const from = await visit(browser);
      await from.page.goto(service.url + VIEW);
      const total = await totalOf(from.page, 'Tea');
      expect(total).toBeGreaterThan(400);
      const totals = (page: Page): Promise<string[]> =>
        page.locator('tbody tr > :nth-child(2)').allInnerTexts();
      const rows = await totals(from.page);
      const { name, bytes } = await bundleOf(from.page);
      expect(name).toMatch(/\.groundswell$/);

      const to = await visit(browser);
      await to.page.goto(bare.url);
      await counted(to.page);
      await drag(to.page, name, bytes.subarray(0, -40), 'drop');
      await to.page.getByText(/was not opened.*It is damaged or was cut off/).waitFor();
      await to.page.getByRole('heading', { name: 'Oat milk' }).waitFor();

      // The file input for boards accepts it as well.
      await to.page
        .getByLabel('File to open')
        .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes });
      expect(await totalOf(to.page, 'Tea')).toBe(total);
      expect(await totals(to.page)).toEqual(rows);
      await to.page.getByText('from a file: tea').waitFor();
      const again = await bundleOf(to.page);
      expect(again.name).toBe(name);
      expect(again.bytes.equals(bytes)).toBe(true);

      // A coarser resolution is summed from its counts.
      await resolution(to.page, 'Week');
      await expect.poll(() => totalOf(to.page, 'Tea')).toBe(total);
      // Requests of the sample shown before may still be running.
      expect(to.counts.filter((path) => !path.startsWith('/sample/'))).toEqual([]);
      expect([...from.complaints, ...to.complaints]).toEqual([]);
      await from.context.close();
      await to.context.close();
    },
  );
});
