import { flushSync } from 'svelte';
import { describe, expect, it, onTestFinished } from 'vitest';
// Imported here so that the test server finds the modules that the chart loads late.
import '#app/chart/draw/echarts.ts';
import { FORMS, type Trend } from '#app/chart/draw/form.ts';
import { NOTE_PX } from '#app/chart/chart.svelte.ts';
import type { ChartSeries, ChartStyle } from '#app/chart/chart-props.ts';
import { STATE } from '#core/series/series.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { eventAxis } from '#app/events/layout.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { chartOn, DAYS, RANGE, seriesOf, START } from './chart-rig.svelte.ts';

const WAIT = { timeout: 60_000 };
const nextPaint = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

async function drawn(over: Parameters<typeof chartOn>[0] = {}) {
  const rig = chartOn(over);
  onTestFinished(rig.end);
  await expect.poll(() => rig.target.querySelector('.image.drawn canvas'), WAIT).not.toBeNull();
  await nextPaint();
  flushSync();
  const chart = rig.target.querySelector('.chart') as HTMLElement;
  const strip = rig.target.querySelector('.strip') as HTMLElement;
  const plot = strip.getBoundingClientRect();
  const pointer = (on: Element, kind: string, day: number, more: PointerEventInit = {}): void => {
    const clientX = plot.left + (day / DAYS) * plot.width;
    const clientY = on.getBoundingClientRect().top + 12;
    on.dispatchEvent(
      new PointerEvent(kind, {
        clientX,
        clientY,
        pointerId: 1,
        pointerType: 'touch',
        bubbles: true,
        cancelable: true,
        ...more,
      }),
    );
    flushSync();
  };
  // The browser cannot capture the pointer of a dispatched event.
  chart.setPointerCapture = () => undefined;
  strip.setPointerCapture = () => undefined;
  const key = (on: Element, name: string, shiftKey = false): void => {
    on.dispatchEvent(
      new KeyboardEvent('keydown', { key: name, shiftKey, bubbles: true, cancelable: true }),
    );
    flushSync();
  };
  return { ...rig, chart, strip, pointer, key };
}
const mouse: PointerEventInit = { pointerType: 'mouse' };
const days = (window: Span | null | undefined): number[] =>
  window
    ? [window.start, window.end].map((at) => Math.round(((at - START) / DAY_MS) * 10) / 10)
    : [];

