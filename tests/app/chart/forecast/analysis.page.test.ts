import { flushSync } from 'svelte';
import { describe, expect, it, onTestFinished } from 'vitest';
// Imported here so that the test server finds the modules that the chart loads late.
import '#app/chart/draw/echarts.ts';
import { stillOf } from '#app/chart/draw/still.ts';
import { chartSvg } from '#app/export/chart-svg.ts';
import { STATE } from '#core/series/series.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { curveOf } from '#tests/core/series/a-curve.ts';
import { chartOn, DAYS, RANGE, seriesOf } from '#tests/app/chart/chart-rig.svelte.ts';

const WAIT = { timeout: 60_000 };

async function drawn(over: Parameters<typeof chartOn>[0]) {
  const rig = chartOn(over);
  onTestFinished(rig.end);
  await expect.poll(() => rig.target.querySelector('.image.drawn canvas'), WAIT).not.toBeNull();
  const chart = rig.target.querySelector('.chart') as HTMLElement;
  const key = (name: string): void => {
    chart.dispatchEvent(
      new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }),
    );
    flushSync();
  };
  const tip = (): string => rig.target.querySelector<HTMLElement>('.tip')?.innerText ?? '';
  const notes = (): string[] =>
    [...rig.target.querySelectorAll('text.note')].map((each) => each.textContent ?? '');
  return { ...rig, chart, key, tip, notes };
}
/** Days with a weekly rhythm up to today, of which six hours are known. */
function untilToday() {
  const series = seriesOf(1, (i) => (i === DAYS - 1 ? 60 : 240));
  series.curve.states[DAYS - 1] = STATE.partial;
  const hours = curveOf(
    Array.from({ length: 8 * 24 }, () => 10),
    RANGE.end - 8 * DAY_MS,
    HOUR_MS,
  );
  hours.states.fill(STATE.never, 7 * 24 + 6);
  return { series: [{ ...series, finer: [hours] }], now: RANGE.end - 18 * HOUR_MS };
}

describe('forecasts and targets on the page', () => {
  it('leads the arrow keys from the last count into the forecast and back', async () => {
    const { key, tip, target } = await drawn({
      data: { series: [seriesOf(1, (i) => 50 + (i % 7))] },
      style: { forecast: true },
    });
    for (const name of ['End', 'ArrowRight']) key(name);
    expect(tip()).toMatch(/^Forecast, Sat, 11 Apr 2026\s+Series 1\s+52\s+80% between 52 and 52$/);
    expect(target.querySelector('[aria-live]')?.textContent).toContain(
      'Series 1 52, 80% between 52 and 52',
    );
    key('ArrowRight');
    expect(tip()).toContain('Sun, 12 Apr 2026');
    for (const name of ['ArrowLeft', 'ArrowLeft']) key(name);
    expect(tip()).toMatch(/^Fri, 10 Apr 2026/);
  });

  it('shows the forecast under the pointer, beyond the range, and leaves zooming to the range', async () => {
    const { chart, tip, events } = await drawn({ style: { forecast: true } });
    const box = chart.getBoundingClientRect();
    const at = (clientX: number) => ({
      clientX,
      clientY: box.top + 60,
      pointerId: 1,
      pointerType: 'mouse',
      bubbles: true,
    });
    chart.setPointerCapture = () => undefined;
    chart.dispatchEvent(new PointerEvent('pointermove', at(box.right - 160)));
    await expect.poll(tip, WAIT).toMatch(/^Forecast/);
    for (const [kind, x] of [
      ['pointerdown', 300],
      ['pointermove', 160],
      ['pointerup', 160],
    ] as const)
      chart.dispatchEvent(new PointerEvent(kind, at(box.right - x)));
    await expect.poll(() => events.zooms.length, WAIT).toBeGreaterThan(0);
    expect(events.zooms.at(-1)?.end).toBeLessThanOrEqual(RANGE.end);
  });

  it('has all of it in a picture file, and none of it in the series', async () => {
    const rig = await drawn({
      style: { forecast: true, trendLine: true, target: { value: 80, label: 'Goal' } },
    });
    const still = stillOf(rig.props, 1000, 400);
    const { option, notes } = still;
    const svg = chartSvg(still, rig.props.style.colours.base, 0, 0);
    expect(svg).toContain('Forecast, 80% range');
    expect(svg).toContain('Goal 80');
    expect(notes[0]).toMatch(/^Trend: Series 1 flat, Series 2 flat, Series 3 \+1 a day$/);
    expect(notes[1]).toBe(
      'Goal 80 reached: Series 2 on 1, Series 3 on 30 of 100 days; no other series reached it',
    );
    const counts = option.curves.of().find(({ id }) => id === '1');
    expect(counts?.points?.at(-2)).toBe(RANGE.end - DAY_MS / 2);
  });

  it('says at what pace an unfinished day is', async () => {
    const { key, tip, set } = await drawn({ data: untilToday() });
    key('End');
    expect(tip()).toMatch(/60\s+not over yet, at this pace about 240/);
    set('data', { now: RANGE.end });
    flushSync();
    expect(tip()).not.toContain('pace');
  });

  it('names what is missing above the plot', async () => {
    const { notes, set } = await drawn({
      style: { forecast: true, form: 'share', target: { value: 5, label: '' } },
    });
    expect(notes()).toEqual([
      'Share of the Posts of each day',
      'No forecast: not for stacked curves',
      'No target line: 100 % is not in Posts',
    ]);
    set('style', { form: 'area', target: null });
    flushSync();
    expect(notes()).toEqual(['Posts a day']);
  });
});
