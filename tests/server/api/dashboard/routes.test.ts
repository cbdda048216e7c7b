import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startService } from '#tests/support/service/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundswell-assets-'));
const assets = join(folder, 'app');
mkdirSync(join(assets, 'assets'), { recursive: true });
writeFileSync(join(assets, 'index.html'), '<!doctype html><title>Groundswell</title>');
writeFileSync(join(assets, 'sw.js'), 'export {};');
writeFileSync(join(assets, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
writeFileSync(join(assets, 'manifest.webmanifest'), '{}');
writeFileSync(join(assets, '.hidden'), 'secret');
writeFileSync(join(assets, 'assets/index-CRsm_45e.css'), 'a{}');
writeFileSync(join(assets, 'assets/index-D9C1gfBQ.js'), 'export {};');
writeFileSync(join(assets, 'assets/index-D9C1gfBQ.js.br'), 'in brotli');
writeFileSync(join(assets, 'assets/index-D9C1gfBQ.js.gz'), 'in gzip');
writeFileSync(join(assets, 'assets/inter-latin-wght-normal-Dx4kXJAl.woff2'), 'w');
writeFileSync(join(folder, 'outside.txt'), 'secret');
const service = startService({ assets });
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  await service.request(path, { headers: { cookie: '', ...headers } });

describe('the files of the dashboard', () => {
  const FOREVER = 'public, max-age=31536000, immutable';
  it.each([
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/?q=tea', 'text/html; charset=utf-8', 'no-cache'],
    ['/sw.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/icon.svg', 'image/svg+xml', 'no-cache'],
    ['/manifest.webmanifest', 'application/manifest+json; charset=utf-8', 'no-cache'],
    ['/assets/index-CRsm_45e.css', 'text/css; charset=utf-8', FOREVER],
    ['/assets/index-D9C1gfBQ.js', 'text/javascript; charset=utf-8', FOREVER],
    ['/assets/inter-latin-wght-normal-Dx4kXJAl.woff2', 'font/woff2', FOREVER],
  ])('%s has its type and its caching rule', async (path, type, cache) => {
    const { status, headers } = await get(path);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      type,
      cache,
    ]);
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('are not sent again if the browser has them', async () => {
    const tag = (await get('/')).headers.get('etag') ?? '';
    const again = await get('/', { 'if-none-match': tag });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br', 'in brotli'],
    ['gzip', 'gzip', 'in gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'in gzip'],
    ['zstd', null, 'export {};'],
    ['identity;q=0, *;q=0', null, 'export {};'],
  ])('go to a client that accepts %j as the build wrote them', async (accepted, encoding, text) => {
    const script = await get('/assets/index-D9C1gfBQ.js', { 'accept-encoding': accepted });
    const { headers } = script;
    expect([headers.get('content-encoding'), await script.text()]).toEqual([encoding, text]);
    expect([headers.get('content-type'), headers.get('vary')]).toEqual([
      'text/javascript; charset=utf-8',
      'accept-encoding',
    ]);
    const style = await get('/assets/index-CRsm_45e.css', { 'accept-encoding': accepted });
    expect([style.headers.get('content-encoding'), await style.text()]).toEqual([null, 'a{}']);
  });

  it('have another tag for each encoding, and after a change', async () => {
    const path = '/assets/index-D9C1gfBQ.js';
    const packed = await get(path, { 'accept-encoding': 'br' });
    expect(packed.headers.get('etag')).not.toBe((await get(path)).headers.get('etag'));
    const before = (await get('/sw.js')).headers.get('etag') ?? '';
    writeFileSync(join(assets, 'sw.js'), 'export { };');
    expect((await get('/sw.js', { 'if-none-match': before })).status).toBe(200);
  });

  it('serve the page for every navigation, and for nothing else', async () => {
    const page = await get('/board/one', { accept: 'text/html', 'sec-fetch-mode': 'navigate' });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Groundswell')]);
    expect(
      (await get('/board/one', { 'sec-fetch-mode': 'cors', accept: 'text/html' })).status,
    ).toBe(404);
    expect((await get('/assets/gone-12345678.js', { accept: '*/*' })).status).toBe(404);
  });

  it.each([
    '/../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/.hidden',
    '/assets/..%5c..%5coutside.txt',
    '/assets',
    '/%00',
  ])('do not expose other files through %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('secret');
  });

  it('explain how to build them if they are missing', async () => {
    const unbuilt = startService();
    const answer = await unbuilt.request('/');
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('npm run build');
    await unbuilt.close();
  });
});
