import { Fault, plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { POST_PARAMETERS } from '#contract/posts/selection.ts';
import { ofSource } from '#contract/counts/source.ts';
import { LinkRequest, STREAM_LINKS, type Link } from '#contract/streams/stream-links.ts';
import { callingApp } from '#server/auth/calling-app.ts';
import { hostOf, isSecure, originOf } from '#server/http/origin.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import { newId } from '#server/random.ts';
import { webhookFault, webhookOf } from '#server/webhooks/app-webhook.ts';
import { laneOf } from '#server/webhooks/link-lane.ts';
import type { StreamLink } from '#server/webhooks/link-table.ts';
import * as v from 'valibot';

/** The names that the parameters of a link request, each once, in the order of the parameters. */
function fieldsOf({ parameters }: StreamLink): string[] {
  const request = v.parse(LinkRequest, parameters);
  const names = Object.keys(POST_PARAMETERS) as (keyof typeof POST_PARAMETERS)[];
  return [...new Set(names.flatMap((name) => request[name] ?? []))];
}

/** A conflict that names the link that is there. */
function linked(link: StreamLink): Fault {
  const { id, webhook, stream } = link;
  const to = stream === 'sample' ? 'the filtered stream of the sample' : 'the filtered stream';
  return new Fault(409, {
    title: 'Conflict',
    detail: `The webhook [${webhook}] has the link [${id}] to ${to} already.`,
    webhook_id: webhook,
    instance_id: id,
    type: 'about:blank',
    status: 409,
  });
}

/** `/2/tweets/search/webhooks`: links of webhooks to the filtered stream; the same for the sample. */
export function streamLinks({
  http,
  service,
  streams,
  webhooks,
  now,
  random,
}: ServiceContext): Route[] {
  const { links, apps } = service;
  const linkJson = (link: StreamLink): Link => {
    const owner = apps.byId(link.app)?.owner ?? null;
    return {
      application_id: link.app,
      ...(owner !== null && { business_user_id: owner }),
      created_at: formatInstant(link.createdAt),
      fields: fieldsOf(link),
      instance_id: link.id,
      webhook_id: link.webhook,
    };
  };
  const of = (stream: RuleStream): Route[] => [
    http.serve(ofSource(STREAM_LINKS.create, stream), ({ c, caller, params, texts }) => {
      const { id: app } = callingApp(caller);
      const log = streams.log(stream);
      if (!log) throw plainProblem(404, 'Not Found', `The source ${stream} is not open.`);
      const { id: webhook, valid, fault } = webhookOf(service.webhooks, app, params.webhook_id);
      if (!valid) {
        const why = fault === null ? '' : ` ${fault}`;
        throw webhookFault('CrcValidationFailed', `The webhook [${webhook}] is not valid.${why}`);
      }
      const host = isSecure(c) ? originOf(c) : hostOf(c).replace(/:\d+$/, '');
      const link = { id: newId({ now, random }), webhook, app, stream, parameters: texts, host };
      if (links.add({ ...link, after: log.last(), createdAt: now() })) {
        return { data: { provisioned: true } };
      }
      const other = links.find(webhook);
      throw other ? linked(other) : plainProblem(409, 'Conflict');
    }),
    http.serve(ofSource(STREAM_LINKS.list, stream), ({ caller }) => {
      const { id: app } = callingApp(caller);
      const own = links.of(stream).filter((link) => link.app === app);
      return { data: { links: own.map(linkJson) } };
    }),
    http.serve(ofSource(STREAM_LINKS.remove, stream), ({ caller, params }) => {
      const { id: webhook } = webhookOf(service.webhooks, callingApp(caller).id, params.webhook_id);
      const link = links.find(webhook);
      if (link?.stream !== stream) {
        throw webhookFault(
          'WebhookIdInvalid',
          `The webhook [${webhook}] has no link to this stream.`,
        );
      }
      links.remove(webhook);
      // The remaining ones are dropped when they are due.
      webhooks.queue.drop(webhook, laneOf(link.id));
      webhooks.deliverer.wake([webhook]);
      return { data: { deleted: true } };
    }),
  ];
  return [...of('posts'), ...of('sample')];
}
