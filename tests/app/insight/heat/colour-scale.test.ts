import { expect, test } from 'vitest';
import { shade, shades } from '#app/insight/heat/colour-scale.ts';

test('a map shades by the square root', () => {
  expect([0, 25, 100, -5].map((value) => shade(value, 100))).toEqual([0, 0.5, 1, 0]);
  expect(shade(Number.NaN, 100)).toBeNaN();
});

test.each<[number, readonly number[]]>([
  [0.9424, [0, 0.06, 0.2, 0.5, 0.9]],
  [1234, [0, 80, 300, 700, 1000]],
  [5, [0, 1, 3, 5]],
  [1, [0, 1]],
  [0, [0]],
  [0.00031, [0, 0.00002, 0.00008, 0.00015, 0.0003]],
])('the legend of a map up to %f has round values in their own shades', (most, values) => {
  const steps = shades(most);
  expect(steps.map(({ value }) => value)).toEqual(values);
  for (const { value, level } of steps) expect(level).toBe(shade(value, most));
});
