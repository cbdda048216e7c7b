/** A peak that was found, by its number in the list of them. */
export interface ChartPeak {
  readonly number: number;
  /** Start of its summit's bucket, epoch ms. */
  readonly at: number;
  readonly count: number;
  readonly seriesId: number;
}

/** A ring's place in px. */
export interface PlacedPeak extends ChartPeak {
  readonly x: number;
  readonly y: number;
}

/** Width of a ring, the room between two, and how far above its point it stands, px. */
export const RING_PX = 16;
const APART_PX = 2;
const ABOVE_PX = 14;

/**
 * Places rings above their points. Where two would overlap the one with the smaller count is left out.
 *
 * @param peaks - With the places of their points in px.
 * @param top - Of the plot; no ring stands higher than its middle there.
 */
export function placePeaks(peaks: readonly PlacedPeak[], top: number): PlacedPeak[] {
  const out: PlacedPeak[] = [];
  const room = RING_PX + APART_PX;
  for (const peak of [...peaks].sort((a, b) => b.count - a.count || a.number - b.number)) {
    const y = Math.max(top, peak.y - ABOVE_PX);
    const free = out.every((one) => Math.hypot(one.x - peak.x, one.y - y) >= room);
    if (free) out.push({ ...peak, y });
  }
  return out.sort((a, b) => a.x - b.x);
}
