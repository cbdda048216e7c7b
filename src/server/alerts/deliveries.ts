import type { AlertSettings } from '#contract/alerts/alerts.ts';
import { formatInstant } from '#contract/instant.ts';
import type { CauseRow } from '#core/causes/cause-words.ts';
import { eventFragment } from '#core/alerts/event-view.ts';
import { errorMessage, toError } from '#core/thrown.ts';
import type { Span } from '#core/time/span.ts';
import { retryTime, shownAddress, type Channels } from '#server/channels/channels.ts';
import type { ChannelMessage } from '#server/channels/forms.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { Machine } from '#server/machine.ts';
import type { AlertDelivery, DeliveryOutcome } from './alert-delivery-table.ts';
import type { AlertTable, StoredAlert } from './alert-table.ts';
import { sentenceOf } from './sentence.ts';
import { messageId, type AlertMessage } from '#core/alerts/alert-message.ts';

/** Most deliveries that are read in one turn, and requests at once to a host. */
const READ_AT_ONCE = 100;
const SENT_AT_ONCE = 8;

/** Finds the causes of a topic's Posts in a time, the largest first; empty if none are known. */
export type FindCauses = (
  topic: Pick<AlertSettings, 'query' | 'source'>,
  span: Span,
  signal: AbortSignal,
) => Promise<readonly CauseRow[]>;

export interface DeliveriesDeps extends Pick<Machine, 'now' | 'log'> {
  readonly table: AlertTable;
  readonly channels: Pick<Channels, 'send'>;
  /** Finds an alert; what was removed is not sent. */
  readonly alertOf: (id: string) => StoredAlert | undefined;
  readonly causes: FindCauses;
  /** The address at which people open the service, without a path. */
  readonly site: () => string;
  /** Aborts when the service ends. */
  readonly stopping: AbortSignal;
}

const REMOVED = 'The alert was removed.';

const NOTHING: readonly CauseRow[] = [];
/** Most causes of a message. */
const MOST_CAUSES = 3;

/** ` In its Posts: “harvest” 35%, @oatly 12%.` */
function causesText(causes: readonly CauseRow[]): string {
  if (causes.length === 0) return '';
  return ` In its Posts: ${causes.map(({ name, percent }) => `${name} ${percent}%`).join(', ')}.`;
}

const isoSpan = ({ start, end }: Span) => ({
  start: formatInstant(start),
  end: formatInstant(end),
});

/** A message with its times in ISO. */
function timed({ at, onset, ...message }: AlertMessage): object {
  return {
    ...message,
    at: formatInstant(at),
    onset: formatInstant(onset),
    ...('bucket' in message && { bucket: isoSpan(message.bucket) }),
    ...('span' in message && { span: isoSpan(message.span) }),
  };
}

/** The causes are those of the Posts as they are now: deleted ones are in none. */
async function sentOf(
  alert: StoredAlert,
  deliveries: readonly AlertDelivery[],
  causes: (span: Span) => ReturnType<FindCauses>,
  site: string,
): Promise<ChannelMessage> {
  const { id, settings, rule } = alert;
  const { name, query } = settings;
  const about = async (message: AlertMessage): Promise<readonly CauseRow[]> => {
    if (message.kind !== 'rise' && message.kind !== 'stronger') return NOTHING;
    const rows = await causes(message.bucket);
    return rows.filter(({ of }) => of !== null).slice(0, MOST_CAUSES);
  };
  const messages = await Promise.all(
    deliveries.flatMap(({ message }) =>
      message
        ? [
            about(message).then((rows) => {
              const sentence = sentenceOf(alert, message);
              const named = rows.map(({ name: cause, percent }) => ({ name: cause, percent }));
              const { onset, at } = message;
              const url = `${site}/#${eventFragment(settings, rule.unit, onset, at)}`;
              return {
                line: { text: `${sentence}.${causesText(rows)}`, url },
                message: {
                  id: messageId(id, message),
                  ...timed(message),
                  sentence,
                  causes: named,
                  url,
                },
              };
            }),
          ]
        : [],
    ),
  );
  const lines =
    messages.length === 0
      ? [{ text: `This is a test of the alert “${name}”. Its messages arrive here.`, url: null }]
      : messages.map(({ line }) => line);
  return {
    lines,
    data: { alert: { id, name, query }, messages: messages.map(({ message }) => message) },
  };
}

