import type { Context } from 'hono';
import { cors } from 'hono/cors';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Fault } from '#contract/fault.ts';
import type { ViewSettings } from '#contract/links/links.ts';
import { LOCKED } from '#contract/links/view-link.ts';
import { nothingAt } from '#server/http/errors.ts';
import { clientAddress } from '#server/http/origin.ts';
import { viewSettings, type BoardLinks } from '#server/links/board-links.ts';
import { policyFor, type Dashboard } from './routes.ts';

/** The page runs as one of no origin, so that it has no cookie and no storage; to it all other origins are foreign. */
const allowed = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['authorization', 'content-type'],
  maxAge: 7200,
});

/** Of all answers below `/view`. */
export async function viewHeaders(c: Context, next: () => Promise<void>): Promise<Response | void> {
  c.header('x-robots-tag', 'noindex');
  c.header('referrer-policy', 'no-referrer');
  c.header('cross-origin-resource-policy', 'cross-origin');
  return await allowed(c, next);
}

/** The files of the page, which are the same for every link; the page names no others. */
const FILES = /^(?:assets\/[^/]+|icon\.svg|old-browser\.js)$/;

/** The page of a view link, and its files below it. It says itself why it shows nothing; here its status does. */
export function viewPage(links: Pick<BoardLinks, 'open'>, files: Dashboard) {
  return async (c: Context): Promise<Response> => {
    const [, secret = '', name] = /^\/view\/([^/]*)(?:\/(.*))?$/.exec(c.req.path) ?? [];
    if (name) {
      const file = FILES.test(name) ? await files.file(c, `/${name}`) : null;
      if (file) return file;
      throw nothingAt(c);
    }
    let status: ContentfulStatusCode = 200;
    let settings: ViewSettings | null = null;
    try {
      settings = viewSettings(links.open('view', secret, clientAddress(c)).link);
    } catch (error) {
      if (!(error instanceof Fault) || name === undefined) throw error;
      status = error.status as ContentfulStatusCode;
    }
    // Its files are named as they are from there.
    if (name === undefined) return c.redirect(`./${secret}/`, 308);
    c.header('cache-control', 'private, no-store');
    c.header(
      'content-security-policy',
      `${policyFor(settings?.sites ?? [])}; sandbox allow-scripts`,
    );
    return await files.pageBelow(c, status, settings?.password == null ? '' : LOCKED);
  };
}
