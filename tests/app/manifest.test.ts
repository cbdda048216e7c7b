import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly start_url: string;
  readonly display: string;
  readonly icons: readonly { src: string; sizes: string; type: string; purpose: string }[];
}

const manifest = JSON.parse(readFileSync('public/manifest.webmanifest', 'utf8')) as Manifest;
const page = readFileSync('index.html', 'utf8');
const SIGNATURE = '89504e470d0a1a0a';

/** Width and height of a PNG, by its header (W3C PNG, 11.2.2). */
function sizeOf(file: string): string {
  const png = readFileSync(file);
  expect(png.subarray(0, 8).toString('hex')).toBe(SIGNATURE);
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}

describe('the manifest', () => {
  it('opens the page as a program of its own', () => {
    expect(manifest).toMatchObject({ name: 'Groundswell', start_url: '/', display: 'standalone' });
    expect(page).toContain('<link rel="manifest" href="/manifest.webmanifest" />');
  });

  it('has icons as large as it says, among them what installing takes', () => {
    for (const { src, sizes, type } of manifest.icons) {
      if (type === 'image/png') expect(sizeOf(`public${src}`)).toBe(sizes);
      else expect(readFileSync(`public${src}`, 'utf8')).toContain('<svg');
    }
    // Chromium installs with 192 and 512 pixels (web.dev, install criteria).
    const has = (purpose: string, sizes: string): boolean =>
      manifest.icons.some((icon) => icon.purpose === purpose && icon.sizes === sizes);
    expect([has('any', '192x192'), has('any', '512x512'), has('maskable', '512x512')]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('has a picture for home screens that do not read it', () => {
    const touch = /<link rel="apple-touch-icon" href="\/(.+?)" \/>/.exec(page)?.[1] ?? '';
    expect(sizeOf(`public/${touch}`)).toBe('180x180');
  });
});
