import * as v from 'valibot';
import { DecimalId, Time } from '#contract/members.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';
import { NO_PARAMETERS, onlyParameters } from '#contract/parameters.ts';
import { POST_PARAMETERS, withSelection } from '#contract/posts/selection.ts';

/** The parameters of a link: those that a stream has for its Posts. */
export const LinkRequest = v.pipe(onlyParameters(POST_PARAMETERS), withSelection());
export type LinkRequest = v.InferOutput<typeof LinkRequest>;

/** A link of a webhook to the filtered stream (platform-openapi, WebhookLinksGetResponse). */
const Link = v.object({
  application_id: DecimalId,
  /** The account that owns the app, if one does. */
  business_user_id: v.optional(DecimalId),
  created_at: Time,
  /** Names of the requested fields and expansions. */
  fields: v.array(v.string()),
  /** Id of the link. */
  instance_id: DecimalId,
  webhook_id: DecimalId,
});
export type Link = v.InferOutput<typeof Link>;

const RULES = {
  authentication: ['app'],
  access: { levels: ['enterprise'], need: 'Filtered stream webhooks need' },
  source: 'platform-facts, section 5; platform-facts-additions, section 5',
} as const;

/** Limits of the operations on webhooks, of which these are a part (platform-facts 1.5). */
const limits = () => ({ app: quarterHour(450) });

/**
 * Webhooks that receive the filtered stream of Your posts: one delivery for each Post that matches the rules of the app.
 * `ofSource` gives the operations for the sample.
 */
export const STREAM_LINKS = {
  create: endpoint('POST', '/2/tweets/search/webhooks/:webhook_id', {
    ...RULES,
    level: 'read-write',
    limits: limits(),
    query: LinkRequest,
    response: v.object({ data: v.object({ provisioned: v.boolean() }) }),
  }),
  list: endpoint('GET', '/2/tweets/search/webhooks', {
    ...RULES,
    level: 'read',
    limits: limits(),
    query: NO_PARAMETERS,
    response: v.object({ data: v.object({ links: v.array(Link) }) }),
  }),
  remove: endpoint('DELETE', '/2/tweets/search/webhooks/:webhook_id', {
    ...RULES,
    level: 'read-write',
    limits: limits(),
    query: NO_PARAMETERS,
    response: v.object({ data: v.object({ deleted: v.boolean() }) }),
  }),
};
