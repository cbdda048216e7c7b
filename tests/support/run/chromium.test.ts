import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chromium } from './chromium.ts';

const IS_BUNDLED = process.platform === 'linux' && process.arch === 'x64';

describe('the bundled browser', () => {
  it.runIf(IS_BUNDLED)('has fonts, wherever it is unpacked', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('CHROME_PATH', '');
    await chromium();
    const settings = join(process.env['FONTCONFIG_PATH'] ?? '', 'fonts.conf');
    const [, folder = ''] = /<dir>(.+)<\/dir>/.exec(readFileSync(settings, 'utf8')) ?? [];
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => file.endsWith('.ttf'))).not.toEqual([]);
  });
});
