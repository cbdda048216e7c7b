import type { Access } from '#contract/accounts/access.ts';
import type { DeliveriesAnswer } from '#contract/streams/deliveries.ts';
import { MOST_LISTED } from '#contract/streams/streams.ts';
import { invalidRequest, plainProblem, type Fault } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import type { ReplayAnswer, ReplayRequest, WebhookObject } from '#contract/streams/webhooks.ts';
import { grouped } from '#core/format/number-text.ts';
import { plural } from '#core/format/plural.ts';
import { DAY_MS } from '#core/time/span.ts';
import { sentenceOf } from '#server/alerts/sentence.ts';
import { shownAddress } from '#server/channels/channels.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { ServiceContext } from '#server/context.ts';
import type { DeadLetter } from '#server/streams/delivery-state.ts';
import { LISTED_MS } from '#server/streams/delivery-queue.ts';
import { newId } from '#server/random.ts';
import { webhookFault, webhookOf } from '#server/webhooks/app-webhook.ts';
import type { CrcFault } from '#server/webhooks/crc.ts';
import type { StoredWebhook } from '#server/webhooks/webhook-table.ts';
import type { CallingApp } from '#server/auth/caller.ts';

/** Webhooks of an app, by its access (platform-facts-additions, section 6; the others by docs/streams.md). */
export const MOST_WEBHOOKS: Readonly<Record<Access, number>> = {
  'self-service': 1,
  'pay-per-use': 1,
  enterprise: 25,
};

const MINUTE_MS = 60_000;

export type WebhookRules = Pick<ServiceContext, 'now' | 'random' | 'webhooks' | 'service'>;

export function webhookObject({ id, url, valid, createdAt }: StoredWebhook): WebhookObject {
  return { id, url, valid, created_at: formatInstant(createdAt) };
}

function refusal(fault: CrcFault): Fault {
  return webhookFault(
    fault.fault === 'address' ? 'UrlValidationFailed' : 'CrcValidationFailed',
    fault.message,
  );
}

/**
 * Adds a webhook after its receiver has answered the check.
 *
 * @throws {@link Fault} 400 with the reason: a URL that is refused or used already, too many webhooks, or a receiver
 *   that does not answer, or not with the right token.
 */
export async function createWebhook(
  rules: WebhookRules,
  { id: app, access }: Pick<CallingApp, 'id'> & { access: Access },
  url: string,
): Promise<StoredWebhook> {
  const { table, checks, fetcher } = rules.webhooks;
  try {
    fetcher.check(url);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw webhookFault('UrlValidationFailed', error.message);
  }
  const most = MOST_WEBHOOKS[access];
  const duplicate = (): Fault =>
    webhookFault('DuplicateUrlFailed', `This app has a webhook with the URL [${url}] already.`);
  const tooMany = (): Fault =>
    webhookFault('WebhookLimitExceeded', `This app may have ${plural(most, 'webhook')}.`);
  const others = table.of(app);
  if (others.some((other) => other.url === url)) throw duplicate();
  if (others.length >= most) throw tooMany();
  const at = rules.now();
  const fault = await checks.first({ app, url });
  if (fault) throw refusal(fault);
  const id = newId(rules);
  const times = { createdAt: at, checkedAt: at, validatedAt: at };
  const webhook: StoredWebhook = { id, app, url, valid: true, ...times, fault: null };
  // Another request may have come in between.
  const wrong = table.add(webhook, most);
  if (wrong) throw wrong === 'duplicate' ? duplicate() : tooMany();
  return webhook;
}

/**
 * Begins a replay of a webhook's deliveries.
 *
 * @throws {@link Fault} 400 for bounds that are not within the last 24 hours, and while another replay of the webhook
 *   runs.
 */
