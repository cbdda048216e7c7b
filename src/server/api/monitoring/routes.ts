import type { Context } from 'hono';
import { MONITORING, type HealthAnswer } from '#contract/control/monitoring.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { callerOf, checkAccess, checkKind } from '#server/http/auth-guard.ts';
import { clientAddress, isSameOrigin } from '#server/http/origin.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { RequestReport } from '#server/http/watch.ts';

/** The reporters of the state of a service. */
export interface Monitoring {
  /** Makes ids of requests; absent if they get none. */
  readonly requestId?: () => string;
  readonly onRequest: (report: RequestReport) => void;
  health(): HealthAnswer;
  readonly metrics: { readonly type: string; text(): Promise<string> };
}

export interface MonitoringDeps {
  readonly http: Http;
  readonly auth: Auth;
  readonly monitoring: Monitoring;
}

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
}: MonitoringDeps): Route[] {
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
