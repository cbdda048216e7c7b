import type { Context, MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import {
  STORE_ID_HEADER,
  STORE_MARK_HEADER,
  STORE_REVISION_HEADER,
} from '#contract/counts/source.ts';

/** Keeps caches from storing an answer (recorded, platform-facts 1.4). */
export const UNCACHED = 'no-cache, no-store, max-age=0';

/** Version of the interface, as in recorded answers (platform-facts, openapi v2.166). */
export const API_VERSION = '2.166';

/** The time for which browsers open a service only by HTTPS that they once opened so: a year. */
const HTTPS_ONLY = 'max-age=31536000';

/**
 * Protects every answer from other sites' pages. Files of the dashboard replace the content security policy.
 *
 * @param hasHttps - Whether other machines reach the service, which they do by HTTPS alone.
 */
export function guardHeaders(hasHttps: boolean): MiddlewareHandler {
  const guard = secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    xFrameOptions: 'DENY',
    originAgentCluster: false,
    strictTransportSecurity: hasHttps && HTTPS_ONLY,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    overwrite: false,
  });
  return async (c, next) => {
    await guard(c, next);
    const { headers } = c.res;
    // The older header cannot name sites: a view that some may frame has their names in its policy.
    if (/frame-ancestors (?!'none')/.test(headers.get('content-security-policy') ?? '')) {
      headers.delete('x-frame-options');
    }
  };
}

/** Reports what the caller's token may do (values as recorded, platform-facts 1.4; `read-write` by analogy). */
export function setAccessLevel(c: Context, level: 'read' | 'read-write'): void {
  c.header('x-access-level', level);
  c.header('api-version', API_VERSION);
}

/** Reports the state of the store that an answer was computed from. */
export function setStore(c: Context, of: { store: string; revision: number; mark: string }): void {
  c.header(STORE_ID_HEADER, of.store);
  c.header(STORE_REVISION_HEADER, String(of.revision));
  c.header(STORE_MARK_HEADER, of.mark);
}
