import { beforeEach, describe, expect, it } from 'vitest';
import { Pointers, type Ground } from '#app/chart/interact/pointers.ts';
import { HOUR_MS, type Span } from '#core/time/span.ts';

const RANGE = { start: 0, end: 100 * HOUR_MS };

/** A plot of 100 px from 0, with one px per hour of the whole range. */
class TestGround implements Ground {
  window: Span = RANGE;
  readonly range = RANGE;
  drag: { from: number; to: number } | null = null;
  pointed: number | null = null;
  readonly shown: Span[] = [];
  readonly clicks: { x: number; again: boolean }[] = [];
  rests = 0;
  share(x: number): number {
    return x / 100;
  }
  at(x: number): number {
    return this.window.start + (x / 100) * (this.window.end - this.window.start);
  }
  point(x: number | null): void {
    this.pointed = x;
  }
  show(window: Span): void {
    this.window = window;
    this.shown.push(window);
  }
  select(window: Span): void {
    this.show(window);
  }
  rest(): void {
    this.rests += 1;
  }
  click(x: number, again: boolean): void {
    this.clicks.push({ x, again });
  }
}

let ground: TestGround;
let pointers: Pointers;
beforeEach(() => {
  ground = new TestGround();
  pointers = new Pointers(ground);
});
const mouse = (shiftKey = false, button = 0) => ({
  pointerId: 1,
  pointerType: 'mouse',
  button,
  shiftKey,
});
const finger = (pointerId: number) => ({
  pointerId,
  pointerType: 'touch',
  button: 0,
  shiftKey: false,
});
const hours = ({ start, end }: Span): number[] => [start / HOUR_MS, end / HOUR_MS];

describe('a mouse', () => {
  it('zooms into the span that it is dragged over, in either direction', () => {
    pointers.down(mouse(), 60, true);
    pointers.move(mouse(), 20);
    expect(ground.drag).toEqual({ from: 60, to: 20 });
    pointers.up(mouse(), 20);
    expect(ground.drag).toBeNull();
    expect(ground.shown.map(hours)).toEqual([[20, 60]]);
    expect(ground.clicks).toEqual([]);
  });

  it('clicks if it is not dragged', () => {
    pointers.down(mouse(), 60, true);
    pointers.move(mouse(), 62);
    pointers.up(mouse(), 62);
    expect(ground.shown).toEqual([]);
    expect(ground.clicks).toEqual([{ x: 62, again: true }]);
  });

  it('does not click if it is dragged away and back', () => {
    pointers.down(mouse(), 60, true);
    pointers.move(mouse(), 80);
    pointers.move(mouse(), 60);
    pointers.up(mouse(), 60);
    expect(ground.clicks).toEqual([]);
    expect(ground.shown).toEqual([]);
  });

  it('pans with Shift by the distance from where it began', () => {
    ground.window = { start: 40 * HOUR_MS, end: 60 * HOUR_MS };
    pointers.down(mouse(true), 50, true);
    pointers.move(mouse(true), 60);
    pointers.move(mouse(true), 75);
    pointers.up(mouse(true), 75);
    expect(ground.shown.map(hours)).toEqual([
      [38, 58],
      [35, 55],
    ]);
    expect(ground.rests).toBe(1);
  });

  it('has no effect with its other buttons', () => {
    pointers.down(mouse(false, 2), 10, true);
    pointers.up(mouse(false, 2), 10);
    expect([ground.drag, ground.clicks]).toEqual([null, []]);
  });
});

describe('fingers', () => {
  it('one reads, and does not pan if the whole range is in view', () => {
    pointers.down(finger(1), 10, false);
    pointers.move(finger(1), 40);
    expect(ground.pointed).toBe(40);
    pointers.up(finger(1), 40);
    expect([ground.shown, ground.clicks]).toEqual([[], []]);
  });

  it('one pans when zoomed in, and a first tap differs from a second', () => {
    ground.window = { start: 40 * HOUR_MS, end: 60 * HOUR_MS };
    pointers.down(finger(1), 50, false);
    pointers.move(finger(1), 25);
    expect(hours(ground.window)).toEqual([45, 65]);
    expect(ground.pointed).toBeNull();
    pointers.up(finger(1), 25);
    for (const again of [false, true]) {
      pointers.down(finger(1), 30, again);
      pointers.up(finger(1), 30);
    }
    expect(ground.clicks.map((click) => click.again)).toEqual([false, true]);
  });

  it('two zoom and pan at once, and each keeps its instant', () => {
    pointers.down(finger(1), 40, false);
    pointers.down(finger(2), 60, false);
    pointers.move(finger(1), 30);
    pointers.move(finger(2), 80);
    const [start = 0, end = 0] = hours(ground.window);
    expect(end - start).toBeCloseTo(40, 9);
    expect(start + 0.3 * (end - start)).toBeCloseTo(40, 9);
    expect(start + 0.8 * (end - start)).toBeCloseTo(60, 9);
  });

  it('the remaining one of two continues to pan from its position', () => {
    ground.window = { start: 40 * HOUR_MS, end: 60 * HOUR_MS };
    pointers.down(finger(1), 40, false);
    pointers.down(finger(2), 60, false);
    pointers.up(finger(2), 60);
    expect(ground.clicks).toEqual([]);
    pointers.move(finger(1), 40);
    pointers.move(finger(1), 20);
    expect(hours(ground.window)).toEqual([44, 64]);
  });

  it('have no effect after the browser takes them over', () => {
    pointers.down(mouse(), 20, true);
    pointers.cancel(mouse());
    pointers.up(mouse(), 70);
    expect([ground.drag, ground.shown, ground.clicks]).toEqual([null, [], []]);
  });
});
