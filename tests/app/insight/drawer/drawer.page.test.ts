import { flushSync, mount, unmount } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import { Formatter } from '#app/format/formatter.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { spanName } from '#app/insight/drawer/drawer-text.ts';
import { Drawer } from '#app/insight/drawer/drawer.svelte.ts';
import CausesPart from '#app/insight/breakdown/CausesPart.svelte';
import DrawerView from '#app/insight/drawer/Drawer.svelte';
import {
  peaksFound,
  type PeakSeries,
  type PeaksFound,
  type SeriesPeak,
} from '#app/insight/peaks/peaks-found.ts';
import Peaks from '#app/insight/peaks/Peaks.svelte';
import { peakSubject } from '#app/insight/drawer/inspected.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { Fault } from '#contract/fault.ts';
import type { Curve } from '#core/series/series.ts';
import { DAY_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { curveOf, noise } from '#tests/core/series/a-curve.ts';
import { WAIT } from '#tests/app/board/rig.ts';
import { posts, PostSource } from '#tests/app/insight/a-source.ts';
import { textOf } from '#tests/support/browser/mounted.ts';

const START = Date.UTC(2026, 0, 5);
const ZONE = 'UTC';
const table = zoneTable(ZONE, { start: START - DAY_MS, end: START + 400 * DAY_MS });
const format = new Formatter('en-GB', ZONE);
const nameOf = (span: Span): string => spanName(span, table, 1, format);
const AT = START + 200 * DAY_MS;

function series(id: number, name: string, peaks: Record<number, number>): PeakSeries {
  const of = noise(id);
  const counts = Array.from({ length: 300 }, (_, i) => peaks[i] ?? of(100));
  const curve = curveOf(counts, START, DAY_MS);
  return { id, name, shown: '"oat milk"', style: seriesStyle(id - 1), hidden: false, curve };
}
const SERIES = [
  series(1, 'Oat milk', { 60: 900, 200: 1000, 201: 700 }),
  series(2, 'Matcha', { 120: 1400 }),
];

/** Counts by minute around the peak, which starts at noon. */
function minutes(): Curve {
  const of = noise(9);
  const counts = Array.from({ length: 8 * 1440 }, () => of(1));
  for (let i = 0; i < 90; i += 1) counts[4 * 1440 + 720 + i] = 60 - Math.floor(i / 2);
  return curveOf(counts, AT - 4 * DAY_MS, MINUTE_MS);
}

function recallPosts(): PostSource {
  const words = (i: number): string => `oat milk recall & https://example.com/${i} <b>bold</b>`;
  return new PostSource([
    ...posts(250, AT, AT + 2 * DAY_MS, words),
    ...posts(250, AT - 4 * DAY_MS, AT, () => 'oat milk latte'),
  ]);
}

let target: HTMLElement;
let mounted: object[] = [];
beforeEach(async () => {
  await page.viewport(1440, 900);
  document.documentElement.dataset['theme'] = 'light';
  target = document.body.appendChild(document.createElement('main'));
});
afterEach(async () => {
  for (const each of mounted.splice(0)) await unmount(each);
  target.remove();
});

const all = (selector: string): HTMLElement[] => [
  ...target.querySelectorAll<HTMLElement>(selector),
];
const button = (name: string): HTMLElement | undefined =>
  all('button').find((each) => textOf(each).startsWith(name) || each.ariaLabel === name);

/** Mounts the list of peaks and the drawer, connected as on the board. */
function openPeaks(
  source: PostSource,
  found: PeaksFound = peaksFound(SERIES, ZONE),
  onnote: ((post: string) => Promise<boolean>) | null = null,
): Drawer {
  const drawer = new Drawer(() => source);
  const state = new SvelteMap<string, string | null>([['chosen', null]]);
  const list = mount(Peaks, {
    target,
    props: {
      found,
      searched: true,
      per: 'day',
      format,
      nameOf,
      get chosen() {
        return state.get('chosen') ?? null;
      },
      onopen(peak: SeriesPeak) {
        drawer.open({ ...peakSubject(peak), time: 'over' });
        state.set('chosen', peak.key);
      },
    },
  });
  const fine = minutes();
  const place = { fine, source: 'platform' as const, format, nameOf };
  const ignored = () => undefined;
  const none = {
    causes: null,
    breakdown: null,
    stories: null,
    onadd: ignored,
    oncopy: ignored,
    onslide: ignored,
  };
  const props = { drawer, ...none, onnote, ...place };
  mounted = [list, mount(DrawerView, { target, props })];
  flushSync();
  return drawer;
}

async function expectAccessible(): Promise<void> {
  expect(await violationsIn(target)).toEqual([]);
}

describe('the list of peaks', () => {
  it('lists them by time, numbered by size, and sorts them by size', async () => {
    openPeaks(recallPosts());
    const rows = (): string[] => all('ol button').map(textOf);
    expect(rows()[0]).toMatch(
      /^Peak 3 Oat milk Fri, 6 Mar 2026 900 Posts [89](\.\d)?× the usual 1 day$/,
    );
    expect(rows()[1]).toMatch(/^Peak 2 Matcha .* 1,400 Posts 1[345]× the usual/);
    expect(rows()[2]).toMatch(
      /^Peak 1 Oat milk 24–25 Jul 2026 1,700 Posts 8(\.\d)?× the usual 2 days$/,
    );
    const bySize = all('input')[1];
    bySize?.click();
    flushSync();
    expect(rows().map((row) => row.slice(0, 6))).toEqual(['Peak 1', 'Peak 2', 'Peak 3']);
    await expectAccessible();
  });

  it('says if there are none, and if too little is known', async () => {
    const few = { ...series(3, 'Chai', {}), curve: curveOf([1, 2], START, DAY_MS) };
    openPeaks(recallPosts(), peaksFound([few], ZONE));
    expect(textOf(target)).toContain('Chai: fewer than 14 whole buckets');
    expect(textOf(target)).not.toContain('No peaks');
    await expectAccessible();
    for (const each of mounted.splice(0)) await unmount(each);
    const level = {
      ...few,
      curve: curveOf(
        Array.from({ length: 60 }, () => 9),
        START,
        DAY_MS,
      ),
    };
    openPeaks(recallPosts(), peaksFound([level], ZONE));
    expect(textOf(target)).toContain('No peaks');
    await expectAccessible();
  });
});

describe('the drawer of a peak', () => {
  it('shows size, onset, words, and Posts as plain text', async () => {
    openPeaks(recallPosts());
    button('Peak 1')?.click();
    await expect.poll(() => textOf(target), WAIT).toContain('Distinctive words');
    expect(textOf(target.querySelector('.drawn h2'))).toBe('24–25 Jul 2026');
    const [facts, wordsApart, list] = all('.drawn section').map(textOf);
    expect(facts).toMatch(/^1,700 Posts 8(\.\d)?× the usual (19|20)\d\. Onset 24 Jul 2026, 12:00/);
    expect(facts).toMatch(/Half-life Halved within 6\d minutes/);
    expect(wordsApart).toMatch(
      /^What it was about example.com ↗ 100% Put on a slide Copy Chart example\.com/,
    );
    expect(wordsApart).toMatch(/Distinctive words .*recall 100% · new/);
    expect(wordsApart).toMatch(/Sites example.com 100%.* Languages English 100%/);
    expect(wordsApart).toMatch(/Of the 250 Posts loaded, not of all 1,700 counted\./);
    expect(wordsApart).toMatch(
      /Words of 250 Posts are compared with those of 250 Posts of 20–23 Jul 2026\.$/,
    );
    expect(list).toMatch(/Reposts and withheld Posts are counted but not listed/);
    expect(all('.drawn .text')).toHaveLength(100);
    expect(textOf(all('.drawn .text')[0])).toContain(
      'recall & https://example.com/249 <b>bold</b>',
    );
    expect(all('.drawn img, .drawn .text :not(a)')).toEqual([]);
    const links = all('.drawn li:has(.text) a').slice(0, 2) as HTMLAnchorElement[];
    expect(links.map(({ href, target, rel }) => [href, target, rel])).toEqual(
      ['https://x.com/author4/status/249', 'https://example.com/249'].map((href) => [
        href,
        '_blank',
        'noopener noreferrer',
      ]),
    );
    expect(button('Open example.com')).toBeUndefined();
    expect(all('.drawn a[aria-label="Open example.com"]')).not.toEqual([]);
    await expectAccessible();
    button('Show more')?.click();
    await expect.poll(() => all('.drawn .text').length).toBe(200);
    button('Show more')?.click();
    await expect.poll(() => button('Show more')).toBeUndefined();
    expect(all('.drawn .text')).toHaveLength(250);
    expect(textOf(all('.drawn section')[2])).toContain('All Posts that search finds: 250.');
  });

  it('lists equal texts once, with their number and the single Posts', async () => {
    openPeaks(
      new PostSource(
        posts(60, AT, AT + 2 * DAY_MS, (i) => (i % 2 ? `Oat milk https://t.co/${i}` : `tea ${i}`)),
      ),
    );
    button('Peak 1')?.click();
    await expect.poll(() => all('.drawn .text').length).toBe(31);
    const copies = all('.drawn details').find((each) => textOf(each).startsWith('× 30'));
    expect(textOf(copies?.querySelector('summary'))).toBe('× 30 with this text');
    expect(copies?.querySelectorAll('li')).toHaveLength(29);
    expect(textOf(copies?.querySelector('li'))).toMatch(/^Author \d @author\d .*2026/);
    copies?.querySelector('summary')?.click();
    await expectAccessible();
  });

  it('has no heading of causes where there are no Posts', () => {
    const none = { posts: 0, groups: [], rest: { posts: 0, usual: null }, missing: [] };
    const actions = { onadd: () => undefined, oncopy: () => undefined, onslide: () => undefined };
    const props = { causes: none, title: '', colour: 1, format, ...actions };
    mounted = [mount(CausesPart, { target, props })];
    expect(textOf(target)).toBe('');
  });

  it('takes the focus, closes with Escape or its button, and returns the focus', async () => {
    const drawer = openPeaks(recallPosts());
    const row = button('Peak 3');
    row?.focus();
    await userEvent.keyboard('{Enter}');
    expect(document.activeElement?.tagName).toBe('H2');
    await userEvent.keyboard('{Escape}');
    flushSync();
    expect(drawer.subject).toBeNull();
    expect(document.activeElement).toBe(row);
    await userEvent.keyboard('{Enter}');
    const other = button('Peak 2');
    other?.focus();
    await userEvent.keyboard('{Enter}');
    expect(textOf(document.activeElement)).toMatch(/May 2026$/);
    button('Close')?.focus();
    await userEvent.keyboard('{Enter}');
    flushSync();
    expect(document.activeElement).toBe(other);
  });

  it('is left by Escape in a field of it first, and closes with the next', async () => {
    const drawer = openPeaks(recallPosts());
    button('Peak 1')?.click();
    flushSync();
    const field = document
      .querySelector('h2')
      ?.closest('.drawn')
      ?.appendChild(document.createElement('input'));
    field?.focus();
    await userEvent.keyboard('{Escape}');
    flushSync();
    expect([document.activeElement?.tagName, drawer.subject === null]).toEqual(['H2', false]);
    await userEvent.keyboard('{Escape}');
    flushSync();
    expect(drawer.subject).toBeNull();
  });

  it('stays open while Escape closes a menu in it, and closes with the next', async () => {
    const source = recallPosts();
    const drawer = openPeaks(source, undefined, () => Promise.resolve(true));
    button('Peak 1')?.click();
    await expect.poll(() => button('Actions for this Post')).toBeDefined();
    button('Actions for this Post')?.click();
    const menu = (): Element | null => document.querySelector('[role=menu]:popover-open');
    await expect.poll(menu).not.toBeNull();
    await userEvent.keyboard('{Escape}');
    flushSync();
    expect([menu(), drawer.subject === null]).toEqual([null, false]);
    await userEvent.keyboard('{Escape}');
    flushSync();
    expect(drawer.subject).toBeNull();
  });

  it('shows the price on the button and requests nothing before a click', async () => {
    const source = recallPosts();
    source.postPrice = 0.005;
    openPeaks(source);
    button('Peak 1')?.click();
    flushSync();
    expect(source.requests).toEqual([]);
    await expectAccessible();
    button('Read 100 Posts · up to $0.50')?.click();
    await expect.poll(() => all('.drawn .text').length).toBe(100);
    expect(button('Show 100 more · up to $0.50')).toBeDefined();
    expect(source.requests).toHaveLength(1);
    button('Compare the words of 600 Posts · up to $3.00')?.click();
    await expect.poll(() => textOf(target), WAIT).toContain('Distinctive words');
  });

  it('says what it is loading, and what failed with a way to retry', async () => {
    const source = recallPosts();
    source.paused = true;
    openPeaks(source);
    button('Peak 1')?.click();
    flushSync();
    expect(textOf(target.querySelector('.drawn'))).toContain('Loading Posts of 24–25 Jul 2026…');
    await expectAccessible();
    source.fault = new Fault(0, { title: 'Away', type: UNREACHABLE });
    source.answer();
    await expect
      .poll(() => textOf(target.querySelector('[role=alert]')))
      .toContain('The service doesn’t answer. Counts are stored in this browser');
    await expectAccessible();
    source.paused = false;
    source.fault = new Fault(503, { title: 'Service Unavailable', type: 'about:blank' });
    button('Retry')?.click();
    await expect
      .poll(() => textOf(target.querySelector('[role=alert]')))
      .toContain('The platform is overloaded');
    source.fault = null;
    button('Retry')?.click();
    await expect.poll(() => all('.drawn .text').length).toBe(100);
  });

  it('requests a note for a Post once, and again only if that failed', async () => {
    const asked: string[] = [];
    let works = false;
    openPeaks(recallPosts(), undefined, (post) => {
      asked.push(post);
      return Promise.resolve(works);
    });
    button('Peak 1')?.click();
    const entries = () =>
      all('[role=menuitem]').filter((each) => textOf(each) === 'Request a community note');
    await expect.poll(() => entries().length).toBeGreaterThan(1);
    const before = entries().length;
    const first = (): void => {
      const [entry] = entries();
      if (entry instanceof HTMLElement) entry.click();
    };
    first();
    await expect.poll(() => entries().length).toBe(before);
    works = true;
    first();
    await expect.poll(() => entries().length).toBe(before - 1);
    expect(textOf(target)).toContain('Note requested');
    expect(asked).toEqual([asked[0], asked[0]]);
    await expectAccessible();
  });

  it('says if search finds no Posts', async () => {
    openPeaks(new PostSource([]));
    button('Peak 1')?.click();
    await expect.poll(() => textOf(target)).toContain('Search found no Posts in this time.');
    await expect.poll(() => textOf(target)).toContain('No Posts in this time to compare.');
  });

  it.each(['light', 'dark'])(
    'is a sheet in the lower half of a phone, without horizontal scrolling, in the %s theme',
    async (theme) => {
      await page.viewport(390, 844);
      document.documentElement.dataset['theme'] = theme;
      openPeaks(recallPosts());
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
      button('Peak 1')?.click();
      await expect.poll(() => all('.drawn .text').length).toBe(100);
      const aside = target.querySelector('.drawn');
      const { width, top, bottom } = aside!.getBoundingClientRect();
      expect({ width, top, bottom }).toEqual({ width: 390, top: 422, bottom: 844 });
      expect(aside?.scrollWidth).toBeLessThanOrEqual(390);
      for (const each of all('.drawn button:not([role=menuitem])')) {
        expect(each.getBoundingClientRect().height).toBeGreaterThanOrEqual(44);
      }
      await expectAccessible();
    },
  );
});
