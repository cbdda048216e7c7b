import type { AlertSettings } from '#contract/alerts/alerts.ts';
import type { AlertMessage } from '#core/alerts/alert.ts';
import { formatInstant } from '#contract/instant.ts';
import type { CauseRow } from '#core/causes/cause-words.ts';
import { eventFragment } from '#core/alerts/event-view.ts';
import { errorMessage } from '#core/thrown.ts';
import type { Span } from '#core/time/span.ts';
import { retryTime, type Channels } from '#server/channels/channels.ts';
import type { ChannelMessage } from '#server/channels/forms.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { AlertDelivery, AlertTable, StoredAlert } from './alert-table.ts';
import { sentenceOf } from './sentence.ts';

/** Most deliveries of one turn. */
const AT_ONCE = 100;

/** Finds the causes of a topic's Posts in a time, the largest first; empty if none are known. */
export type FindCauses = (
  topic: Pick<AlertSettings, 'query' | 'source'>,
  span: Span,
  signal: AbortSignal,
) => Promise<readonly CauseRow[]>;

export interface DeliveriesDeps {
  readonly table: AlertTable;
  readonly channels: Pick<Channels, 'send'>;
  readonly causes: FindCauses;
  /** The address at which people open the service, without a path. */
  readonly site: () => string;
  /** Aborts when the service ends. */
  readonly stopping: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: (line: string) => void;
}

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
                message: { ...timed(message), sentence, causes: named, url },
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

/** Sends messages that are due. Those of one alert to one channel that are due at once are sent as one. */
export function alertDeliveries({
  table,
  channels,
  causes,
  site,
  stopping,
  now,
  log,
}: DeliveriesDeps) {
  const deliver = async (alert: StoredAlert, together: readonly AlertDelivery[]): Promise<void> => {
    const [first] = together;
    if (!first) return;
    const ids = together.map(({ id }) => id);
    try {
      await channels.send(
        first.channel,
        await sentOf(alert, together, (span) => causes(alert.settings, span, stopping), site()),
      );
      table.end(ids, now(), null);
    } catch (error) {
      if (!(error instanceof FetchError)) log(errorMessage(error));
      const fault = errorMessage(error);
      for (const delivery of together) {
        const again = retryTime(delivery, now());
        if (again === null) table.end([delivery.id], now(), fault);
        else table.retry(delivery.id, again, fault);
      }
    }
  };
  /** Sends all that is due. @param alertOf - Finds an alert; what was removed is not sent. */
  return async (alertOf: (id: string) => StoredAlert | undefined): Promise<void> => {
    const due = table.due(now(), AT_ONCE);
    const groups = new Map<string, AlertDelivery[]>();
    for (const delivery of due) {
      const key = JSON.stringify([delivery.alert, delivery.channel, delivery.message === null]);
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      group.push(delivery);
    }
    await Promise.all(
      [...groups.values()].map(async (together) => {
        const alert = alertOf(together[0]?.alert ?? '');
        if (alert) await deliver(alert, together);
        else
          table.end(
            together.map(({ id }) => id),
            now(),
            'The alert was removed.',
          );
      }),
    );
  };
}
