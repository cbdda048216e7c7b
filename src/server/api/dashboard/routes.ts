import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { plainProblem } from '#contract/fault.ts';
import { errorCode } from '#core/thrown.ts';
import { chooseEncoding, type ContentCoding } from '#server/http/encoding.ts';

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

/** The build writes large texts with these too, next to them; brotli is an eighth smaller. */
const PACKED: readonly ContentCoding[] = ['br', 'gzip', 'identity'];
const PACKED_NAMES = { br: '.br', gzip: '.gz', identity: '' } as const;

/**
 * The policy for the pages of this service: they may load its scripts, fonts and pictures, call its interface and run
 * its workers. ECharts and the components write style attributes.
 *
 * @param sites - Origins whose pages may frame them.
 */
export const policyFor = (sites: readonly string[]): string =>
  [
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
    `frame-ancestors ${sites.length === 0 ? "'none'" : sites.join(' ')}`,
  ].join('; ');
const POLICY = policyFor([]);

const UNBUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Groundswell is not built</title>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run build</code>, then reload this page. The interface below <code>/2/</code> already works.</p>
</html>
`;

/** A file with its state, which is another one after every change. */
interface ReadFile {
  readonly file: string;
  readonly state: string;
  readonly content: Buffer;
}

/** Null if there is no such file. */
async function contentOf(file: string): Promise<ReadFile | null> {
  try {
    // Before the content: a change in between makes the state old, never the content.
    const { ino, ctimeMs } = await stat(file);
    return { file, state: `${ino} ${ctimeMs}`, content: await readFile(file) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** True if a browser requests a page to show, not a part of one. */
function isNavigation(c: Context): boolean {
  const mode = c.req.header('sec-fetch-mode');
  if (mode !== undefined) return mode === 'navigate';
  return (c.req.header('accept') ?? '').includes('text/html');
}

/** Entity tags of files, each computed once for every state of its file. */
function entityTags() {
  const known = new Map<string, { readonly state: string; readonly tag: string }>();
  return (path: string, { file, state, content }: ReadFile): string => {
    if (HASHED.test(path)) return `"${basename(file)}"`;
    const before = known.get(file);
    if (before?.state === state) return before.tag;
    const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    known.set(file, { state, tag });
    return tag;
  };
}

/**
 * Serves the built dashboard: its files, and its one page for every other address that is opened as a page.
 *
 * @param built - Requests wait for it.
 */
export function dashboard(assets: string, built: Promise<unknown> = Promise.resolve()) {
  const tagOf = entityTags();

  /** Null if there is no such file. */
  const served = async (c: Context, path: string): Promise<Response | null> => {
    const plain = join(assets, path);
    const accepted = chooseEncoding(c.req.header('accept-encoding'), true, PACKED) ?? 'identity';
    const found = (await contentOf(plain + PACKED_NAMES[accepted])) ?? (await contentOf(plain));
    if (!found) return null;
    if (found.file !== plain) c.header('content-encoding', accepted);
    const tag = tagOf(path, found);
    c.header('vary', 'accept-encoding');
    c.header('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
    c.header('etag', tag);
    c.header(
      'cache-control',
      HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
    // A worker follows the policy of its own file, so every file has it, not only pages.
    c.header('content-security-policy', POLICY);
    if (c.req.header('if-none-match') === tag) return c.body(null, 304);
    return c.body(found.content as Uint8Array<ArrayBuffer>);
  };

  const unbuilt = (c: Context, status: ContentfulStatusCode = 503) =>
    c.html(UNBUILT, status, { 'cache-control': 'no-store' });
  /** A file by its path; null if there is none. */
  const file = async (c: Context, path: string): Promise<Response | null> => {
    await built;
    return SAFE.test(path) ? await served(c, path) : null;
  };
  return {
    file,
    /**
     * The one page, for another address: with the paths of its files as they are from there.
     *
     * @param mark - An attribute of its root; empty for none.
     */
    pageBelow: async (
      c: Context,
      status: ContentfulStatusCode,
      mark: string,
    ): Promise<Response> => {
      await built;
      const page = await contentOf(join(assets, '/index.html'));
      if (!page) return unbuilt(c, status === 200 ? 503 : status);
      const html = page.content
        .toString('utf8')
        .replaceAll(/\s*<link rel="(?:manifest|apple-touch-icon)"[^>]*>/g, '')
        .replace('<html ', mark === '' ? '<html ' : `<html ${mark} `)
        .replaceAll(/(href|src)="\//g, '$1="./');
      return c.html(html, status);
    },
    answer: async (c: Context): Promise<Response> => {
      const { path } = c.req;
      const found = await file(c, path === '/' ? '/index.html' : path);
      if (found) return found;
      if (path !== '/' && !isNavigation(c)) {
        throw plainProblem(404, 'Not Found', `There is nothing at ${path}.`);
      }
      return (await served(c, '/index.html')) ?? unbuilt(c);
    },
  };
}

export type Dashboard = ReturnType<typeof dashboard>;
