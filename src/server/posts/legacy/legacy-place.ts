import { digits, object, string, type Json } from '#core/import/json.ts';
import { readJson } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';

/** The corners of a rectangle, as version 1.1 lists them. */
function cornersOf(bbox: unknown): Json | null {
  const edges = Array.isArray(bbox) ? bbox.map(Number) : [];
  const [west, south, east, north] = edges;
  if (edges.length !== 4 || edges.some(Number.isNaN)) return null;
  const corners = [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
  ];
  return { type: 'Polygon', coordinates: [corners] };
}

function placeOf(place: Json): Json {
  const { id, place_type, full_name, country = '', country_code = '' } = place;
  return {
    id,
    place_type,
    name: string(place.name) ?? full_name,
    full_name,
    country_code,
    country,
    bounding_box: cornersOf(object(place.geo)?.bbox),
    attributes: {},
  };
}

/** The place where a Post was made: the exact point in both orders of its coordinates, and the place. */
export function legacyGeo(found: Json | null, finder: PostFinder): Json {
  const key = digits(found?.place_id);
  const stored = key === undefined ? null : readJson(finder.object('places', key));
  // twarc writes the place into `geo` itself.
  const place = stored ?? (string(found?.full_name) === undefined ? null : found);
  const point = object(found?.coordinates)?.coordinates;
  const [lon, lat] = Array.isArray(point) ? point.map(Number) : [];
  const hasPoint = lon !== undefined && lat !== undefined;
  return {
    geo: hasPoint ? { type: 'Point', coordinates: [lat, lon] } : null,
    coordinates: hasPoint ? { type: 'Point', coordinates: [lon, lat] } : null,
    place: place && placeOf({ id: key, ...place }),
  };
}
