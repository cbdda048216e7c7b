import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  placePeaks,
  RING_PX,
  type MarkBox,
  type PeakPoint,
  type PeakRoom,
  type PlacedPeak,
} from '#app/chart/interact/peak-markers.ts';
import { lineCovers, type PxLine } from '#app/chart/interact/peak-room.ts';
import type { Causes } from '#core/causes/causes.ts';
import { runs } from '#tests/support/run/runs.ts';

const PLOT = { left: 0, right: 400, top: 0, bottom: 260 };
const EMPTY: PeakRoom = { inside: PLOT, taken: [], covers: () => false };

/** Causes whose first has a name; none is clear if it is empty. */
function causes(name: string): Causes {
  const group = { kind: 'phrase', name, clause: name, alone: true, posts: 60, usual: 0 } as const;
  const groups = name === '' ? [] : [group];
  return { posts: 100, groups, rest: { posts: 100 - 60 * groups.length, usual: 0 } };
}

const point = (over: Partial<PeakPoint> & { readonly label?: string | undefined }): PeakPoint => {
  const { label, ...rest } = over;
  const about = label === undefined ? {} : { causes: causes(label) };
  return { key: 'a', number: 1, at: 0, count: 5, seriesId: 1, x: 200, y: 100, ...about, ...rest };
};

const coordinate = (most: number) => fc.integer({ min: 0, max: most });
const names = fc.constantFrom('', 'tea', 'bakery croissants', 'a very long name of what it was');
const points = fc
  .array(
    fc.record({
      number: fc.option(fc.integer({ min: 1, max: 8 })),
      label: fc.option(names, { nil: undefined }),
      x: coordinate(400),
      y: coordinate(260),
    }),
    { maxLength: 30 },
  )
  .map((all) => all.map((each, i) => point({ ...each, key: String(i) })));
const boxes = fc.array(
  fc
    .tuple(coordinate(400), coordinate(260), coordinate(120), coordinate(20))
    .map(([left, top, wide, high]) => ({ left, top, right: left + wide, bottom: top + high })),
  { maxLength: 4 },
);
const lines = fc.array(
  fc.record({
    points: fc
      .array(fc.option(coordinate(260), { freq: 8 }), { maxLength: 50 })
      .map((ys) => Float64Array.from(ys.flatMap((y, i) => [i * 8, y ?? Number.NaN]))),
    reach: fc.constantFrom(0, 3),
    filled: fc.boolean(),
  }),
  { maxLength: 3 },
);
const rooms = fc.tuple(boxes, lines).map(([taken, drawn]): PeakRoom & { drawn: PxLine[] } => ({
  inside: PLOT,
  taken,
  covers: (box) => drawn.some((line) => lineCovers(line, box)),
  drawn,
}));

/** The box of a label or ring. */
function boxOf({ mark, label, x, y }: PlacedPeak): MarkBox | null {
  const half = RING_PX / 2;
  if (mark === 'ring') return { left: x - half, right: x + half, top: y - half, bottom: y + half };
  return label && label.box;
}

const overlap = (a: MarkBox, b: MarkBox): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** True if a line is drawn at some place of a box, looked up at many of its places. */
function isDrawnIn({ points, filled }: PxLine, box: MarkBox): boolean {
  for (let x = box.left; x <= box.right; x += 0.5) {
    for (let i = 2; i < points.length; i += 2) {
      const [ax, ay, bx, by] = points.subarray(i - 2, i + 2) as unknown as number[];
      if (x < ax! || x > bx!) continue;
      const y = ay! + ((by! - ay!) * (x - ax!)) / (bx! - ax!);
      if (y < box.bottom && (filled || y > box.top)) return true;
    }
  }
  return false;
}