describe('the chart', () => {
  it.each(FORMS)('as %s violates no accessibility rule', async (form) => {
    const { target, props, chart, key } = await drawn({ style: { form } });
    expect(props.view.window).toEqual(RANGE);
    key(chart, 'End');
    expect(target.querySelector('.tip .title')?.textContent).toBe('Fri, 10 Apr 2026');
    expect(chart.querySelector('[aria-live]')?.textContent).toContain('Series 3');
    expect(await violationsIn(target)).toEqual([]);
  });

  it('zooms by a drag, and back by a double click, which also undoes its selection', async () => {
    const { chart, pointer, events, props } = await drawn();
    pointer(chart, 'pointerdown', 20, mouse);
    pointer(chart, 'pointermove', 60, mouse);
    pointer(chart, 'pointerup', 60, mouse);
    expect(days(props.view.window)).toEqual([20, 60]);
    expect(events.picks).toEqual([]);
    chart.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    flushSync();
    expect(props.view.window).toEqual(RANGE);
    expect(events.picks).toEqual([null]);
  });

  it('selects a bucket by a click, and by Enter', async () => {
    const { chart, pointer, key, events } = await drawn();
    pointer(chart, 'pointerdown', 33.5, mouse);
    pointer(chart, 'pointerup', 33.5, mouse);
    key(chart, 'ArrowRight');
    key(chart, 'Enter');
    expect(events.picks.map(days)).toEqual([
      [33, 34],
      [34, 35],
    ]);
  });

  it('has a row for each of many series, which scroll under one line at the cursor', async () => {
    const many = Array.from({ length: 14 }, (_, i) => seriesOf(i + 1, (day) => i * day));
    const { target, chart, pointer, props } = await drawn({
      data: { series: many },
      style: { form: 'multiples' },
    });
    const names = [...target.querySelectorAll<HTMLElement>('.name')];
    expect(names.map((name) => name.textContent)).toEqual(many.map(({ name }) => name));
    const tops = names.map((name) => name.getBoundingClientRect().top);
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    const rows = target.querySelector('.rows') as HTMLElement;
    // As high as on a wide page.
    rows.style.height = '400px';
    expect(rows.scrollHeight).toBeGreaterThan(rows.clientHeight);
    const turn = new WheelEvent('wheel', { deltaY: 100, bubbles: true, cancelable: true });
    chart.dispatchEvent(turn);
    expect(turn.defaultPrevented).toBe(false);
    rows.scrollTop = 120;
    await nextPaint();
    await nextPaint();
    pointer(chart, 'pointermove', 30, mouse);
    await expect.poll(() => target.querySelectorAll('circle').length, WAIT).toBe(many.length);
    const rule = target.querySelector('.rule') as Element;
    const tip = target.querySelector('.tip') as Element;
    expect(rule.getBoundingClientRect().height).toBeGreaterThan(rows.clientHeight);
    expect(tip.getBoundingClientRect().top).toBeGreaterThan(rows.getBoundingClientRect().top);
    expect(props.view.window).toEqual(RANGE);
  });

  it('moves the cursor with the view when keys pan', async () => {
    const { chart, key, events, props } = await drawn({
      view: { window: { start: START + 20 * DAY_MS, end: START + 40 * DAY_MS } },
    });
    key(chart, 'Home');
    key(chart, 'ArrowRight', true);
    key(chart, 'ArrowRight', true);
    expect(days(props.view.window)).toEqual([28, 48]);
    key(chart, 'Enter');
    key(chart, 'Enter', true);
    expect(events.picks.map(days)).toEqual([
      [28, 29],
      [28, 48],
    ]);
  });

  it('combines the turns of a wheel within one animation frame', async () => {
    const { chart, events, props } = await drawn();
    await nextPaint();
    const { left, top, width } = chart.getBoundingClientRect();
    for (let turn = 0; turn < 5; turn += 1) {
      chart.dispatchEvent(
        new WheelEvent('wheel', {
          deltaY: -100,
          clientX: left + width / 2,
          clientY: top + 50,
          cancelable: true,
        }),
      );
    }
    await expect.poll(() => events.zooms.length, WAIT).toBe(1);
    const { start, end: until } = props.view.window;
    expect((until - start) / (RANGE.end - RANGE.start)).toBeCloseTo(1.0015 ** -500, 2);
  });

  it('zooms and pans with two fingers, and pans with one when zoomed in', async () => {
    const { chart, pointer, props } = await drawn();
    pointer(chart, 'pointerdown', 40, { pointerId: 1 });
    pointer(chart, 'pointerdown', 60, { pointerId: 2 });
    pointer(chart, 'pointermove', 25, { pointerId: 1 });
    pointer(chart, 'pointermove', 75, { pointerId: 2 });
    pointer(chart, 'pointerup', 75, { pointerId: 2 });
    pointer(chart, 'pointerup', 25, { pointerId: 1 });
    expect(days(props.view.window)).toEqual([30, 70]);
    pointer(chart, 'pointerdown', 50, { pointerId: 3 });
    pointer(chart, 'pointermove', 25, { pointerId: 3 });
    pointer(chart, 'pointerup', 25, { pointerId: 3 });
    expect(days(props.view.window)).toEqual([40, 80]);
  });

  it('reads with the first tap of a finger, and selects with the second', async () => {
    const { chart, pointer, events, target } = await drawn();
    pointer(chart, 'pointerdown', 33.5);
    pointer(chart, 'pointerup', 33.5);
    expect(target.querySelector('.tip .title')?.textContent).toBe('Tue, 3 Feb 2026');
    expect(events.picks).toEqual([]);
    pointer(chart, 'pointerdown', 33.5);
    pointer(chart, 'pointerup', 33.5);
    expect(events.picks.map(days)).toEqual([[33, 34]]);
  });

  it('has a ring at a peak, labelled with its number', async () => {
    const peaks = [{ key: '2:40', number: 4, at: START + 40 * DAY_MS, count: 300, seriesId: 2 }];
    const { target, events, strip } = await drawn({ annotations: { peaks } });
    const ring = target.querySelector<HTMLElement>('button.peak');
    expect(ring?.ariaLabel).toBe('Peak 4');
    const { left, width } = ring?.getBoundingClientRect() ?? new DOMRect();
    const plot = strip.getBoundingClientRect();
    expect(left + width / 2 - plot.left).toBeCloseTo(plot.width * 0.405, 0);
    ring?.click();
    expect([events.peaks, events.picks]).toEqual([['2:40'], []]);
  });

  it.each(['line', 'bars'] as const)(
    'has the words of a peak over its point in %s',
    async (form) => {
      const group = { kind: 'phrase', name: 'free tea', clause: '', alone: true } as const;
      const groups = [{ ...group, posts: 9, usual: 0 }];
      const causes = { posts: 10, groups, rest: { posts: 1, usual: 1 } };
      const at = START + 40 * DAY_MS;
      const peaks = [{ key: '2:40', number: 4, at, count: 300, seriesId: 2, causes }];
      const { target, events, strip } = await drawn({ annotations: { peaks }, style: { form } });
      const label = target.querySelector<HTMLElement>('button.peak');
      expect([label?.ariaLabel, label?.textContent]).toEqual(['Peak 4: free tea', 'free tea']);
      const box = label?.getBoundingClientRect() ?? new DOMRect();
      const dot = label?.querySelector('i')?.getBoundingClientRect() ?? new DOMRect();
      const plot = strip.getBoundingClientRect();
      // The second of the bars next to each other.
      const middle = dot.left + dot.width / 2 - plot.left;
      expect(Math.abs(middle - plot.width * 0.405)).toBeLessThan(form === 'line' ? 1 : 5);
      expect(dot.top).toBeGreaterThan(box.bottom - 3);
      const text = label?.querySelector('span')?.getBoundingClientRect() ?? new DOMRect();
      expect([text.left >= box.left, text.right <= box.right]).toEqual([true, true]);
      label?.click();
      expect([events.peaks, events.picks]).toEqual([['2:40'], []]);
    },
  );

  it('marks the time of an event over its plot', async () => {
    const pointed = { start: START + 50 * DAY_MS, end: START + 60 * DAY_MS };
    const { target, strip } = await drawn({ pointed });
    const plot = strip.getBoundingClientRect();
    const band = target.querySelector('rect.event');
    const box = band?.getBoundingClientRect();
    expect((box?.left ?? 0) - plot.left).toBeCloseTo(plot.width / 2, 0);
    expect(box?.width).toBeCloseTo(plot.width / 10, 0);
  });

  it('aligns what is under it with its time axis', async () => {
    const { target, grounds, strip } = await drawn();
    expect(target.querySelector('.under')?.textContent).toBe('Events');
    const ground = grounds.at(-1);
    const plot = strip.getBoundingClientRect();
    expect(ground?.width).toBeCloseTo(plot.width, 3);
    expect(ground?.left).toBeCloseTo(plot.left - target.getBoundingClientRect().left, 3);
    expect(ground?.x(START + 25 * DAY_MS)).toBeCloseTo(plot.width / 4, 3);
  });

  it('has one time axis with a forecast too, for the curve, the overview and what is under it', async () => {
    const { target, grounds } = await drawn({ style: { forecast: true } });
    const ground = grounds.at(-1);
    if (!ground) throw new Error('expected an axis');
    expect(ground.window.end).toBeGreaterThan(RANGE.end);
    const at = ground.x(RANGE.end);
    expect(at).toBeLessThan(ground.width - 20);
    const axis = eventAxis(ground.left, ground.width, ground.window);
    expect(axis.x(RANGE.end) - ground.left).toBeCloseTo(at, 3);
    const shape = target.querySelector('.strip path:not(.part)')?.getAttribute('d') ?? '';
    const places = [...shape.matchAll(/[ML]([\d.]+) /g)].map(([, x]) => Number(x));
    expect(Math.max(...places)).toBeCloseTo(at, 0);
    const sliders = target.querySelectorAll<HTMLElement>('[role=slider]');
    expect(Number.parseFloat(sliders[1]?.style.left ?? '')).toBeCloseTo(at, 3);
    expect(target.querySelector('.strip')?.classList).toContain('whole');
  });

  it('names its lines at their ends where there is room next to it, and never over them', async () => {
    const { target } = await drawn();
    const names = () => [...target.querySelectorAll('.name')].map(({ textContent }) => textContent);
    expect(names()).toContain('Series 3');
    target.style.width = '390px';
    await nextPaint();
    flushSync();
    expect(names()).toEqual([]);
  });

  it('makes no page wider, also with a ring at its right edge on a phone', async () => {
    const last = DAYS - 1;
    const peaks = [0, 1, 2].map((i) => ({
      key: `3:${last - i}`,
      number: i + 1,
      at: START + (last - i) * DAY_MS,
      count: 109 - i,
      seriesId: 3,
    }));
    const { target } = await drawn({ annotations: { peaks } });
    target.style.width = '390px';
    // As large as a finger needs.
    const large = document.createElement('style');
    large.textContent = ".peak::after { content: ''; position: absolute; inset: -14px; }";
    target.append(large);
    await nextPaint();
    flushSync();
    expect(target.querySelectorAll('.peak').length).toBeGreaterThan(0);
    const right = Math.max(
      ...[...target.querySelectorAll('.peak:not(.tick)')].map(
        (ring) => ring.getBoundingClientRect().right,
      ),
    );
    expect(right).toBeLessThanOrEqual(target.getBoundingClientRect().right);
    expect(target.scrollWidth).toBe(390);
  });

  it('keeps its tooltip off the summit and the points that it describes, on a page of any width', async () => {
    for (const width of [1000, 390]) {
      const rig = await drawn();
      const { target, chart, pointer } = rig;
      target.style.width = `${width}px`;
      await nextPaint();
      flushSync();
      const plot = target.querySelector('.strip')?.getBoundingClientRect() ?? new DOMRect();
      const x = plot.left + (40.5 / DAYS) * plot.width;
      for (const day of [20, 38, 40, 43, 60, 80]) {
        const clientX = plot.left + ((day + 0.5) / DAYS) * plot.width;
        pointer(chart, 'pointermove', day, { ...mouse, clientX });
        await nextPaint();
        flushSync();
        const tip = target.querySelector('.tip')?.getBoundingClientRect();
        if (!tip) throw new Error('expected a tooltip');
        const top = chart.getBoundingClientRect().top + 14;
        const isOver = tip.left < x && x < tip.right && tip.top < top + 8;
        expect([width, day, isOver]).toEqual([width, day, false]);
      }
      await rig.end();
    }
  });

  it('has no tooltip where a drawer took the room under the pointer', async () => {
    const { target, chart, pointer } = await drawn();
    pointer(chart, 'pointermove', 95, mouse);
    await expect.poll(() => target.querySelector('.tip')).not.toBeNull();
    target.style.width = '620px';
    await expect.poll(() => target.querySelector('.tip')).toBeNull();
  });
});

