import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time/span.ts';
import { openFinder } from '#server/api/news/finder-thread.ts';
import { openNews } from '#server/api/news/news.ts';
import { openService } from '#server/auth/store.ts';
import { openSource } from '#server/posts/index/source.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { FIRE_BEFORE_MS, firePosts, usualPosts } from '#tests/support/data/stories.ts';
import { writePosts } from '#tests/support/service/service.ts';
import { here } from '#tests/support/service/threads.ts';

const END = Date.parse('2026-11-20T00:00:00Z');
const FIRE = END - FIRE_BEFORE_MS;
const random = (n: number): Uint8Array => randomBytes(n);

it('reports a story once, however it grows, and only after its Posts came', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-news-'));
  const file = join(folder, 'posts.sqlite');
  const fire = firePosts(FIRE);
  writePosts(file, [
    ...usualPosts(END, 35).filter(({ createdAt }) => Number(createdAt) < FIRE),
    ...fire,
  ]);
  const service = openService(join(folder, 'service.sqlite'), { random });
  const source = { id: 'posts' as const, ...openSource(file, { random }) };
  const finder = openFinder(here, { posts: file, sample: file });
  const slices = new Slices(() => performance.now());
  const news = openNews({ source: () => source, service, finder, slices });
  const { signal } = new AbortController();
  const known = new Set<string>();
  const reported: { minute: number; name: string }[] = [];
  try {
    for (let minute = 0; minute <= 60; minute += 3) {
      const now = FIRE + minute * MINUTE_MS;
      const found = await news.fresh('posts', (id) => known.has(id), now, signal);
      for (const { ids, name } of found ?? []) {
        for (const id of ids) known.add(id);
        reported.push({ minute, name });
      }
    }
    expect(reported).toHaveLength(1);
    expect(reported[0]?.minute).toBeGreaterThan(10);
    expect(reported[0]?.minute).toBeLessThan(30);
    expect(reported[0]?.name).toMatch(/harbour/);
  } finally {
    await finder.close();
    source.close();
    service.close();
    rmSync(folder, { recursive: true });
  }
});
