import { bandPrefix, type Box } from '#core/text/geo.ts';

/** A part of the map that a query names. */
export type Area =
  | ({ readonly kind: 'box' } & Box)
  | { readonly kind: 'circle'; readonly lon: number; readonly lat: number; readonly km: number };

/** The international mile. */
export const MILE_KM = 1.609344;
/** Radius, width and height of an area stay below this (platform-facts 2.1). */
export const LIMIT_KM = 25 * MILE_KM;
/** Mean radius of the Earth (IUGG: R1 = 6371.0088 km); areas are on a sphere. */
const EARTH_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/** Distance of two points on the sphere by haversines, km. */
function distance(lonA: number, latA: number, lonB: number, latB: number): number {
  const lat = Math.sin(((latB - latA) * RADIANS) / 2);
  const lon = Math.sin(((lonB - lonA) * RADIANS) / 2);
  const h = lat * lat + Math.cos(latA * RADIANS) * Math.cos(latB * RADIANS) * lon * lon;
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Height of a box, and its width where it is widest, in km. */
export function boxExtent({ west, south, east, north }: Box): { width: number; height: number } {
  const widest = south <= 0 && north >= 0 ? 0 : Math.min(Math.abs(south), Math.abs(north));
  return {
    width: (east - west) * RADIANS * EARTH_KM * Math.cos(widest * RADIANS),
    height: (north - south) * RADIANS * EARTH_KM,
  };
}

/** True if an area contains a whole box. Borders belong to both. */
export function contains(area: Area, box: Box): boolean {
  if (area.kind === 'box') {
    if (box.south < area.south || box.north > area.north || box.west > box.east) return false;
    return box.west >= area.west && box.east <= area.east;
  }
  const { lon, lat, km } = area;
  const near = (x: number, y: number): boolean => distance(lon, lat, x, y) <= km;
  const { west, south, east, north } = box;
  if (!near(west, south) || !near(east, south) || !near(west, north) || !near(east, north))
    return false;
  // The corners are the farthest points of a box, unless it spans the meridian opposite the centre.
  const opposite = lon > 0 ? lon - 180 : lon + 180;
  const reaches =
    west <= east ? opposite >= west && opposite <= east : opposite >= west || opposite <= east;
  return !reaches || (near(opposite, south) && near(opposite, north));
}

/** Prefixes of the terms of all boxes that may lie in an area. */
export function areaPrefixes(area: Area): string[] {
  // A box in the area has its southern edge in it; the margin covers rounding.
  const reach = area.kind === 'circle' ? area.km / EARTH_KM / RADIANS + 1e-6 : 0;
  const south = area.kind === 'circle' ? area.lat - reach : area.south;
  const north = area.kind === 'circle' ? area.lat + reach : area.north;
  const out: string[] = [];
  for (let lat = Math.floor(Math.max(-90, south)); lat <= Math.min(90, north); lat++) {
    out.push(bandPrefix(lat));
  }
  return out;
}

/** Normalises a decimal: no sign for zero, no leading or trailing zeros; null if the text is not one. */
function decimal(text: string): string | null {
  const found = /^(-?)(\d{0,6})(?:\.(\d{0,17}))?$/.exec(text);
  if (!found || /^-?\.?$/.test(text)) return null;
  const whole = (found[2] ?? '').replace(/^0+(?=\d)/, '') || '0';
  const part = (found[3] ?? '').replace(/0+$/, '');
  const value = part === '' ? whole : `${whole}.${part}`;
  return found[1] === '-' && value !== '0' ? `-${value}` : value;
}

/** The numbers in brackets of an operator's value. */
export interface Bracketed {
  readonly parts: readonly {
    readonly text: string;
    /** As `decimal` writes it, for a radius without its unit; null if it is not a number. */
    readonly number: string | null;
    readonly unit: string;
    /** The position at which it begins in the value. */
    readonly at: number;
  }[];
}

/** Reads `[a b c]`; null if the value is not in brackets. */
export function readBracketed(value: string): Bracketed | null {
  if (!value.startsWith('[') || !value.endsWith(']') || value.length < 2) return null;
  const parts = [...value.slice(1, -1).matchAll(/\S+/g)].map((found) => {
    const text = found[0];
    const unit = /[a-z]+$/i.exec(text)?.[0] ?? '';
    const number = decimal(text.slice(0, text.length - unit.length));
    return { text, number, unit: unit.toLowerCase(), at: found.index + 1 };
  });
  return { parts };
}

/** The area of a checked value: `[lon lat radius]` or `[west south east north]`. */
export function areaOf(value: string): Area {
  const parts = readBracketed(value)?.parts ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = parts.map((part) => Number(part.number));
  if (parts.length === 4) return { kind: 'box', west: a, south: b, east: c, north: d };
  return { kind: 'circle', lon: a, lat: b, km: parts[2]?.unit === 'mi' ? c * MILE_KM : c };
}
