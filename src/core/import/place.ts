import { isBox, type Box } from '#core/text/geo.ts';
import type { MutablePost } from '#core/text/post.ts';
import { digits, object, string, type Json } from './json.ts';

export interface PlaceFacts {
  /** Its id, name and full name, as far as known. */
  readonly names: readonly string[];
  readonly country: string | undefined;
  readonly box: Box | undefined;
}

function numbers(list: unknown): number[] {
  return Array.isArray(list) ? list.map((n) => (typeof n === 'number' ? n : Number.NaN)) : [];
}

function boxOf(west = NaN, south = NaN, east = NaN, north = NaN): Box | undefined {
  const box = { west, south, east, north };
  return isBox(box) ? box : undefined;
}

/** The box of a v2 place, or of the corners in the interface before v2. */
function placeBox(place: Json): Box | undefined {
  const [west, south, east, north] = numbers(object(place.geo)?.bbox);
  if (west !== undefined) return boxOf(west, south, east, north);
  const rings = object(place.bounding_box)?.coordinates;
  const ring: unknown = Array.isArray(rings) ? rings[0] : undefined;
  const corners = Array.isArray(ring) ? ring.map(numbers) : [];
  if (corners.length === 0) return undefined;
  const lons = corners.map(([lon]) => lon ?? Number.NaN);
  const lats = corners.map(([, lat]) => lat ?? Number.NaN);
  return boxOf(Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats));
}

/** Reads a place of v2 or older. */
export function placeFacts(place: Json): PlaceFacts {
  const names = [digits(place.id), string(place.name), string(place.full_name)];
  return {
    names: [...new Set(names.filter((name) => name !== undefined))],
    country: string(place.country_code),
    box: placeBox(place),
  };
}

/**
 * Sets the place of a Post.
 *
 * @param point - `[longitude, latitude]` of the Post itself, if it has one.
 */
export function setPlace(post: MutablePost, place: PlaceFacts | undefined, point: unknown): void {
  if (place && place.names.length > 0) post.places = place.names;
  if (place?.country !== undefined) post.country = place.country;
  const [lon, lat] = numbers(point);
  const boxes = [place?.box, boxOf(lon, lat, lon, lat)].filter((box) => box !== undefined);
  if (boxes.length > 0) post.boxes = boxes;
}

/** A positive count as number or digits; undefined otherwise. */
function metric(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof read === 'number' && Number.isSafeInteger(read) && read > 0 ? read : undefined;
}

/** Sets the engagement counts of a Post; zero is treated as unknown. */
export function setMetrics(
  post: MutablePost,
  counts: { readonly likes: unknown; readonly replies: unknown; readonly reposts: unknown },
): void {
  for (const name of ['likes', 'replies', 'reposts'] as const) {
    const n = metric(counts[name]);
    if (n !== undefined) post[name] = n;
  }
}
