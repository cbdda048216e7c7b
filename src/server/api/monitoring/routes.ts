import type { Context } from 'hono';
import { MONITORING } from '#contract/control/monitoring.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { callerOf } from '#server/http/auth-guard.ts';
import { clientAddress, isSameOrigin } from '#server/http/origin.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import { checkAccess, checkKind } from '#server/http/access-checks.ts';

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/** Headers by which a reverse proxy on this machine reports that the client is elsewhere. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/** True if a request comes from a program on this machine, and not from a page of another site or through a proxy. */
function isLocal(c: Context): boolean {
  const address = clientAddress(c);
  if (address !== null && !LOOPBACK.test(address)) return false;
  return isSameOrigin(c) && FORWARDED.every((name) => c.req.header(name) === undefined);
}

const READERS = {
  authentication: ['app'],
  access: { levels: ['enterprise'], need: 'Metrics need' },
} as const;

/**
 * Lets programs on this machine read metrics, and others with an app-only token whose access is enterprise.
 *
 * @throws {@link Fault} 401, 403 or 429 for all others.
 */
async function checkReader(c: Context, auth: Auth): Promise<void> {
  if (isLocal(c)) return;
  const caller = await callerOf(c, READERS, { auth, control: null });
  if (!caller) return;
  checkAccess(caller, READERS);
  checkKind(caller, READERS);
}

/** `GET /health` and `GET /metrics`. */
export function monitoring({
  http,
  auth,
  monitoring: { health, metrics },
}: ServiceContext): Route[] {
  return [
    http.serve(MONITORING.health, ({ c }) => {
      const answer = health();
      return answer.status === 'ok' ? c.json(answer) : c.json(answer, 503);
    }),
    http.serve(MONITORING.metrics, async ({ c }) => {
      await checkReader(c, auth);
      return c.body(await metrics.text(), 200, { 'content-type': metrics.type });
    }),
  ];
}
