import * as v from 'valibot';
import { Whole } from '#contract/members.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';

/** Longest token of the platform, characters; today's have about 110. */
export const MAX_TOKEN = 4096;

/** The connection of the service to the platform. */
export const ConnectionAnswer = v.object({
  /** The origin of the token; null without one: the platform is not connected. */
  from: v.nullable(v.picklist(['environment', 'settings'])),
  /** Host that requests go to, or would go to. */
  host: v.string(),
  /** The reason the token that the service stored cannot be used; null if it can, or if there is none. */
  fault: v.nullable(v.string()),
});
export type ConnectionAnswer = v.InferOutput<typeof ConnectionAnswer>;

export const ConnectOrder = v.strictObject({
  token: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(MAX_TOKEN)),
});

/**
 * The subject of the check: that the platform accepts the token, by `GET /2/usage/tweets`, which is free; or that the
 * token reaches the archive, by one request of archive counts, which is billed unless the platform refuses it.
 */
export const CheckOrder = v.strictObject({ what: v.picklist(['token', 'archive']) });
export type CheckOrder = v.InferOutput<typeof CheckOrder>;

export const CheckAnswer = v.object({
  /** Status of the platform's answer. */
  status: Whole,
  /** The platform's explanation of its refusal; null where it did not refuse. */
  detail: v.nullable(v.string()),
  /** Posts that the token's project read in this cycle, how many it may read, and in how many days the cycle ends. */
  usage: v.nullable(v.object({ used: Whole, cap: Whole, days: Whole })),
  /** True if the token reaches the archive; null if that was not checked, or not found out. */
  archive: v.nullable(v.boolean()),
  /** The cost of the check, USD. */
  price: v.number(),
});
export type CheckAnswer = v.InferOutput<typeof CheckAnswer>;

/** Only the dashboard's session sees and changes how the platform is reached. */
export const PLATFORM_CONNECTION = {
  info: sessionEndpoint('GET', '/platform/connection', { answer: ConnectionAnswer }),
  /** Checks a token and keeps it if the platform accepts it. */
  connect: sessionEndpoint('PUT', '/platform/connection', {
    body: ConnectOrder,
    answer: CheckAnswer,
  }),
  /** Forgets the token. What was bought with it stays. */
  disconnect: sessionEndpoint('DELETE', '/platform/connection', { answer: ConnectionAnswer }),
  check: sessionEndpoint('POST', '/platform/connection/check', {
    body: CheckOrder,
    answer: CheckAnswer,
  }),
};
