import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { View } from '#app/board/state/view.ts';
// Imported so that it has loaded when a test opens it.
import '#app/editor/QueryEditor.svelte';
import '#app/editor/codemirror.ts';
import { plan } from './a-plan.ts';
import { DrawnRun } from './drawn-run.svelte.ts';
import { platformAnswer } from './platform-answer.ts';
import { NOW, rig, WAIT } from './rig.ts';

const query = (text: string, label = '') => ({ query: text, label, hidden: false });
const RANGE: View = { range: { from: '2026-06-01', to: '2026-07-31' }, resolution: 'day' };

let end = async (): Promise<void> => undefined;
/** Errors in the console and on the page. */
let errors: string[] = [];
const { error } = console;
const onError = (event: ErrorEvent): void => void errors.push(event.message);
beforeEach(() => {
  errors = [];
  console.error = (...parts: unknown[]): void => void errors.push(parts.join(' '));
  addEventListener('error', onError);
});
afterEach(async () => {
  await end();
  end = async () => undefined;
  console.error = error;
  removeEventListener('error', onError);
  expect(errors).toEqual([]);
});

/** Opens a page with queries, each with its own run. `pause` ends the pause after typing. */
async function editing(source: 'sample' | 'platform', queries: readonly string[]) {
  const runs = queries.map(() => new DrawnRun(NOW));
  for (const run of runs) run.quoted = plan({ all: 12, money: 0.12 });
  const acts: (() => void)[] = [];
  const { board, target, toasts, ...made } = await rig({
    platform: platformAnswer({}),
    view: { source, ...RANGE, series: queries.map((text) => query(text)) },
    runs: [...runs],
    later: (act) => acts.push(act),
  });
  ({ end } = made);
  flushSync();
  const row = (n: number): HTMLElement => {
    const found = target.querySelectorAll<HTMLElement>('[data-series]')[n];
    if (!found) throw new Error(`expected a row ${n}`);
    return found;
  };
  const box = (): HTMLElement | null => target.querySelector('[contenteditable="true"]');
  /** Waits until the editor is open and focused. */
  const typing = (): Promise<void> =>
    expect.poll(() => box() !== null && box() === document.activeElement, WAIT).toBe(true);
  return {
    typing,
    board,
    target,
    toasts,
    runs,
    row,
    box,
    pause: () => acts.splice(0).forEach((act) => act()),
    /** Distinct queries that a run has loaded. */
    loaded: (n: number): string[] => [...new Set(runs[n]?.needs.map((need) => need.query))],
    /** Opens the editor of a row. */
    async edit(n: number): Promise<void> {
      row(n).querySelector<HTMLElement>('.query')?.click();
      await typing();
    },
    shown: (n: number): { text: string; total: string; note: string } => ({
      text: (row(n).querySelector('.query, .cm-content')?.textContent ?? '').trim(),
      total: row(n).querySelector('.total')?.textContent ?? '',
      note: (row(n).querySelector('.pending')?.textContent ?? '').replaceAll(/\s+/g, ' ').trim(),
    }),
  };
}

