import { flushSync } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { describe, expect, it, vi } from 'vitest';
import EventRows from '#app/events/EventRows.svelte';
import { eventAxis, type EventAxis } from '#app/events/layout.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { boardEvents } from '#tests/support/data/board-events.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const EDGE = 50;
const WIDTH = 800;

/** The row of these notes, whose window moves. */
function rowOf(notes: readonly { start: number; end: number | null }[]) {
  const events = boardEvents();
  events.notes.replace(notes.map((note, i) => ({ ...note, id: `${i}`, text: `Note ${i}` })));
  const axes = new SvelteMap<'axis', EventAxis>();
  const move = (from: number, to: number): void => {
    axes.set('axis', eventAxis(EDGE, WIDTH, { start: from, end: to }));
    flushSync();
  };
  const axis = (): EventAxis => axes.get('axis') ?? eventAxis(EDGE, WIDTH, { start: 0, end: 1000 });
  const when = vi.fn((start: number, end: number | null) => [start, end ?? []].flat().join('–'));
  const props = {
    events,
    get axis() {
      return axis();
    },
    // As the chart gives it, it changes with each axis.
    get cursor() {
      return axis() === null ? 0 : null;
    },
    when,
  };
  const { target } = mounted(EventRows, props, {
    style: 'position:absolute;top:0;left:0;width:1000px',
  });
  const boxOf = (name: string): DOMRect | undefined =>
    target.querySelector(`[aria-label^="Note: ${name},"]`)?.parentElement?.getBoundingClientRect();
  const list = (): HTMLElement | null => target.querySelector('ul');
  const point = (name: string): void => {
    const place = target.querySelector(`[aria-label^="Note: ${name},"]`);
    place?.dispatchEvent(new PointerEvent('pointerenter'));
  };
  return { events, when, move, axis, boxOf, list, point };
}

describe('the row of events', () => {
  it('has each event at its time while the window moves, and where it rests', async () => {
    const notes = [
      { start: 300, end: null },
      { start: 420, end: 520 },
      { start: 600, end: null },
    ];
    const { move, axis, boxOf, list } = rowOf(notes);
    let [from, to] = [0, 1000];
    const turns = [0.93, 0.93, 0.93, 0.93, 0.93, 0.93, 1.075, 1.075, 1.075, 1.075, 1.075];
    for (const turn of turns) {
      const middle = 460;
      [from, to] = [middle - (middle - from) * turn, middle + (to - middle) * turn];
      move(from + 5, to + 5);
      for (const [i, note] of notes.entries()) {
        const box = boxOf(`Note ${i}`);
        const at = axis().x(note.start);
        const drawn = note.end === null ? ((box?.left ?? 0) + (box?.right ?? 0)) / 2 : box?.left;
        expect(drawn).toBeCloseTo(at, 0);
        if (note.end !== null) expect(box?.right).toBeCloseTo(axis().x(note.end), 0);
      }
    }
    await expect.poll(() => list()?.style.width, { timeout: 30_000 }).toBe(`${WIDTH}px`);
    expect(list()?.style.left).toBe(`${EDGE}px`);
    expect(boxOf('Note 1')?.left).toBeCloseTo(axis().x(420), 0);
  });

  it('places and names nothing again while the window moves by less than its margin', () => {
    const { when, move, boxOf } = rowOf([{ start: 500, end: null }]);
    move(100, 900);
    move(110, 910);
    when.mockClear();
    move(120, 920);
    move(90, 910);
    expect(boxOf('Note 0')?.left).toBeCloseTo(EDGE + WIDTH / 2 - 7, 0);
    expect(when).not.toHaveBeenCalled();
  });

  it('leaves the focus on its event when others join the row', () => {
    const { events } = rowOf([
      { start: 400, end: null },
      { start: 700, end: null },
    ]);
    const focused = (): string | null | undefined =>
      document.activeElement?.getAttribute('aria-label');
    // The page of the test is narrower than the row.
    const last = document.querySelector<HTMLElement>('[aria-label="Note: Note 1, 700"]');
    last?.focus({ preventScroll: true });
    events.notes.add({ start: 100, text: 'Before' });
    flushSync();
    expect(focused()).toBe('Note: Note 1, 700');
    expect(events.pointed).toEqual({ start: 700, end: 700 });
    events.notes.remove('0');
    flushSync();
    expect(focused()).toBe('Note: Note 1, 700');
    expect(document.querySelectorAll('[tabindex="0"]')).toHaveLength(1);
  });

  it('has the events that a moved window comes to, and none outside the plot', () => {
    const { move, boxOf, list } = rowOf([
      { start: 100, end: null },
      { start: 1500, end: null },
    ]);
    expect(boxOf('Note 1')).toBeUndefined();
    move(1000, 2000);
    expect(boxOf('Note 1')?.left).toBeCloseTo(EDGE + WIDTH / 2 - 7, 0);
    expect(boxOf('Note 0')).toBeUndefined();
    expect(list()?.style.clipPath).toBe('inset(0px 200px)');
  });

  it('marks the time of an event at the pointer on the curve, until the event is gone', () => {
    const { events, move, point } = rowOf([
      { start: 300, end: null },
      { start: 420, end: 520 },
    ]);
    point('Note 1');
    expect(events.pointed).toEqual({ start: 420, end: 520 });
    move(2000, 3000);
    expect(events.pointed).toBeNull();
    move(0, 1000);
    point('Note 0');
    expect(events.pointed).toEqual({ start: 300, end: 300 });
    events.notes.replace([]);
    flushSync();
    expect(events.pointed).toBeNull();
  });
});
