import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byTime, type BoardEvent } from '#app/events/event.ts';
import { eventAxis, eventsAt, placeAt, placeEvents, SHAPE_PX } from '#app/events/layout.ts';

const axis = eventAxis(52, 800, { start: 0, end: 1000 });

const eventOf = (id: string, start: number, end: number | null): BoardEvent => ({
  kind: 'note',
  id,
  start,
  end,
  title: id,
  detail: '',
  source: '',
});

const events: fc.Arbitrary<BoardEvent[]> = fc
  .array(
    fc.record({
      start: fc.integer({ min: -300, max: 1300 }),
      length: fc.option(fc.integer({ min: 1, max: 500 })),
    }),
    { maxLength: 60 },
  )
  .map((all) =>
    all
      .map(({ start, length }, i) =>
        eventOf(`${i}`, start, length === null ? null : start + length),
      )
      .sort(byTime),
  );

describe('the row of events', () => {
  it('represents every event of the window once; bars never overlap bars, nor moments moments', () => {
    fc.assert(
      fc.property(events, (all) => {
        const places = placeEvents(all, axis);
        const inside = all.filter(
          ({ start, end }) => start < 1000 && (end === null ? start >= 0 : end > 0),
        );
        const shown = places.flatMap((place) => {
          const members = eventsAt(place, all);
          expect(members).toHaveLength(place.count);
          return members.map(({ id }) => id);
        });
        expect(shown.sort()).toEqual(inside.map(({ id }) => id).sort());
        for (const [i, a] of places.entries()) {
          expect(a.left).toBeGreaterThanOrEqual(52);
          expect(a.left + a.width).toBeLessThanOrEqual(852.000001);
          for (const b of places.slice(i + 1)) {
            expect(a.left).toBeLessThanOrEqual(b.left);
            if (a.isBar === b.isBar) expect(a.left + a.width).toBeLessThanOrEqual(b.left + 1e-6);
            if (a.room > 0) expect(a.left + a.room).toBeLessThanOrEqual(b.left + SHAPE_PX / 2);
            // The words of a bar are between the shapes that lie on it.
            if (!a.isBar && b.isBar && b.room > 0)
              expect(b.left + b.indent).toBeGreaterThanOrEqual(a.left + a.width - 1e-6);
            if (a.isBar && !b.isBar && a.room > 0)
              expect(a.left + a.indent + a.room).toBeLessThanOrEqual(b.left + 1e-6);
          }
          if (a.isBar && a.room > 0 && a.indent < a.width)
            expect(a.indent + a.room).toBeLessThanOrEqual(a.width);
        }
      }),
    );
  });

  it('has a bar at its time, and the shape of a moment around it', () => {
    const [bar] = placeEvents([eventOf('a', 100, 600)], axis);
    expect(bar).toMatchObject({ left: 132, width: 400, count: 1, span: { start: 100, end: 600 } });
    const [moment] = placeEvents([eventOf('a', 100, null)], axis);
    expect(moment).toMatchObject({ left: 132 - SHAPE_PX / 2, width: SHAPE_PX });
  });

  it('merges bars without one that ended before the window', () => {
    const all = [eventOf('a', -300, 200), eventOf('b', -250, -100), eventOf('c', 100, 300)];
    const [place] = placeEvents(all, axis);
    if (!place) throw new Error('expected a place');
    expect(place.count).toBe(2);
    expect(eventsAt(place, all).map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('begins the words of a bar after a shape that lies on its start', () => {
    const both = [eventOf('note', 98, null), eventOf('bar', 100, 600)];
    const [note, bar] = placeEvents(both, axis);
    expect(bar).toMatchObject({ left: 132, indent: (note?.left ?? 0) + SHAPE_PX - 132 });
    expect(placeEvents([eventOf('bar', 100, 600)], axis)[0]?.indent).toBe(0);
  });

  it('has words in a bar where they fit, and else after it or cut, wherever there is more room', () => {
    const wordsOf = (title: string, ...others: BoardEvent[]) => {
      const [bar] = placeEvents([{ ...eventOf('bar', 0, 100), title }, ...others], axis);
      return [bar?.width, bar?.indent, bar?.room, bar?.free];
    };
    expect(wordsOf('Launch')).toEqual([80, 0, 76, 716]);
    expect(wordsOf('Launch in all of the shops')).toEqual([80, 80, 716, 716]);
    expect(wordsOf('Launch in all of the shops', eventOf('next', 150, 300))).toEqual([
      80, 0, 76, 36,
    ]);
  });

  it('finds a place by an instant, and a moment before the bar that it lies on', () => {
    const all = [eventOf('bar', 100, 600), eventOf('moment', 300, null)];
    const places = placeEvents(all, axis);
    const at = (instant: number): string | undefined => placeAt(places, axis, instant)?.event.id;
    expect([at(299), at(200), at(50), at(700)]).toEqual(['moment', 'bar', undefined, undefined]);
  });
});
