import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import type { Related, Rising } from '#app/api/breakdown-api.ts';
import DiscoverPane from '#app/board/insight-panel/DiscoverPane.svelte';
import type { View } from '#app/board/state/view.ts';
import { ALL_POSTS } from '#app/board/state/board-options.ts';
import { Formatter } from '#app/format/formatter.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { Fault } from '#contract/fault.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { countedBoard } from '#tests/app/board/counted-board.ts';
import { WAIT } from '#tests/app/board/rig.ts';
import { mounted, textOf } from '#tests/support/browser/mounted.ts';

const item = (name: string, clause = name) => ({
  name,
  clause,
  alone: true,
  posts: 40,
  share: 0.2,
});
const RISING: Rising = {
  posts: 1234,
  bucket_ms: 86_400_000,
  start: '2026-06-01T00:00:00Z',
  words: [
    {
      ...item('recall'),
      peak: {
        start: '2026-06-09T00:00:00.000Z',
        end: '2026-06-10T00:00:00.000Z',
        posts: 90,
        expected: 9,
      },
      score: 12,
      counts: [9, 8, 90, 9],
    },
  ],
  hashtags: [],
  authors: [],
};
const RELATED: Related = {
  posts: 200,
  others: 5000,
  words: [{ ...item('latte'), expected: 2, likelihood: 90 }],
  phrases: [],
  hashtags: [{ ...item('#cafe'), expected: 0, likelihood: 70 }],
  cashtags: [],
  emoji: [],
};
const VIEW: View = {
  range: { from: '2026-06-01', to: '2026-08-31' },
  tab: 'discover',
  series: [
    { query: 'matcha', label: 'Matcha', hidden: false },
    { query: 'chai', label: '', hidden: false },
  ],
};

/** Mounts the tab; `answer` gives what the service says to a path. */
async function open(
  answer: (path: URL) => unknown = (path) =>
    path.pathname === '/sample/related' ? RELATED : RISING,
  view: View = VIEW,
) {
  await page.viewport(1440, 900);
  const { board } = await countedBoard(view);
  const asked: URL[] = [];
  const toasts = new Toasts(() => undefined);
  const client = {
    json: async (path: string) => {
      const url = new URL(path, 'http://test');
      asked.push(url);
      return await Promise.resolve({ data: answer(url) });
    },
    send: () => Promise.reject(new Error('not part of this test')),
  } as unknown as Parameters<typeof DiscoverPane>[1]['client'];
  const props = { board, format: new Formatter('en-GB'), client, toasts };
  const { target, end } = mounted(DiscoverPane, props);
  const button = (name: string): HTMLElement | undefined =>
    [...target.querySelectorAll<HTMLElement>('button, label')].find((each) =>
      textOf(each).startsWith(name),
    );
  return { board, asked, toasts, target, end, button };
}

describe('what rises', () => {
  it('is asked for the time in view, and a click adds it to the chart once', async () => {
    const { board, asked, toasts, target, button } = await open();
    await expect.poll(() => textOf(target), WAIT).toContain('searched over all 1,234 Posts');
    expect(asked.map(({ pathname, search }) => pathname + search)).toEqual([
      '/sample/rising?start_time=2026-06-01T00%3A00%3A00.000Z&end_time=2026-09-01T00%3A00%3A00.000Z',
    ]);
    expect(textOf(button('recall'))).toBe('recall 10× the usual · 9 Jun 2026');
    expect(await violationsIn(target)).toEqual([]);
    button('recall')?.click();
    flushSync();
    expect(board.series.all.map(({ query }) => query)).toEqual(['matcha', 'chai', 'recall']);
    button('recall')?.click();
    flushSync();
    expect(board.series.all).toHaveLength(3);
    expect(toasts.list.map((toast) => toast.text)).toEqual([
      'Added “recall”.',
      '“recall” is on the board.',
    ]);
  });

  it('is searched again in a zoom', async () => {
    const { board, asked } = await open();
    await expect.poll(() => asked.length, WAIT).toBe(1);
    board.time.zoom = { start: Date.UTC(2026, 6, 1), end: Date.UTC(2026, 6, 9) };
    board.time.rest();
    await expect
      .poll(() => asked.at(-1)?.searchParams.get('end_time'), WAIT)
      .toBe('2026-07-09T00:00:00.000Z');
  });

  it('says if there is nothing, if the time is too short, and if the service is away', async () => {
    const none = await open(() => ({ ...RISING, words: [] }));
    await expect.poll(() => textOf(none.target), WAIT).toContain('Nothing departs from its usual');
    await none.end();
    const short = await open(undefined, {
      ...VIEW,
      range: { from: '2026-06-01 00:00', to: '2026-06-01 09:00' },
    });
    await expect.poll(() => textOf(short.target), WAIT).toContain('Choose at least 14 hours.');
    expect(short.asked).toEqual([]);
    await short.end();
    let away = true;
    const back = await open(() => {
      if (!away) return RISING;
      throw new Fault(0, { type: UNREACHABLE, title: 'Unreachable', detail: 'away' });
    });
    await expect.poll(() => textOf(back.target), WAIT).toContain('The service doesn’t answer.');
    away = false;
    back.button('Retry')?.click();
    await expect.poll(() => textOf(back.target), WAIT).toContain('recall');
  });
});

describe('what is related to a series', () => {
  it('is counted with and without the series, and becomes a series, a filter or an exclusion', async () => {
    const { board, asked, target, button } = await open();
    button('Related to')?.click();
    await expect.poll(() => textOf(target), WAIT).toContain('compared with 5,000 others');
    expect(asked.at(-1)?.pathname).toBe('/sample/related');
    expect(asked.at(-1)?.searchParams.get('query')).toBe('matcha');
    expect(textOf(button('latte'))).toBe('latte 20% · 20× as often');
    expect(textOf(button('#cafe'))).toBe('#cafe 20% · almost only here');
    expect(await violationsIn(target)).toEqual([]);
    const menu = button('latte')?.closest('li');
    const entries = [...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    expect(entries.map(textOf)).toEqual(['Add as a series', 'Only with latte', 'Without latte']);
    for (const entry of entries) entry.click();
    flushSync();
    expect(board.series.all.slice(2).map(({ query, name }) => [query, name])).toEqual([
      ['latte', 'latte'],
      ['matcha latte', 'Matcha: latte'],
      ['matcha -latte', 'Matcha without latte'],
    ]);
  });

  it('begins with a series that has a query of its own, and says why all Posts have no others', async () => {
    const series = [ALL_POSTS, ...(VIEW.series ?? [])];
    const { board, asked, target, button } = await open(
      (path) => (path.searchParams.get('query') === 'matcha' ? RELATED : { ...RELATED, others: 0 }),
      { ...VIEW, series },
    );
    button('Related to')?.click();
    await expect.poll(() => textOf(target), WAIT).toContain('compared with 5,000 others');
    expect(asked.at(-1)?.searchParams.get('query')).toBe('matcha');
    board.related = board.series.all[0]?.id ?? null;
    await expect
      .poll(() => textOf(target), WAIT)
      .toContain('Every Post in this time matches All Posts');
    expect(textOf(target)).not.toContain('0 others');
  });

  it('can be asked of another series, and returns to what rises when that goes', async () => {
    const { board, asked, target } = await open();
    const [, chai] = board.series.all;
    board.related = chai?.id ?? null;
    await expect.poll(() => asked.at(-1)?.searchParams.get('query'), WAIT).toBe('chai');
    if (chai) board.series.remove(chai);
    await expect.poll(() => textOf(target), WAIT).toContain('searched over all');
  });
});
