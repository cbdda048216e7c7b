import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Context } from 'hono';
import { plainProblem } from '#contract/fault.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
};

/** Names of plain characters, none beginning with a dot, so that no path leads out of the folder. */
const SAFE = /^(?:\/[\w@+-][\w.@+-]*)+$/;

/** Names below `/assets` contain a hash of the content, so these files never change. */
const HASHED = /^\/assets\//;

/**
 * What the pages of this service may do: load its scripts, fonts and pictures, call its interface and run its
 * workers. No page may frame them. ECharts and the components write style attributes.
 */
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data: blob:`,
  `font-src 'self' data:`,
  `connect-src 'self'`,
  `worker-src 'self'`,
  `manifest-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const UNBUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Groundswell is not built</title>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run build</code>, then reload this page. The interface below <code>/2/</code> already works.</p>
</html>
`;

async function contentOf(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function respond(c: Context, path: string, content: Buffer): Response {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  c.header('content-type', type);
  c.header('etag', tag);
  c.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
  // A worker follows the policy of its own file, so every file has it, not only pages.
  c.header('content-security-policy', POLICY);
  if (c.req.header('if-none-match') === tag) return c.body(null, 304);
  return c.body(content as Uint8Array<ArrayBuffer>);
}

/** Whether a browser requests a page to show, not a part of one. */
function isNavigation(c: Context): boolean {
  const mode = c.req.header('sec-fetch-mode');
  if (mode !== undefined) return mode === 'navigate';
  return (c.req.header('accept') ?? '').includes('text/html');
}

/** Serves the built dashboard: its files, and its one page for every other address that is opened as a page. */
export function dashboard(assets: string) {
  return async (c: Context): Promise<Response> => {
    const { path } = c.req;
    const named = path === '/' ? '/index.html' : path;
    const file = SAFE.test(named) ? await contentOf(join(assets, named)) : null;
    if (file) return respond(c, named, file);
    if (path !== '/' && !isNavigation(c)) {
      throw plainProblem(404, 'Not Found', `There is nothing at ${path}.`);
    }
    const page = await contentOf(join(assets, 'index.html'));
    if (page) return respond(c, '/index.html', page);
    return c.html(UNBUILT, 503, { 'cache-control': 'no-store' });
  };
}