/** A part of a whole, from 0 to 0.4. */
const part = { ...seriesOf(4, (i) => (i % 5) / 10), unit: 'part' } as const;
const counts = [seriesOf(1, (i) => 50 + (i % 7)), seriesOf(2, (i) => 20 + i)];

describe('a quotient drawn with counts', () => {
  const onOnePlot = FORMS.filter((form) => form !== 'multiples');
  it.each(onOnePlot)('has its points on an axis at the right in %s', async (form) => {
    const { target, chart, key, strip } = await drawn({
      data: { series: [...counts, part] },
      style: { form },
    });
    key(chart, 'Home');
    for (let i = 0; i < 4; i += 1) key(chart, 'ArrowRight');
    expect(chart.querySelector('[aria-live]')?.textContent).toMatch(
      /Series 2 [\d.%]+; Series 4 40%$/,
    );
    const circles = [...target.querySelectorAll('circle')];
    const notes = target.querySelectorAll('text.note').length;
    const [top, bottom] = [14 + notes * NOTE_PX, chart.clientHeight - 28];
    const of = circles.find((circle) => circle.getAttribute('fill')?.includes('series-5'));
    // Its scale ends at its highest value; in a chart of shares, at the whole.
    const height = (bottom - Number(of?.getAttribute('cy'))) / (bottom - top);
    if (form === 'bars') expect(circles).toEqual([]);
    else expect(height).toBeCloseTo(form === 'share' ? 0.4 : 1, 3);
    const name = [...target.querySelectorAll('.name')].find(
      (each) => each.textContent === part.name,
    );
    const { left } = name?.getBoundingClientRect() ?? new DOMRect();
    expect(left - strip.getBoundingClientRect().right).toBeCloseTo(48, 0);
    expect(await violationsIn(target)).toEqual([]);
  });

  it('frees the space of its axis when it is hidden, and counts stay in place', async () => {
    const { target, set, strip } = await drawn({ data: { series: [...counts, part] } });
    const { width } = strip.getBoundingClientRect();
    set('data', { series: counts });
    flushSync();
    expect(strip.getBoundingClientRect().width).toBe(width + 40);
    set('data', { series: [part] });
    flushSync();
    expect(strip.getBoundingClientRect().width).toBe(width + 40);
    expect(target.querySelectorAll('.name').length).toBe(1);
  });
});

