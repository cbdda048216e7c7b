import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { cdp, page, userEvent } from 'vitest/browser';
import App from '#app/App.svelte';
import { ActingAccount } from '#app/api/acting-account.svelte.ts';
import { Clock } from '#app/board/state/clock.svelte.ts';
import { ExportActions } from '#app/board/files/export-actions.svelte.ts';
import type { PeakInspector } from '#app/board/state/peak-inspector.svelte.ts';
import type { Live } from '#app/board/state/live.svelte.ts';
import { Onboarding } from '#app/board/state/onboarding.svelte.ts';
import { browserIo } from '#app/export/browser-io.ts';
import { Formatter } from '#app/format/formatter.ts';
// Imported so that the test's server bundles what the page loads lazily.
import '#app/chart/draw/echarts.ts';
import '#app/settings/SettingsDialog.svelte';
import '#app/ui/base.css';
import '#app/ui/print.css';
import { Printing } from '#app/ui/printing.svelte.ts';
import { Theme } from '#app/ui/theme.svelte.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import '#app/ui/tokens.css';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { ANSWER, CACHED, PLATFORM, SPENDING } from '#tests/app/settings/examples.ts';
import { MemoryInventory, MemoryPlatformApi, memoryStorage } from '#tests/app/settings/fakes.ts';
import { quietImports } from '#tests/app/import/quiet-import.ts';
import { mounted } from '#tests/support/browser/mounted.ts';
import { boardOf, given, NOW, sourceOf } from './counted-board.ts';
import { DrawnRun } from './drawn-run.svelte.ts';
import { NO_STREAM } from '#tests/app/board/no-stream.ts';

const WAIT = { timeout: 60_000 };

/** @param onmounted - Called before any part of the page has loaded. */
async function openPage(platform = false, onmounted = (): void => undefined) {
  const api = new MemoryPlatformApi(ANSWER, SPENDING);
  const later = (act: () => void, ms: number): unknown => setTimeout(act, ms);
  const toasts = new Toasts(later);
  const paint = (dark: boolean): void => {
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
  };
  const themeState = new Theme(window, null, paint);
  themeState.choose('light');
  const noPosts = sourceOf('posts', { posts: 0, first: null, last: null, coverage: [] });
  const { board } = boardOf(() => new DrawnRun(NOW), {
    sources: given(noPosts, sourceOf('sample'), ...(platform ? [PLATFORM] : [])),
    platform: () => api.answer(),
    zone: 'Europe/Berlin',
    later,
  });
  const copied: string[] = [];
  const printed: boolean[] = [];
  const copy = (text: string): Promise<void> => {
    copied.push(text);
    return Promise.resolve();
  };
  const props = {
    board,
    onboarding: new Onboarding(null),
    printing: new Printing(window, () => undefined),
    imports: quietImports,
    theme: themeState,
    toasts,
    copy,
    locale: 'en-GB',
    settings: {
      inventory: new MemoryInventory(CACHED),
      platform: api,
      storage: memoryStorage(true),
      client: {
        json: () => Promise.reject(new Error('not part of this test')),
        send: () => Promise.reject(new Error('not part of this test')),
      },
      acting: new ActingAccount(null, () => undefined),
      copy,
    },
    browserZone: 'Europe/Berlin',
    live: (Made: typeof Live) =>
      new Made(board, {
        visible: () => true,
        changes: () => Promise.resolve([]),
        ...NO_STREAM,
      }),
    inspector: (Made: typeof PeakInspector) =>
      new Made(board, {
        search: () => Promise.resolve({ posts: [], next: null }),
        client: { json: () => Promise.reject(new Error('not part of this test')) },
        acting: { id: null },
        run: () => new DrawnRun(NOW),
        later: (act: () => void) => void setTimeout(act),
      }),
    clock: new Clock(
      () => NOW,
      () => undefined,
      () => false,
    ),
    exports: new ExportActions(board, toasts, {
      ...browserIo(new MemoryInventory(CACHED), { storage: null, locale: undefined }),
      copy: async (made) => copy((await made).text),
      print: () => printed.push(board.series.all.some(({ busy }) => busy)),
    }),
    format: new Formatter('en-GB'),
    link: () => 'https://example.test/#here',
  };
  const { target } = mounted(App, props, { tag: 'div' });
  target.id = 'app';
  onmounted();
  await page.viewport(1280, 800);
  await board.loadSources();
  await expect.poll(() => target.querySelector('canvas'), WAIT).not.toBeNull();
  return { board, target, copied, printed, toasts };
}