describe('a query that is being edited', () => {
  it('returns to the last counted query on Escape, with its counts and without a request', async () => {
    const page = await editing('sample', ['tea', 'matcha']);
    const before = page.shown(0);
    expect(before).toMatchObject({ text: 'tea', total: expect.stringMatching(/\d/) });
    await page.edit(0);
    await userEvent.keyboard(' OR coffee');
    // The counts on the page do not belong to this text.
    expect(page.shown(0)).toMatchObject({ text: 'tea OR coffee', total: '' });
    await userEvent.keyboard('{Escape}');
    page.pause();
    await expect.poll(() => page.shown(0)).toEqual(before);
    expect(document.activeElement).toBe(page.row(0).querySelector('.query'));
    expect(page.loaded(0)).toEqual(['tea']);
    expect(page.board.series.all[0]?.shown).toBe('tea');
    expect(page.board.view().series?.map((series) => series.query)).toEqual(['tea', 'matcha']);
  });

  it('keeps its text on the first Escape, which closes the choices, and drops it on the second', async () => {
    const page = await editing('sample', ['tea']);
    await page.edit(0);
    await userEvent.keyboard(' la');
    await expect
      .poll(() => document.querySelector('.cm-tooltip-autocomplete [aria-selected]'), WAIT)
      .not.toBeNull();
    await userEvent.keyboard('{Escape}');
    expect(page.shown(0).text).toBe('tea la');
    await userEvent.keyboard('{Escape}');
    await expect.poll(() => page.shown(0).text).toBe('tea');
    page.pause();
    expect(page.loaded(0)).toEqual(['tea']);
  });

  it('is removed by Escape if it is new, and undo restores its text', async () => {
    const page = await editing('sample', ['tea']);
    page.board.series.add();
    flushSync();
    await page.typing();
    await userEvent.keyboard('{Escape}');
    expect([page.board.series.all.length, page.toasts.list.length]).toEqual([1, 0]);
    page.board.series.add();
    flushSync();
    await page.typing();
    await userEvent.keyboard('cocoa');
    await userEvent.keyboard('{Escape}');
    // The time of the message ends with the pause.
    const [removed] = page.toasts.list;
    page.pause();
    expect(page.board.series.all.map(({ text }) => text)).toEqual(['tea']);
    removed?.action?.act();
    flushSync();
    expect(page.board.series.all.map(({ text, shown }) => [text, shown])).toEqual([
      ['tea', 'tea'],
      ['cocoa', ''],
    ]);
  });

  it('requests nothing if its editor is removed while it has the focus', async () => {
    const page = await editing('sample', ['tea', 'matcha']);
    await page.edit(0);
    await userEvent.keyboard(' OR coffee');
    const [tea] = page.board.series.all;
    if (!tea) throw new Error('expected a series');
    page.board.series.remove(tea);
    flushSync();
    page.pause();
    await Promise.resolve();
    expect(page.loaded(0)).toEqual(['tea']);
    // A new board replaces this one.
    await page.edit(0);
    await userEvent.keyboard(' OR coffee');
    page.board.apply({ ...page.board.view(), series: [query('cocoa')] }, []);
    flushSync();
    page.pause();
    await Promise.resolve();
    expect(page.loaded(1)).toEqual(['matcha']);
    expect(page.board.series.all.map(({ text }) => text)).toEqual(['cocoa']);
  });

  it('is counted on blur if that costs nothing', async () => {
    const page = await editing('sample', ['tea', 'matcha']);
    await page.edit(0);
    await userEvent.keyboard(' OR coffee');
    await userEvent.click(page.row(1).querySelector('.query') ?? page.target);
    await expect.poll(() => page.loaded(0)).toEqual(['tea', 'tea OR coffee']);
    await expect
      .poll(() => page.shown(0))
      .toMatchObject({
        text: 'tea OR coffee',
        total: expect.stringMatching(/\d/),
      });
  });
});

describe('a query on a source that costs money', () => {
  it('is loaded only by Enter or by the button with its price', async () => {
    const page = await editing('platform', ['tea', 'matcha']);
    await page.edit(0);
    await userEvent.keyboard(' OR coffee');
    const button = (): HTMLButtonElement | null => page.row(0).querySelector('.pending button');
    await expect.poll(() => button()?.textContent, WAIT).toBe('Enter to load · $0.12');
    expect(page.shown(0)).toMatchObject({
      total: '',
      note: 'Enter to load · $0.12 Still showing tea.',
    });
    page.pause();
    page.box()?.blur();
    dispatchEvent(new Event('blur'));
    document.dispatchEvent(new Event('visibilitychange'));
    page.row(1).querySelector<HTMLElement>('.query')?.click();
    await expect.poll(() => page.box()?.textContent, WAIT).toBe('matcha');
    page.board.choosePreset('30d');
    page.board.chooseZone('Asia/Tokyo');
    page.board.refresh();
    flushSync();
    // The typed text and its price stay.
    await expect.poll(() => page.shown(0).note, WAIT).toBe('Load · $0.12 Still showing tea.');
    expect(page.shown(0)).toMatchObject({ text: 'tea OR coffee', total: '' });
    expect(page.loaded(0)).toEqual(['tea']);
    button()?.click();
    flushSync();
    expect(page.loaded(0)).toEqual(['tea', 'tea OR coffee']);
    expect(page.shown(0)).toMatchObject({ total: expect.stringMatching(/\d/), note: '' });

    await userEvent.keyboard(' OR cocoa');
    page.pause();
    expect(page.loaded(1)).toEqual(['matcha']);
    await userEvent.keyboard('{Enter}');
    expect(page.loaded(1)).toEqual(['matcha', 'matcha OR cocoa']);
  });
});