describe('a drawing that replaces another', () => {
  type Case = { readonly series: readonly ChartSeries[] } & Partial<
    Pick<ChartStyle, 'form' | 'scale' | 'trend'>
  >;
  const image = (target: HTMLElement): string =>
    target.querySelector<HTMLCanvasElement>('.image canvas')?.toDataURL() ?? '';
  /** Waits until the last change is on the canvas. */
  const settle = async (): Promise<void> => {
    flushSync();
    await nextPaint();
    await nextPaint();
    flushSync();
  };
  const partial = seriesOf(3, (i) => 10 + (i % 5));
  partial.curve.states[DAYS - 1] = STATE.partial;
  const plain = [...counts, partial];
  const past = plain.map((series, i) => {
    const { curve, pyramid } = seriesOf(series.id, (day) => 30 + ((day * (i + 2)) % 23));
    return { ...series, earlier: [{ curve, pyramid, period: 0 }] };
  });
  const many = [...plain, seriesOf(5, (i) => 30 - (i % 11)), seriesOf(6, () => 9)];
  const trends: readonly Trend[] = [
    { kind: 'none' },
    { kind: 'average', buckets: 7 },
    { kind: 'cumulative' },
    { kind: 'index' },
    { kind: 'per', of: 1 },
  ];
  const lists = [plain, past, [...plain, part], many, [part]];
  const cases: Case[] = [
    ...lists.flatMap((series) => FORMS.map((form): Case => ({ series, form }))),
    ...FORMS.flatMap((form) => [
      { series: plain, form, scale: 'log' as const },
      { series: [...past, part], form, scale: 'log' as const },
    ]),
    ...trends.flatMap((trend) => [
      { series: past, trend },
      { series: [...past, part], form: 'bars' as const, trend },
    ]),
  ];
  const whole = ({ series, form = 'line', scale = 'linear', trend = { kind: 'none' } }: Case) => ({
    data: { series },
    style: { form, scale, trend },
  });
  const baseline = counts[0] ?? null;

  it('is the same as on a new page, whatever was drawn before', { tags: 'long' }, async () => {
    const fresh: string[] = [];
    for (const each of cases) {
      const rig = chartOn({ data: { series: each.series, baseline }, style: whole(each).style });
      await expect.poll(() => rig.target.querySelector('.image.drawn canvas'), WAIT).not.toBeNull();
      await settle();
      fresh.push(image(rig.target));
      await rig.end();
    }
    expect(new Set(fresh).size).toBeGreaterThan(cases.length / 2);
    const { target, set } = await drawn({ data: { baseline } });
    const order = cases.map((_, i) => i);
    // Every form after every other form of the same series, and all cases in several orders.
    const forms = [...FORMS.flatMap((_, a) => FORMS.flatMap((_, b) => (a < b ? [a, b] : []))), 0];
    const pairs = [0, 1, 2].flatMap((list) => forms.map((form) => list * FORMS.length + form));
    const strides = order.map((i) => (i * 7) % cases.length);
    const wrong: string[] = [];
    let before = -1;
    for (const i of [...pairs, ...order, ...order.toReversed(), ...strides]) {
      const one = cases[i];
      if (!one) continue;
      set('data', whole(one).data);
      set('style', whole(one).style);
      await settle();
      // A busy machine may draw a few paints later.
      for (let more = 0; more < 30 && image(target) !== fresh[i]; more += 1) await nextPaint();
      if (image(target) !== fresh[i]) wrong.push(`${i} after ${before}`);
      before = i;
    }
    expect(wrong).toEqual([]);
  });
});

