import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areaPrefixes, contains, boxExtent, LIMIT_KM, type Area } from '#core/query/area.ts';
import { boxOfTerm, boxTerm, type Box } from '#core/text/geo.ts';
import { runs } from '#tests/support/run/runs.ts';

const box = (west: number, south: number, east = west, north = south): Box => ({
  west,
  south,
  east,
  north,
});
const circle = (lon: number, lat: number, km: number): Area => ({ kind: 'circle', lon, lat, km });

describe('a circle contains a box if it contains all its points', () => {
  it.each([
    ['its centre', circle(1, 2, 1), box(1, 2), true],
    // A degree of a meridian of a sphere of 6371.0088 km is 111.195 km.
    ['a point a degree north', circle(0, 0, 111.196), box(0, 1), true],
    ['a point just beyond', circle(0, 0, 111.194), box(0, 1), false],
    // 0.1 degrees of the parallel at 60° are half as long as at the equator: 5.56 km.
    ['a point east at 60°', circle(10, 60, 5.57), box(10.1, 60), true],
    ['a point east at 60°, beyond', circle(10, 60, 5.55), box(10.1, 60), false],
    ['a box with one corner outside', circle(0, 0, 15), box(-0.05, -0.05, 0.15, 0.05), false],
    ['across the 180th meridian', circle(179.99, 0, 10), box(-179.99, 0), true],
    ['a box across the 180th meridian', circle(180, 0, 10), box(179.99, 0, -179.99, 0.01), true],
    ['round the pole, all of it', circle(0, 90, 30), box(-180, 89.9, 180, 90), true],
    ['round the pole, not the far side', circle(0, 89.9, 15), box(-180, 89.9, 180, 90), false],
  ])('%s', (_, area, one, expected) => {
    expect(contains(area, one)).toBe(expected);
  });
});

describe('a box contains what lies in it', () => {
  const area: Area = { kind: 'box', ...box(-0.1, 51.4, 0.1, 51.6) };
  it.each([
    ['a corner', box(-0.1, 51.6), true],
    ['itself', box(-0.1, 51.4, 0.1, 51.6), true],
    ['a point outside', box(0.100001, 51.5), false],
    ['a larger box', box(-0.2, 51.4, 0.1, 51.6), false],
    ['a box round the rest of the world', box(0.05, 51.5, -0.05, 51.5), false],
  ])('%s', (_, one, expected) => {
    expect(contains(area, one)).toBe(expected);
  });
});

it('a box is as wide as where it is widest', () => {
  const { width, height } = boxExtent(box(0, -1, 1, 60));
  expect(width).toBeCloseTo(111.195, 3);
  expect(height).toBeCloseTo(61 * 111.195, 1);
  expect(boxExtent(box(0, 60, 1, 61)).width).toBeCloseTo(55.5975, 3);
});

const lon = fc.double({ min: -180, max: 180, noNaN: true });
const lat = fc.double({ min: -90, max: 90, noNaN: true });

it('the term of a box restores it', () => {
  fc.assert(
    fc.property(lon, lat, lon, lat, (west, a, east, b) => {
      const one = box(west, Math.min(a, b), east, Math.max(a, b));
      expect(boxOfTerm(boxTerm(one))).toEqual({
        // Minus zero is zero.
        west: one.west + 0,
        south: one.south + 0,
        east: one.east + 0,
        north: one.north + 0,
      });
    }),
  );
});

it('every box in an area is among those that are compared', () => {
  const step = fc.double({ min: -0.4, max: 0.4, noNaN: true });
  fc.assert(
    fc.property(
      lon,
      lat,
      fc.double({ min: 0.01, max: LIMIT_KM, noNaN: true }),
      step,
      (x, y, km, dy) => {
        const areas: Area[] = [
          circle(x, y, km),
          { kind: 'box', ...box(x, y, Math.min(180, x + 0.1), Math.min(90, y + 0.36)) },
        ];
        const one = box(x, Math.max(-90, Math.min(90, y + dy)));
        for (const area of areas) {
          if (!contains(area, one)) continue;
          const term = boxTerm(one);
          expect(areaPrefixes(area).some((prefix) => term.startsWith(prefix))).toBe(true);
        }
      },
    ),
    { numRuns: runs(2000) },
  );
});
