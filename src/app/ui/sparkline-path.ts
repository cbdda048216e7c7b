import { holesBefore, sumBefore, type Pyramid } from '#core/series/pyramid/pyramid.ts';

/** Margins of the line, px: half its width, and room for its joins. */
const SIDE_PX = 1;
const END_PX = 2;

/**
 * The shape of a sequence of counts as an SVG path: the means of at most `width` columns, with gaps where none is known.
 * Its height is from the lowest mean to the highest, and always includes zero.
 *
 * @param width - In px, like `height`.
 */
export function sparklinePath(pyramid: Pyramid, width: number, height: number): string {
  const size = pyramid.values.length;
  if (size < 2) return '';
  const columns = Math.min(width, size);
  const edgeOf = (column: number): number => Math.round((column * size) / columns);
  const means = Array.from({ length: columns }, (_, i) => {
    const [from, to] = [edgeOf(i), edgeOf(i + 1)];
    const known = to - from - (holesBefore(pyramid, to) - holesBefore(pyramid, from));
    const total = sumBefore(pyramid, to) - sumBefore(pyramid, from);
    return known > 0 ? total / known : Number.NaN;
  });
  const known = means.filter((mean) => !Number.isNaN(mean));
  const low = Math.min(0, ...known);
  const reach = Math.max(0, ...known) - low || 1;
  let pen = 'M';
  return means
    .map((mean, i) => {
      if (Number.isNaN(mean)) {
        pen = 'M';
        return '';
      }
      const x = SIDE_PX + (i / Math.max(1, means.length - 1)) * (width - 2 * SIDE_PX);
      const y = height - END_PX - ((mean - low) / reach) * (height - 2 * END_PX);
      const point = `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
      pen = 'L';
      return point;
    })
    .join('');
}