describe('marks of peaks', () => {
  it('never overlap each other, what is drawn, a text, or the point of another peak', () => {
    fc.assert(
      fc.property(points, rooms, (given, room) => {
        const placed = placePeaks(given, room);
        const marks = placed.flatMap((peak) => {
          const box = boxOf(peak);
          return box ? [{ key: peak.key, box }] : [];
        });
        for (const [i, { key, box }] of marks.entries()) {
          expect(marks.slice(i + 1).some((other) => overlap(box, other.box))).toBe(false);
          expect(room.taken.some((text) => overlap(box, text))).toBe(false);
          expect(room.drawn.some((line) => isDrawnIn(line, box))).toBe(false);
          const inside = [box.left, box.top, PLOT.right - box.right, PLOT.bottom - box.bottom];
          expect(Math.min(...inside)).toBeGreaterThanOrEqual(0);
          const others = given.filter((peak) => peak.key !== key);
          const isOn = ({ x, y }: PeakPoint): boolean =>
            x > box.left && x < box.right && y > box.top && y < box.bottom;
          expect(others.filter(isOn)).toEqual([]);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('have a tick above their point, or below it where a text is above it', () => {
    const unit = { left: 150, right: 250, top: 86, bottom: 98 };
    const tickY = (taken: readonly MarkBox[]) =>
      placePeaks([point({ number: null })], { ...EMPTY, taken })[0]?.y;
    expect([tickY([]), tickY([unit])]).toEqual([93, 107]);
  });

  it('are one for each moment, eight at most; every other peak has a tick', () => {
    fc.assert(
      fc.property(points, rooms, (given, room) => {
        const placed = placePeaks(given, room);
        expect(placed.map(({ key }) => key).sort()).toEqual(given.map(({ key }) => key).sort());
        const numbers = placed.filter(({ mark }) => mark !== 'tick').map(({ number }) => number);
        expect(numbers.length).toBeLessThanOrEqual(8);
        expect(numbers).toHaveLength(new Set(numbers).size);
        expect(numbers).not.toContain(null);
        for (const { mark, label, causes: of } of placed) {
          expect(mark === 'dot').toBe(label !== null);
          if (label) expect(of?.groups).toHaveLength(1);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('of a larger moment do not give way to a smaller one', () => {
    fc.assert(
      fc.property(points, rooms, (given, room) => {
        const [first] = given
          .filter(({ number }) => number !== null)
          .toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0) || a.y - b.y);
        if (!first) return;
        const smaller = given.map((peak) =>
          peak.key === first.key ? peak : { ...peak, number: null },
        );
        const placeIn = (all: readonly PeakPoint[]) =>
          placePeaks(all, room).find(({ key }) => key === first.key);
        expect(placeIn(given)).toEqual(placeIn(smaller));
      }),
      { numRuns: runs(100) },
    );
  });

  it.each([
    ['in the open', 200, 130],
    ['at the left edge', 10, 3],
  ])('have the words of their cause above the point %s', (_, x, least) => {
    const [placed] = placePeaks([point({ x, label: 'bakery croissants' })], EMPTY);
    expect(placed).toMatchObject({ mark: 'dot', x, y: 100, label: { text: 'bakery croissants' } });
    expect(placed?.label?.box.left).toBeGreaterThanOrEqual(least);
    expect(placed?.label?.box.bottom).toBe(95);
  });

  it('have the words next to the point where there is no room above, else a ring', () => {
    const label = 'bakery croissants';
    const placed = (...taken: MarkBox[]) => placePeaks([point({ label })], { ...EMPTY, taken })[0];
    const above = { left: 0, right: 400, top: 0, bottom: 92 };
    const right = { left: 215, right: 216, top: 0, bottom: 260 };
    expect(placed(above)?.label?.box.left).toBeGreaterThan(200);
    expect(placed(above, right)?.label?.box.right).toBeLessThan(200);
    const left = { left: 180, right: 182, top: 0, bottom: 260 };
    expect(placed({ ...above, bottom: 70 }, left, right)).toMatchObject({ mark: 'ring', x: 200 });
    expect(placePeaks([point({ label: '' })], EMPTY)[0]).toMatchObject({ mark: 'ring', y: 86 });
  });

  it('are ticks without any room', () => {
    const placed = placePeaks([point({ label: 'tea' })], { ...EMPTY, covers: () => true });
    expect(placed).toMatchObject([{ mark: 'tick', x: 200, y: 93, label: null }]);
  });

  it('are above the highest point of their moment', () => {
    const given = [
      point({ key: 'low', x: 40 }),
      point({ key: 'high', x: 44, y: 60 }),
      point({ key: 'small', number: null, y: 90 }),
    ];
    expect(placePeaks(given, EMPTY).map(({ key, mark, y }) => [key, mark, y])).toEqual([
      ['small', 'tick', 83],
      ['low', 'tick', 93],
      ['high', 'ring', 46],
    ]);
  });
});
