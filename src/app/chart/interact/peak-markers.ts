import type { ChartPeak } from '#app/chart/chart-props.ts';
import { cutTo, textWidth } from '#app/chart/draw/text-width.ts';
import { causeLabel } from '#core/causes/cause-words.ts';

/** A rectangle, px from the left and top of the chart. */
export interface MarkBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A peak with the position of its point, px. */
export interface PeakPoint extends ChartPeak {
  readonly x: number;
  readonly y: number;
}

/** A peak with its mark: a dot with a label, a numbered ring, or a tick. `x` and `y` are the mark's middle, px. */
export interface PlacedPeak extends PeakPoint {
  readonly mark: 'dot' | 'ring' | 'tick';
  /** The label of a dot. */
  readonly label: { readonly text: string; readonly box: MarkBox } | null;
}

/** The place for marks: labels and rings stay within `inside`, off `taken` boxes and off what is drawn. */
export interface PeakRoom {
  readonly inside: MarkBox;
  readonly taken: readonly MarkBox[];
  /** True if a line or a fill reaches into a box. */
  readonly covers: (box: MarkBox) => boolean;
}

/** Width of a ring, the gap around it, and its distance above its point, px. */
export const RING_PX = 16;
const APART_PX = 2;
const ABOVE_PX = 14;
/** Radius of a dot, px. */
export const DOT_PX = 3;
/** Distance of the middle of a tick above its point, px. */
const TICK_APART_PX = 7;
/** Size of a label's letters, its height, its greatest width, and the distance from its point, px. */
export const PEAK_LABEL_PX = 11.5;
const LABEL_HEIGHT_PX = 15;
const LABEL_MOST_PX = 150;
const LABEL_APART_PX = 5;
/** Clear space on either side of a label, px. */
const LABEL_SIDES_PX = 4;

/** Offsets of a ring from its point, px: above, the nearest first, then next to it. */
const RING_OFFSETS = [0, 1, 2, 3]
  .flatMap((up) => [0, -1, 1].map((across) => ({ up, across })))
  .sort((a, b) => Math.hypot(a.up, 2 * a.across) - Math.hypot(b.up, 2 * b.across))
  .map(({ up, across }) => ({
    x: across * (RING_PX + APART_PX),
    y: -ABOVE_PX - up * (RING_PX + APART_PX),
  }))
  .concat([0, RING_PX / 2].flatMap((y) => [ABOVE_PX, -ABOVE_PX].map((x) => ({ x, y }))));

const overlaps = (a: MarkBox, b: MarkBox): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const contains = (outer: MarkBox, { left, right, top, bottom }: MarkBox): boolean =>
  left >= outer.left && right <= outer.right && top >= outer.top && bottom <= outer.bottom;

/** The square around a point. */
const around = (x: number, y: number, half: number): MarkBox => ({
  left: x - half,
  right: x + half,
  top: y - half,
  bottom: y + half,
});

/** The places for a label, the best first: centred above its point, above it to either side, and next to it. */
function labelBoxes({ x, y }: PeakPoint, width: number): MarkBox[] {
  const at = (left: number, top: number): MarkBox => ({
    left,
    right: left + width,
    top,
    bottom: top + LABEL_HEIGHT_PX,
  });
  const above = y - LABEL_APART_PX - LABEL_HEIGHT_PX;
  return [
    at(x - width / 2, above),
    at(x - LABEL_SIDES_PX - DOT_PX, above),
    at(x + LABEL_SIDES_PX + DOT_PX - width, above),
    // Next to a point at the top of the plot, below the notes over it.
    ...[y - LABEL_HEIGHT_PX / 2, y - DOT_PX].flatMap((top) => [
      at(x + LABEL_APART_PX, top),
      at(x - LABEL_APART_PX - width, top),
    ]),
  ];
}

/** The words of a peak's first cause; empty if none is known or clear. */
export function peakLabel({ causes }: Pick<ChartPeak, 'causes'>): string {
  const first = causes?.groups[0];
  return first ? causeLabel(first) : '';
}

/**
 * Marks one peak of each numbered moment, the highest on the chart: by a dot with the words of its first cause, by a
 * ring with its number if it has none or there is no room for them, and every other peak by a tick. Moments are placed
 * by their number, so that a larger one never gives way to a smaller one. No label or ring overlaps another one, the
 * point of another peak, or anything that the room excludes.
 */
export function placePeaks(peaks: readonly PeakPoint[], room: PeakRoom): PlacedPeak[] {
  const rank = ({ number }: PeakPoint): number => number ?? Infinity;
  const ordered = peaks.toSorted((a, b) => (rank(a) === rank(b) ? a.y - b.y : rank(a) - rank(b)));
  /** The middle of a peak's tick: above its point, or below it where a text is above it. */
  const tickY = ({ x, y }: PeakPoint): number => {
    const above = around(x, y - TICK_APART_PX, DOT_PX);
    return room.taken.some((each) => overlaps(each, above)) ? y + TICK_APART_PX : y - TICK_APART_PX;
  };
  /** Each peak's point with its tick. */
  const points = ordered.map((peak): MarkBox => {
    const ends = [peak.y, tickY(peak)];
    return {
      ...around(peak.x, peak.y, DOT_PX),
      top: Math.min(...ends) - DOT_PX,
      bottom: Math.max(...ends) + DOT_PX,
    };
  });
  const placed: MarkBox[] = [];
  const isFree = (box: MarkBox, peak: number): boolean =>
    contains(room.inside, box) &&
    !room.taken.some((each) => overlaps(each, box)) &&
    !placed.some((each) => overlaps(each, box)) &&
    !points.some((each, i) => i !== peak && overlaps(each, box)) &&
    !room.covers(box);
  const marked = new Set<number | null>([null]);
  const marks = ordered.map((peak, i): PlacedPeak => {
    const { x, y, number } = peak;
    const tick: PlacedPeak = { ...peak, y: tickY(peak), mark: 'tick', label: null };
    if (marked.has(number)) return tick;
    marked.add(number);
    const text = cutTo(peakLabel(peak), PEAK_LABEL_PX, LABEL_MOST_PX);
    const width = textWidth(text, PEAK_LABEL_PX) + 2 * LABEL_SIDES_PX;
    const box = text === '' ? undefined : labelBoxes(peak, width).find((each) => isFree(each, i));
    if (box) {
      placed.push(box);
      return { ...peak, mark: 'dot', label: { text, box } };
    }
    const ring = RING_OFFSETS.map((by) => around(x + by.x, y + by.y, RING_PX / 2)).find((each) =>
      isFree(each, i),
    );
    if (!ring) return tick;
    placed.push(ring);
    const half = RING_PX / 2;
    return { ...peak, x: ring.left + half, y: ring.top + half, mark: 'ring', label: null };
  });
  // Ticks first: what says more is in front.
  return marks.reverse();
}
