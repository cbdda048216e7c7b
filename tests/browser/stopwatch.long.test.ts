import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright';
import { describe, expect, it } from 'vitest';
import { snowflake } from '#core/import/id.ts';
import { DAY_MS } from '#core/time/span.ts';
import { fileOf, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { giveTinySample } from '#tests/support/service/service.ts';
import { usualPosts } from '#tests/support/data/stories.ts';
import { toolFile, TOOLS, type ExportedPost } from '#tests/support/data/tool-files.ts';

/** The limits for a user who has an export and needs a slide. */
const MOST_CLICKS = 8;
const MOST_SECONDS = 60;

const END = Date.UTC(2026, 5, 1);
const DAYS = 100;
const FIRE = END - 40 * DAY_MS;

/** A hundred usual days, one of which has a fire in most of its Posts. */
function exported(): ExportedPost[] {
  const usual = usualPosts(END, DAYS).map(({ createdAt, text = '' }) => ({
    at: Number(createdAt),
    text,
  }));
  const fire = Array.from({ length: 900 }, (_, i) => ({
    at: FIRE + i * 60_000,
    text: `Smoke over Nordvik, stay away from the old warehouses ${i} #harbourfire`,
  }));
  return [...usual, ...fire]
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }, i) => ({
      id: snowflake(at, i % 4096),
      at,
      author: `user_${i % 300}`,
      name: `User ${i % 300}`,
      text,
    }));
}

describe('the export of any tool becomes a slide that names the cause', () => {
  expect(TOOLS).toHaveLength(12);
  const posts = exported();

  describe.each(TOOLS)('of %s', (tool) => {
    const stage = ownStage((data) => Promise.resolve(giveTinySample(data)));

    it(`in ${MOST_CLICKS} clicks and ${MOST_SECONDS} seconds`, { tags: 'long' }, async () => {
      const { page, complaints, context } = await visit(stage.browser);
      await page.goto(stage.service.url);
      const choose = page.getByRole('button', { name: 'Import your posts' }).first();
      await choose.waitFor();
      let clicks = 0;
      const click = async (what: Locator): Promise<void> => {
        clicks += 1;
        await what.click();
      };
      const began = performance.now();
      const chooser = page.waitForEvent('filechooser');
      await click(choose);
      const file = { name: `${tool}.csv`, mimeType: 'text/csv' };
      const buffer = Buffer.from(toolFile(tool, posts));
      await (await chooser).setFiles([{ ...file, buffer }]);
      await click(page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }));
      await click(page.locator('.peak.dot', { hasText: '#harbourfire' }));
      const drawer = page.getByRole('complementary').filter({ hasText: 'What it was about' });
      await click(drawer.getByRole('button', { name: 'Put on a slide' }));
      const saved = page.waitForEvent('download');
      await click(page.getByRole('button', { name: 'Save SVG' }));
      const slide = readFileSync(await fileOf(await saved), 'utf8');
      const seconds = (performance.now() - began) / 1000;
      for (const text of ['What it was about: ', '>#harbourfire<']) expect(slide).toContain(text);
      expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
      expect(seconds).toBeLessThanOrEqual(MOST_SECONDS);
      expect(complaints).toEqual([]);
      await context.close();
    });
  });
});
