import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Full dichromacy as a matrix on linear RGB (Machado, Oliveira and Fernandes 2009, severity 1). */
const EYES = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [
    0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
  ],
  deutan: [
    0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881,
  ],
  tritan: [
    1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039,
  ],
};

const css = readFileSync('src/app/ui/tokens.css', 'utf8');
const [light = '', dark = ''] = css.split("[data-theme='dark']");

function token(part: string, name: string): string {
  const found = new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(part)?.[1];
  if (!found) throw new Error(`expected a colour --${name}`);
  return found;
}

/** Red, green and blue from 0 to 1, linear (sRGB). */
function linear(hex: string): number[] {
  return [1, 3, 5].map((i) => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
}

function mix(matrix: readonly number[], [r = 0, g = 0, b = 0]: readonly number[]): number[] {
  return [0, 3, 6].map(
    (row) => (matrix[row] ?? 0) * r + (matrix[row + 1] ?? 0) * g + (matrix[row + 2] ?? 0) * b,
  );
}

/** CIE L*a*b* (D65) of a colour as the given kind of eye sees it. */
function lab(hex: string, eye: readonly number[]): number[] {
  const seen = mix(eye, linear(hex)).map((c) => Math.min(1, Math.max(0, c)));
  const xyz = mix([0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505], seen);
  const [x = 0, y = 0, z = 0] = [0.95047, 1, 1.08883].map((white, i) => {
    const t = (xyz[i] ?? 0) / white;
    return t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function contrast(a: string, b: string): number {
  const lums = [a, b].map(
    (hex) => mix([0.2126, 0.7152, 0.0722, 0, 0, 0, 0, 0, 0], linear(hex))[0] ?? 0,
  );
  return (Math.max(...lums) + 0.05) / (Math.min(...lums) + 0.05);
}

describe.each([
  ['light', light],
  ['dark', dark],
])('the colours of the %s theme', (_theme, part) => {
  const series = Array.from({ length: 8 }, (_, i) => token(part, `series-${i + 1}`));

  it.each(Object.entries(EYES))('are distinguishable to %s vision', (_name, eye) => {
    const seen = series.map((hex) => lab(hex, eye));
    for (const [i, a] of seen.entries()) {
      for (const b of seen.slice(i + 1)) {
        expect(Math.hypot(...a.map((v, k) => v - (b[k] ?? 0)))).toBeGreaterThan(12);
      }
    }
  });

  it('are readable as text on ground and panel', () => {
    const inks = ['ink', 'ink-2', 'ink-3', 'accent-ink', 'rise', 'fall'].map((name) =>
      token(part, name),
    );
    for (const ground of ['ground', 'panel'].map((name) => token(part, name))) {
      for (const ink of [...series, ...inks]) expect(contrast(ink, ground)).toBeGreaterThan(4.5);
    }
  });
});
