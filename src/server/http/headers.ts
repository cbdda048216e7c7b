import type { Context } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { STORE_ID_HEADER, STORE_MARK_HEADER, STORE_REVISION_HEADER } from '#contract/source.ts';

/** No cache stores an answer of the interface (recorded, platform-facts 1.4). */
export const UNCACHED = 'no-cache, no-store, max-age=0';

/** Version of the interface that answers, as recorded ones name it (platform-facts, openapi v2.166). */
const API_VERSION = '2.166';

/** Headers of every answer, against other sites' pages; a file of the dashboard has a policy of its own. */
export const guardHeaders = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  xFrameOptions: 'DENY',
  originAgentCluster: false,
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  overwrite: false,
});

/** Says what a caller's token may do (values as recorded, platform-facts 1.4; `read-write` by analogy). */
export function setAccessLevel(c: Context, level: 'read' | 'read-write'): void {
  c.header('x-access-level', level);
  c.header('api-version', API_VERSION);
}

/** Names the state of the store that an answer was made from. */
export function setStore(c: Context, of: { store: string; revision: number; mark: string }): void {
  c.header(STORE_ID_HEADER, of.store);
  c.header(STORE_REVISION_HEADER, String(of.revision));
  c.header(STORE_MARK_HEADER, of.mark);
}
