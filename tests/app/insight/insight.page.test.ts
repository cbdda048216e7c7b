import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { Tab, View } from '#app/board/state/view.ts';
import { DAY_MS } from '#core/time/span.ts';
import { DrawnRun } from '../board/drawn-run.svelte.ts';
import { platformAnswer } from '../board/platform-answer.ts';
import { NOW, rig, WAIT } from '../board/rig.ts';
import { pairOf } from '#tests/core/series/formulas.ts';
import { textOf } from '#tests/support/browser/mounted.ts';

const VIEW: View = {
  range: { from: '2026-05-01', to: '2026-10-31' },
  resolution: 'week',
  series: [
    { query: 'matcha', label: 'Matcha', hidden: false },
    { query: 'chai', label: 'Chai', hidden: false },
    { query: 'mate', label: 'Mate', hidden: true },
    { query: '', label: 'Part', hidden: false, formula: pairOf('part', 1, 2) },
  ],
};

async function openTab(tab: Tab, over: Partial<Parameters<typeof rig>[0]> = {}) {
  const runs = [new DrawnRun(NOW), new DrawnRun(NOW), new DrawnRun(NOW)] as const;
  const made = await rig({
    platform: platformAnswer({}),
    view: { ...VIEW, tab },
    runs,
    ...over,
  });
  await expect.poll(() => made.target.querySelector('.numbers table'), WAIT).not.toBeNull();
  return { ...made, runs };
}
const named = (target: ParentNode, name: string): HTMLButtonElement | undefined =>
  [...target.querySelectorAll<HTMLButtonElement>('.numbers button')].find((each) =>
    textOf(each).startsWith(name),
  );
const rowsOf = (target: ParentNode): string[] =>
  [...target.querySelectorAll('.numbers tbody th')].map(textOf);

describe('the summary', () => {
  it('sorts by a clicked heading, then in reverse, then in the order of the list', async () => {
    const { target } = await openTab('summary');
    const list = ['Matcha', 'Chai', 'Mate hidden', 'Part computed'];
    expect(rowsOf(target)).toEqual(list);
    named(target, 'Series')?.click();
    flushSync();
    expect(rowsOf(target)).toEqual(['Chai', 'Matcha', 'Mate hidden', 'Part computed']);
    expect(target.querySelector('[aria-sort]')?.getAttribute('aria-sort')).toBe('ascending');
    named(target, 'Series')?.click();
    flushSync();
    expect(rowsOf(target)).toEqual(['Part computed', 'Mate hidden', 'Matcha', 'Chai']);
    named(target, 'Series')?.click();
    flushSync();
    expect(rowsOf(target)).toEqual(list);
  });

  it('says of a quiet zoom that it has no Posts, and leads back to the range that has some', async () => {
    const [series] = VIEW.series ?? [];
    const spring = new DrawnRun(NOW, undefined, (_, start) => (start < Date.UTC(2026, 5) ? 5 : 0));
    const { target, board } = await openTab('summary', {
      view: { ...VIEW, source: 'sample', tab: 'summary', series: series ? [series] : [] },
      runs: [spring],
    });
    const status = (): HTMLElement | null => target.querySelector('p.none');
    board.time.fine = 'off';
    board.time.zoom = { start: Date.UTC(2026, 8, 1), end: Date.UTC(2026, 8, 20) };
    board.time.rest();
    await expect.poll(() => textOf(status()), WAIT).toBe('None in this zoom. Show the whole range');
    expect(target.textContent).not.toContain('No Posts for');
    status()?.querySelector('button')?.click();
    flushSync();
    expect([board.time.zoom, status()]).toEqual([null, null]);
  });

  it('shows a part’s total as a quotient of sums, here and in the list', async () => {
    const { target, board } = await openTab('summary');
    const [matcha, chai, , part] = board.series.all;
    const sums = [matcha, chai].map((series) => series?.summary?.total ?? 0);
    const share = (sums[0] ?? 0) / ((sums[0] ?? 0) + (sums[1] ?? 0));
    expect(part?.summary).toMatchObject({ unit: 'part', total: share });
    const shown = `${(share * 100).toFixed(1).replace('.0', '')}%`;
    const row = [...target.querySelectorAll('.numbers tbody tr')][3];
    expect(textOf(row?.querySelector('td'))).toBe(shown);
    expect(textOf(target.querySelector(`[data-series="${part?.id}"] .total`))).toBe(shown);
    expect(row?.querySelector('td.none')?.textContent).toMatch(/Computed/);
  });
});

