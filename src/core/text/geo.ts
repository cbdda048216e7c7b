/** The place where a Post was made: a rectangle in degrees; a point has no extent. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Prefix of all terms of places on the map; the index lists them by it. */
export const GEO = 'geo:';

/** Prefix of the terms of boxes whose southern edge is in the degree of a latitude. */
export function bandPrefix(latitude: number): string {
  return `${GEO}${String(Math.floor(latitude) + 90).padStart(3, '0')}:`;
}

/**
 * True if numbers form a box on the map; the western edge may lie east of the eastern one (180th
 * meridian).
 */
export function isBox({ west, south, east, north }: Box): boolean {
  const inside = (n: number, limit: number): boolean => n >= -limit && n <= limit;
  const sides = inside(west, 180) && inside(east, 180);
  return sides && inside(south, 90) && inside(north, 90) && south <= north;
}

/** The term of a box; {@link boxOfTerm} returns the exact box. */
export function boxTerm({ west, south, east, north }: Box): string {
  return `${bandPrefix(south)}${west},${south},${east},${north}`;
}

export function boxOfTerm(term: string): Box {
  const [west = 0, south = 0, east = 0, north = 0] = term
    .slice(bandPrefix(0).length)
    .split(',')
    .map(Number);
  return { west, south, east, north };
}