export function beginReplay(
  rules: WebhookRules,
  app: string,
  { webhook_id: webhook, from_date: from, to_date: to }: ReplayRequest,
): ReplayAnswer {
  webhookOf(rules.webhooks.table, app, webhook);
  const createdAt = rules.now();
  const minute = (at: number): string =>
    new Date(at).toISOString().replace(/[-T:]/g, '').slice(0, 12);
  const refuse = (name: string, value: number, message: string): Fault =>
    invalidRequest(name, minute(value), `$.${name}: [${minute(value)}] ${message}`);
  const earliest = createdAt - DAY_MS;
  if (from + MINUTE_MS <= earliest) {
    throw refuse('from_date', from, `must be ${minute(earliest)} or later: 24 hours are kept`);
  }
  if (to > createdAt) throw refuse('to_date', to, `must be ${minute(createdAt)} or earlier: now`);
  if (to < from) throw refuse('to_date', to, `must not be before the from_date [${minute(from)}]`);
  const job = newId(rules);
  const replay = { id: job, webhook, from, to: to + MINUTE_MS, createdAt };
  const omitted = rules.webhooks.queue.replays.begin(replay);
  if (!omitted) {
    const detail = `A replay of the webhook ${webhook} is running. Wait for the message that it is complete.`;
    throw plainProblem(409, 'Conflict', detail);
  }
  rules.webhooks.deliverer.wake([webhook]);
  const begun = { job_id: job, created_at: formatInstant(createdAt) };
  const meta = omitted.length === 0 ? {} : { meta: { omitted: [...omitted] } };
  return { data: begun, ...begun, ...meta };
}

function withMore({ fault, more }: DeadLetter): string {
  if (more === 0) return fault;
  return `${fault} The same happened to ${grouped(more)} earlier.`;
}

/**
 * The deliveries that arrive at the webhooks of all apps, and those that do not, with those of alerts.
 *
 * @param login - Of the caller, whose alerts are meant; empty where nobody signs in.
 */
export function deliveriesOf(
  { webhooks, service, now }: WebhookRules,
  login: string,
): DeliveriesAnswer {
  const { table, queue } = webhooks;
  const urls = new Map(table.all().map(({ id, url }) => [id, url]));
  const ofWebhooks = queue.deadLetters(MOST_LISTED).map((letter) => ({
    webhook_id: letter.webhook,
    to: urls.get(letter.webhook) ?? letter.webhook,
    subscription: letter.subscription,
    event: letter.event,
    created_at: formatInstant(letter.createdAt),
    given_up_at: formatInstant(letter.settledAt),
    fault: withMore(letter),
  }));
  const ofAlerts = service.alerts
    .deadLetters(login, now() - LISTED_MS, MOST_LISTED)
    .map((letter) => ({
      webhook_id: null,
      to: shownAddress(letter.channel),
      subscription: letter.alert,
      event: letter.message
        ? sentenceOf(letter, letter.message)
        : `Test of “${letter.settings.name}”`,
      created_at: formatInstant(letter.since),
      given_up_at: formatInstant(letter.endedAt),
      fault: letter.fault,
    }));
  const instant = (at: number | null): string | null => (at === null ? null : formatInstant(at));
  return {
    webhooks: table.all().map((webhook) => {
      const { pending, since, fault } = queue.backlog(webhook.id);
      const link = service.links.find(webhook.id);
      return {
        ...webhookObject(webhook),
        app: service.apps.byId(webhook.app)?.name ?? webhook.app,
        checked_at: formatInstant(webhook.checkedAt),
        validated_at: formatInstant(webhook.validatedAt),
        fault: webhook.fault,
        filtered_stream: link && {
          source: link.stream,
          since: formatInstant(link.createdAt),
        },
        pending,
        pending_since: instant(since),
        delivery_fault: fault,
      };
    }),
    dead_letters: [...ofWebhooks, ...ofAlerts]
      .sort((a, b) => Date.parse(b.given_up_at) - Date.parse(a.given_up_at))
      .slice(0, MOST_LISTED),
    replays: queue.replays.all(MOST_LISTED).map((replay) => ({
      job_id: replay.id,
      webhook_id: replay.webhook,
      from: formatInstant(replay.from),
      to: formatInstant(replay.to),
      state: replay.state,
      created_at: formatInstant(replay.createdAt),
      ended_at: instant(replay.endedAt),
    })),
  };
}