describe('the heat map', () => {
  it('shows hours that the chart does not, and how often each occurred', async () => {
    const { target, board } = await openTab('heat');
    // May to October 2026 has 26 Sundays; on the last one in October the hour 02 occurs twice.
    await expect
      .poll(
        () =>
          target.querySelectorAll('.numbers tbody tr:nth-child(7) td')[2]?.getAttribute('title'),
        WAIT,
      )
      .toMatch(/^Sun 02–03: [\d.]+ Posts a time, 27 times$/);
    const fine = board.series.all[0]?.fine;
    expect(fine instanceof DrawnRun && fine.needs.at(-1)?.resolution).toBe('hour');
  });

  it('reads only stored counts until the user agrees to the cost', async () => {
    const { target, board } = await openTab('heat');
    await expect.poll(() => board.series.all[1]?.fine?.curve, WAIT).not.toBeUndefined();
    const fine = board.series.all[0]?.fine;
    if (!(fine instanceof DrawnRun)) throw new Error('expected a run of hours');
    expect(fine.calls).toEqual(['peek']);
    expect(named(target, 'Get the hours')).toBeUndefined();
    const leftOut = () => [...target.querySelectorAll('.numbers p')].map(textOf).join(' ');
    expect(leftOut()).not.toContain('left out');
    fine.patch((start) => (start < NOW - 160 * DAY_MS ? 'never' : 'settled'));
    flushSync();
    expect(leftOut()).toMatch(/hours are left out, because they are not complete\.$/);
    const offer = named(target, 'Get the hours');
    expect(textOf(offer)).toMatch(/^Get the hours still missing \(about \d pages? for \$0\.0\d\)$/);
    const before = fine.needs.length;
    offer?.click();
    await expect.poll(() => fine.needs.length, WAIT).toBe(before + 1);
    expect(fine.calls).toEqual(['peek']);
  });

  it('loads hours that cost nothing, of one series or of all', async () => {
    const { target, board } = await openTab('heat', {
      view: { ...VIEW, source: 'sample', tab: 'heat' },
    });
    await expect.poll(() => board.series.all[1]?.fine?.curve, WAIT).not.toBeUndefined();
    const fine = board.series.all[0]?.fine;
    expect(fine instanceof DrawnRun && fine.calls).toEqual([]);
    const select = target.querySelector<HTMLSelectElement>('.numbers select');
    if (!select) throw new Error('expected a choice of series');
    expect([...select.options].map(({ text: name }) => name)).toEqual([
      'Matcha',
      'Chai',
      'All series',
    ]);
    select.value = 'all';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    flushSync();
    expect(target.querySelectorAll('.numbers table')).toHaveLength(2);
  });
});

describe('the calendar', () => {
  it('moves from day to day with arrow keys, and zooms to a clicked day', async () => {
    const { target, board } = await openTab('calendar');
    const table = target.querySelector('.numbers table');
    const home = table?.querySelector<HTMLElement>('button[tabindex="0"]');
    expect(table?.querySelectorAll('button[tabindex="0"]')).toHaveLength(1);
    expect(home?.title).toMatch(/^Fri, 1 May 2026: [\d,]+ Posts$/);
    home?.focus();
    for (const key of ['ArrowDown', 'ArrowRight']) {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      flushSync();
    }
    const day = document.activeElement as HTMLElement;
    expect(day.title).toMatch(/^Sat, 9 May 2026/);
    day.click();
    flushSync();
    const start = Date.parse('2026-05-09T00:00+02:00');
    expect(board.time.zoom).toEqual({ start, end: start + DAY_MS });
    expect(target.querySelectorAll('.numbers .seen')).toHaveLength(1);
  });
});