/**
 * Sends messages that are due. Those of one alert to one channel that are due at once are sent as one; one that hangs
 * delays only others to its host. What was sent when the process ended is sent again if that was not recorded.
 */
export function alertDeliveries(deps: DeliveriesDeps) {
  const { table, alertOf, channels, causes, site, stopping, now, log } = deps;
  /** Ids of deliveries that wait for others to their host, or are being sent. */
  const taken = new Set<number>();
  const hosts = new Map<string, { readonly waiting: AlertDelivery[][]; running: number }>();
  const running = new Set<Promise<void>>();
  /** Outcomes to store: if that fails, nothing is sent again meanwhile. */
  const outcomes: DeliveryOutcome[] = [];
  const record = (): void => {
    if (outcomes.length === 0) return;
    table.settle(outcomes);
    for (const { id } of outcomes.splice(0)) taken.delete(id);
  };

  const stopped = new Promise<never>((_, reject) => {
    stopping.addEventListener('abort', () => reject(toError(stopping.reason)), { once: true });
  });
  // Nothing may wait for it.
  stopped.catch(() => undefined);

  const ended = (id: number, fault: string | null): DeliveryOutcome => {
    return { id, endedAt: now(), fault };
  };
  const deliver = async (together: readonly AlertDelivery[]): Promise<DeliveryOutcome[]> => {
    const [first] = together;
    const alert = alertOf(first?.alert ?? '');
    if (!first || !alert) return together.map(({ id }) => ended(id, REMOVED));
    try {
      const causesOf = (span: Span) => causes(alert.settings, span, stopping);
      const sent = await sentOf(alert, together, causesOf, site());
      await Promise.race([channels.send(first.channel, sent, stopping), stopped]);
      return together.map(({ id }) => ended(id, null));
    } catch (error) {
      if (stopping.aborted) return [];
      if (!(error instanceof FetchError)) log(errorMessage(error));
      const fault = errorMessage(error);
      return together.map((delivery) => {
        const again = retryTime(delivery, now());
        return again === null ? ended(delivery.id, fault) : { id: delivery.id, again, fault };
      });
    }
  };
  /** Starts what waits for a host, as far as there is room. */
  const fill = (name: string): void => {
    const host = hosts.get(name);
    if (!host || stopping.aborted) return;
    while (host.running < SENT_AT_ONCE) {
      const next = host.waiting.shift();
      if (!next) break;
      host.running += 1;
      const work = deliver(next)
        .then((settled) => {
          outcomes.push(...settled);
          record();
        })
        .catch((error: unknown) => log(`Alerts wait: ${errorMessage(error)}`))
        .finally(() => {
          host.running -= 1;
          running.delete(work);
          fill(name);
        });
      running.add(work);
    }
    if (host.running === 0) hosts.delete(name);
  };
  return {
    /** Begins to send what is due. */
    send: (): void => {
      record();
      const groups = new Map<string, AlertDelivery[]>();
      const names = new Set<string>();
      for (const delivery of table.due(now(), READ_AT_ONCE, [...taken])) {
        const { id, alert, channel, message } = delivery;
        taken.add(id);
        const key = JSON.stringify([alert, channel, message === null]);
        const group = groups.get(key);
        if (group) {
          group.push(delivery);
          continue;
        }
        const together = [delivery];
        groups.set(key, together);
        // One mail server sends all e-mails.
        const name = channel.kind === 'email' ? channel.kind : shownAddress(channel);
        const host = hosts.get(name) ?? { waiting: [], running: 0 };
        hosts.set(name, host);
        host.waiting.push(together);
        names.add(name);
      }
      for (const name of names) fill(name);
    },
    /** Resolves when nothing is being sent. */
    idle: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