const button = (root: ParentNode, name: string): HTMLElement => {
  const found = [...root.querySelectorAll<HTMLElement>('button, [role=menuitem]')].find(
    (each) =>
      (each.ariaLabel ?? each.innerText).trim().startsWith(name) && each.offsetParent !== null,
  );
  if (!found) throw new Error(`expected a button “${name}”`);
  return found;
};

const key = (on: EventTarget, name: string): void => {
  on.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
  flushSync();
};

describe('the page', () => {
  it('describes the chart, and every bucket on key presses', async () => {
    const { board, target } = await openPage();
    const description = (): string =>
      target.querySelector('[role=img]')?.getAttribute('aria-label') ?? '';
    // The description appears after the first curve.
    await expect
      .poll(description)
      .toMatch(/^Posts a day, .* Berlin\. Oat milk: [\d,]+ Posts, highest [\d,]+ on /);
    const chart = target.querySelector('[role=application]') as HTMLElement;
    key(chart, 'End');
    key(chart, 'ArrowLeft');
    // The live region appears after the first curve.
    const announced = (): string => chart.querySelector('[aria-live]')?.textContent ?? '';
    await expect.poll(announced).toMatch(/2026: .*Matcha \d+/);
    key(chart, '+');
    expect(board.time.zoom).not.toBeNull();
    key(chart, 'Escape');
    key(chart, 'Escape');
    expect(board.time.zoom).toBeNull();
  });

  it('says what it found in the figures of the table, and leads to them', async () => {
    const { target } = await openPage();
    const heading = (): HTMLElement | null => target.querySelector('.finding h2');
    await expect.poll(() => heading()?.textContent ?? '', WAIT).not.toBe('');
    const said = target.querySelector<HTMLElement>('.finding')?.innerText ?? '';
    const facts = [
      ...target.querySelectorAll<HTMLElement>('.numbers tbody td'),
      ...target.querySelectorAll<HTMLElement>('.numbers tbody td [title]'),
    ].map((each) => `${each.innerText} ${each.title}`);
    button(target, 'Peaks').click();
    await expect.poll(() => target.querySelector('.numbers ol'), WAIT).not.toBeNull();
    const shown = [...facts, target.querySelector<HTMLElement>('.numbers ol')?.innerText].join(' ');
    for (const [figure] of said.matchAll(/\d[\d,.]*/g)) {
      expect(shown).toContain(figure.replace(/[,.]$/, ''));
    }
    const buttons = [...target.querySelectorAll<HTMLElement>('.finding button')];
    expect(buttons.length).toBeGreaterThan(0);
    expect(buttons.length).toBeLessThanOrEqual(3);
    buttons[0]?.click();
    const led = (): boolean =>
      document.activeElement?.matches('.numbers tr') === true ||
      target.querySelector('.drawer') !== null;
    await expect.poll(led, WAIT).toBe(true);
  });

  it('adds a series with N, and removes one with undo', async () => {
    const { board, target, toasts } = await openPage();
    key(window, 'n');
    expect(board.series.all).toHaveLength(4);
    await expect.poll(() => document.activeElement?.matches('[contenteditable]'), WAIT).toBe(true);
    // Keys typed in the editor are not shortcuts of the board.
    if (document.activeElement) key(document.activeElement, 'n');
    expect(board.series.all).toHaveLength(4);
    button(target, 'Actions of Matcha').click();
    await expect.poll(() => target.querySelector(':popover-open'), WAIT).not.toBeNull();
    button(target, 'Remove').click();
    flushSync();
    expect(board.series.all.map((series) => series.name)).not.toContain('Matcha');
    expect(toasts.list[0]?.text).toBe('Removed “Matcha”.');
    button(target, 'Undo').click();
    expect(board.series.all[1]?.name).toBe('Matcha');
  });

  it('hides a series from the chart and from the files', async () => {
    const { target } = await openPage();
    const names = (): string[] =>
      [...target.querySelectorAll('.chart .name')].map((name) => name.textContent ?? '');
    await expect.poll(names, WAIT).toEqual(['Oat milk', 'Matcha', 'Cold brew']);
    key(button(target, 'Edit the query matcha'), 'h');
    flushSync();
    expect(names()).toEqual(['Oat milk', 'Cold brew']);
    button(target, 'Show Matcha').click();
    flushSync();
    expect(names()).toEqual(['Oat milk', 'Matcha', 'Cold brew']);
  });

  it('moves, shows alone and removes the series of the focused row by keys', async () => {
    const { board, target } = await openPage();
    await expect.poll(() => target.querySelectorAll('.chart .name').length, WAIT).toBe(3);
    const row = (): HTMLElement => button(target, 'Edit the query matcha');
    const after = (event: KeyboardEventInit): string[] => {
      row().focus();
      row().dispatchEvent(new KeyboardEvent('keydown', { ...event, bubbles: true }));
      flushSync();
      return board.series.visible.map(({ name }) => name);
    };
    const moved = ['Oat milk', 'Cold brew', 'Matcha'];
    expect(after({ key: 'ArrowDown', altKey: true })).toEqual(moved);
    await expect.poll(() => document.activeElement).toBe(row());
    expect(after({ key: 's' })).toEqual(['Matcha']);
    expect(after({ key: 's' })).toEqual(moved);
    expect(after({ key: 'Delete' })).toEqual(['Oat milk', 'Cold brew']);
  });

  it('has the series as chips, and one line that says how they are drawn, on a phone', async () => {
    const { board, target } = await openPage();
    await page.viewport(390, 844);
    await expect.poll(() => button(target, 'Chart options').matches(':enabled'), WAIT).toBe(true);
    const chip = button(target, board.series.all[0]?.name ?? '');
    chip.click();
    expect(board.series.all[0]?.hidden).toBe(true);
    chip.click();
    const choose = async (menu: string, entry: string): Promise<void> => {
      button(target, menu).click();
      await expect.poll(() => target.querySelector(':popover-open'), WAIT).not.toBeNull();
      button(target.querySelector(':popover-open')!, entry).click();
      flushSync();
    };
    await choose('Form:', 'Bars');
    await choose('Width:', 'Week');
    board.chooseComparison('year');
    flushSync();
    expect([board.chart.form, board.time.resolution]).toEqual(['bars', 'week']);
    const sentence = (): string =>
      target.querySelector<HTMLElement>('.sentence')?.innerText.replaceAll(/\s+/g, ' ') ?? '';
    expect(sentence()).toMatch(/^Bars · weeks · vs. the year before ·/);
    await choose('Comparison:', 'Off');
    await choose('Width:', 'Auto');
    expect(sentence()).toMatch(/^Bars · \w+ ·/);
    expect(board.time.chosenResolution).toBeNull();
  });

  it('sets a forecast, a trend line and a target in the options, and keeps a wrong one', async () => {
    const { board, target } = await openPage();
    // Two series of one name are two denominators.
    board.series.duplicate(board.series.all[0]!);
    flushSync();
    await expect.poll(() => button(target, 'Chart options').matches(':enabled'), WAIT).toBe(true);
    button(target, 'Chart options').click();
    await expect.poll(() => target.querySelector('#view-show'), WAIT).not.toBeNull();
    expect(
      target.querySelector<HTMLElement>('#view-show')?.innerText.match(/Per 100,000/g),
    ).toHaveLength(4);
    const field = (name: string): HTMLInputElement => {
      const found = [...target.querySelectorAll<HTMLInputElement>('.options input')].find((each) =>
        (each.ariaLabel ?? each.labels?.[0]?.innerText.trim() ?? '').startsWith(name),
      );
      if (!found) throw new Error(`expected a field “${name}”`);
      return found;
    };
    const type = (name: string, text: string): void => {
      const input = field(name);
      input.value = text;
      for (const kind of ['input', 'change'])
        input.dispatchEvent(new Event(kind, { bubbles: true }));
      flushSync();
    };
    field('Forecast').click();
    field('Trend line').click();
    flushSync();
    type('Target', '5,000');
    type('Label of the target', 'Goal');
    const goal = { value: 5000, label: 'Goal', per: board.time.resolution };
    const set = { forecast: true, trendline: true, target: goal };
    expect(board.view()).toMatchObject(set);
    const said = (): string => target.querySelector<HTMLElement>('.options .why')?.innerText ?? '';
    type('Target', 'many');
    expect([said(), field('Target').value, board.chart.target?.value]).toEqual([
      '“many” is not a number. Enter a number like 0.5 or 25.',
      'many',
      5000,
    ]);
    expect(field('Target').ariaInvalid).toBe('true');
    board.chart.form = 'share';
    board.chart.target = { value: 70, label: '' };
    flushSync();
    expect(field('Target').value).toBe('70');
    expect(target.querySelector<HTMLElement>('.options')?.innerText).toContain(
      'not for stacked curves',
    );
    expect(await violationsIn('.options')).toEqual([]);
    type('Target', '');
    expect([board.chart.target, said()]).toEqual([null, '']);
  });

  it('shows a zoom in the header, and ends it or makes it the range', async () => {
    const { board, target } = await openPage();
    const day = 86_400_000;
    const from = board.time.span.start + 3 * day;
    board.time.zoom = { start: from, end: from + 4 * day };
    flushSync();
    await expect.poll(() => target.querySelector('.zoom'), WAIT).not.toBeNull();
    button(target, 'Show the whole range').click();
    flushSync();
    expect(board.time.zoom).toBeNull();
    board.time.zoom = { start: from, end: from + 4 * day };
    flushSync();
    button(target, 'Use as range').click();
    flushSync();
    expect([board.time.zoom, board.time.span]).toEqual([
      null,
      { start: from, end: from + 4 * day },
    ]);
  });

  it('reads a range in words into its fields, and uses nothing that it cannot read', async () => {
    const { board, target } = await openPage();
    button(target, 'Range').click();
    await expect.poll(() => target.querySelector('.said input'), WAIT).not.toBeNull();
    const [words, from, to] = target.querySelectorAll<HTMLInputElement>('form input');
    if (!words || !from || !to) throw new Error('expected three fields');
    const before = board.time.range;
    await userEvent.fill(words, 'since the flood');
    await expect.poll(() => target.textContent, WAIT).toContain('Not a range yet');
    await userEvent.keyboard('{Enter}');
    expect(board.time.range).toBe(before);
    await userEvent.fill(words, 'May 2025');
    await expect.poll(() => [from.value, to.value], WAIT).toEqual(['2025-05-01', '2025-05-31']);
    await userEvent.keyboard('{Enter}');
    expect(board.time.range).toEqual({ from: '2025-05-01', to: '2025-05-31' });
    button(target, 'Range').click();
    await expect.poll(() => target.querySelector('.said input'), WAIT).not.toBeNull();
    await userEvent.fill(target.querySelector('.said input') ?? words, 'last month');
    await expect.poll(() => target.textContent, WAIT).not.toContain('Not a range yet');
    const ends = target.querySelectorAll<HTMLInputElement>('.ends input');
    await expect.poll(() => ends[0]?.value, WAIT).not.toBe('2025-05-01');
    await userEvent.keyboard('{Enter}');
    expect(board.time.range).toEqual({ preset: 'last-month' });
  });

  it('copies a link to the view', async () => {
    const { target, copied } = await openPage();
    await expect.poll(() => target.textContent, WAIT).toContain('Share ');
    await userEvent.click(button(target, 'Share'));
    await userEvent.click(button(document.body, 'Copy link'));
    await expect.poll(() => copied, WAIT).toEqual(['https://example.test/#here']);
  });

  it('shows the curve’s counts in the table, newest first', async () => {
    const { board, target } = await openPage();
    board.tab = 'table';
    flushSync();
    const rows = (): Element[] => [...target.querySelectorAll('tbody tr[aria-rowindex]')];
    const last = board.series.all[0]?.curve?.counts.at(-2);
    const cell = (): string => rows()[1]?.querySelector('td')?.textContent ?? '';
    await expect.poll(cell, WAIT).toContain(String(last));
    const { from, to } = board.time.rows;
    expect(rows().length).toBeLessThan(to - from);
    dispatchEvent(new Event('beforeprint'));
    expect(rows()).toHaveLength(to - from);
    dispatchEvent(new Event('afterprint'));
    expect(rows().length).toBeLessThan(to - from);
  });

  it('has its finding, its table and the open tab on paper', async () => {
    const { board, target } = await openPage();
    const textOf = (selector: string): string =>
      target.querySelector<HTMLElement>(selector)?.innerText ?? '';
    await expect.poll(() => textOf('.finding h2'), WAIT).not.toBe('');
    board.tab = 'table';
    await expect.poll(() => textOf('.numbers th'), WAIT).toContain('Copy');
    const said = textOf('.finding');
    const devtools = cdp() as unknown as {
      send(method: 'Emulation.setEmulatedMedia', media: { media: string }): Promise<void>;
    };
    await devtools.send('Emulation.setEmulatedMedia', { media: 'print' });
    dispatchEvent(new Event('beforeprint'));
    try {
      expect(textOf('.finding')).toBe(said);
      expect(textOf('main table')).toMatch(/Oat milk[^]*Matcha[^]*Cold brew/u);
      expect(textOf('.numbers')).toMatch(/^Table\b/u);
      expect(textOf('.numbers tbody')).toContain('May 2026');
      expect(textOf('.numbers')).not.toMatch(/Discover|Copy/u);
    } finally {
      await devtools.send('Emulation.setEmulatedMedia', { media: '' });
      dispatchEvent(new Event('afterprint'));
    }
  });

  it('prints once its counts have loaded, and leaves the key to the browser after that', async () => {
    const { board, printed } = await openPage();
    const press = (): boolean =>
      window.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'p', ctrlKey: true, cancelable: true }),
      );
    const run = board.series.all[0]?.run as DrawnRun;
    run.phase = 'fetching';
    expect(press()).toBe(false);
    expect(printed).toEqual([]);
    run.phase = 'done';
    await expect.poll(() => printed, WAIT).toEqual([false]);
    await expect.poll(press, WAIT).toBe(true);
  });

  it('opens the settings with a key, returns the focus, and ignores shortcuts in the dialog', async () => {
    const { board, target } = await openPage();
    const share = button(target, 'Range');
    share.focus();
    const dialog = (): Element | null => document.querySelector('[role=dialog].settings');
    key(share, ',');
    await expect.poll(dialog, WAIT).not.toBeNull();
    key(document.activeElement ?? window, 'n');
    expect(board.series.all).toHaveLength(3);
    expect(await violationsIn(document.body)).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await expect.poll(dialog, WAIT).toBeNull();
    await expect.poll(() => document.activeElement, WAIT).toBe(share);
  });

  it('stays when a file is dropped, even before its parts have loaded', async () => {
    const isPrevented = (what: 'file' | 'text', type: 'dragover' | 'drop'): boolean => {
      const dataTransfer = new DataTransfer();
      if (what === 'file') dataTransfer.items.add(new File(['text'], 'posts.csv'));
      else dataTransfer.setData('text/plain', 'text');
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      return !document.body.dispatchEvent(event);
    };
    let early: boolean[] = [];
    const { target } = await openPage(false, () => {
      early = [
        isPrevented('file', 'dragover'),
        isPrevented('file', 'drop'),
        isPrevented('text', 'drop'),
      ];
    });
    expect(early).toEqual([true, true, false]);
    const zone = (): Element | null => target.querySelector('.zone');
    const over = (): boolean => {
      const prevented = isPrevented('file', 'dragover');
      flushSync();
      return prevented && zone() !== null;
    };
    await expect.poll(over, WAIT).toBe(true);
  });

  it('links from the source menu to the instructions for the platform', async () => {
    const { target } = await openPage();
    button(target, 'Source').click();
    await expect.poll(() => target.querySelector(':popover-open'), WAIT).not.toBeNull();
    button(target, 'Connect the platform').click();
    await expect
      .poll(() => document.querySelector('[role=dialog].settings')?.textContent, WAIT)
      .toContain('Access token of the platform');
  });

  it('offers the platform with its host and access once it is connected', async () => {
    const { board, target } = await openPage(true);
    button(target, 'Source').click();
    await expect.poll(() => target.querySelector(':popover-open'), WAIT).not.toBeNull();
    const entry = button(target, 'Platform');
    expect(entry.innerText.replaceAll(/\s+/g, ' ')).toContain('api.x.com, pay per use');
    expect(target.textContent).not.toContain('Connect the platform…');
    entry.click();
    flushSync();
    expect(board.source.id).toBe('platform');
    expect(button(target, 'Source: platform, api.x.com')).toBeTruthy();
  });
});