describe('the overview', () => {
  const zoomed = {
    view: { window: { start: START + 20 * DAY_MS, end: START + 40 * DAY_MS } },
  };

  it('moves the window and its ends, and jumps', async () => {
    const { strip, pointer, props } = await drawn(zoomed);
    const drag = (from: number, to: number): void => {
      pointer(strip, 'pointerdown', from, mouse);
      pointer(strip, 'pointermove', to, mouse);
      pointer(strip, 'pointerup', to, mouse);
    };
    drag(30, 50);
    expect(days(props.view.window)).toEqual([40, 60]);
    drag(40, 30);
    expect(days(props.view.window)).toEqual([30, 60]);
    drag(60, 70);
    expect(days(props.view.window)).toEqual([30, 70]);
    drag(90, 90);
    expect(days(props.view.window)).toEqual([60, 100]);
    strip.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    flushSync();
    expect(props.view.window).toEqual(RANGE);
  });

  it('is laid out once, not for each window', async () => {
    let reads = 0;
    const across = [seriesOf(1, (i) => i)].map((series) => ({
      ...series,
      get curve() {
        reads += 1;
        return series.curve;
      },
    }));
    const { set } = await drawn({ data: { across } });
    expect(reads).toBeGreaterThan(0);
    const before = reads;
    set('view', { window: { start: START + 20 * DAY_MS, end: START + 40 * DAY_MS } });
    flushSync();
    expect(reads).toBe(before);
  });

  it('chooses a window by a drag if the whole range is in view', async () => {
    const { strip, pointer, props } = await drawn();
    pointer(strip, 'pointerdown', 62, mouse);
    pointer(strip, 'pointermove', 61.9, mouse);
    expect(props.view.window).toEqual(RANGE);
    pointer(strip, 'pointermove', 42, mouse);
    pointer(strip, 'pointerup', 42, mouse);
    expect(days(props.view.window)).toEqual([42, 62]);
  });

  it('has two sliders labelled with their days', async () => {
    const { target, key, props } = await drawn(zoomed);
    const [first, last] = target.querySelectorAll<HTMLElement>('[role=slider]');
    if (!first || !last) throw new Error('expected two sliders');
    expect([first.ariaLabel, first.ariaValueText]).toEqual(['Start of the view', '21 Jan 2026']);
    expect([last.ariaLabel, last.ariaValueText]).toEqual(['End of the view', '9 Feb 2026']);
    key(first, 'ArrowLeft');
    expect(days(props.view.window)).toEqual([18, 40]);
    key(last, 'End');
    expect(days(props.view.window)).toEqual([18, 100]);
    key(first, 'ArrowLeft', true);
    expect(days(props.view.window)).toEqual([16, 98]);
    key(first, 'Escape');
    expect(props.view.window).toEqual(RANGE);
  });
});
