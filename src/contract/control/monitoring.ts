import * as v from 'valibot';
import { endpoint } from '#contract/endpoint.ts';

/** State of a part of the service: `ok`, or one word for why it cannot be used. */
const State = v.pipe(v.string(), v.regex(/^[a-z-]+$/));

/** True if the service answers requests. */
export const HealthAnswer = v.object({
  status: v.picklist(['ok', 'starting', 'failing']),
  version: v.string(),
  /** By name: the data folder, the clock, and each store. */
  stores: v.record(v.string(), State),
  /** Names of what cannot be used; empty unless the status is `failing`. */
  failing: v.array(v.string()),
});
export type HealthAnswer = v.InferOutput<typeof HealthAnswer>;

export const MONITORING = {
  /** Needs no token, and answers before the service is ready: 503 then, and while a part cannot be used. */
  health: endpoint('GET', '/health', { authentication: ['none'], response: HealthAnswer }),
  /** OpenMetrics, for programs on this machine or with an app-only token; the rule checks that. */
  metrics: endpoint('GET', '/metrics', { authentication: ['none'] }),
};
