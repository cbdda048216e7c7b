import type { AlertChannel, AlertSettings } from '#contract/alerts/alerts.ts';
import type { AlertMessage } from '#core/alerts/alert.ts';
import type { CauseRow } from '#core/causes/cause-words.ts';
import { errorMessage } from '#core/thrown.ts';
import { HOUR_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import type { AlertDelivery, AlertTable, StoredAlert } from './alert-table.ts';
import { RETRIED_MS } from '#server/streams/deliverer.ts';
import { channelBody, type SentMessages } from './channel-forms.ts';
import { sentenceOf } from './sentence.ts';

/** The wait after the first failure, by which each further one is longer, and the longest, ms. */
const FIRST_WAIT_MS = 5 * SECOND_MS;
const LONGER = 4;
const LONGEST_WAIT_MS = 3 * HOUR_MS;
/** Most deliveries of one turn. */
const AT_ONCE = 100;

/** Finds the causes of a topic's Posts in a time, the largest first; empty if none are known. */
export type FindCauses = (
  topic: Pick<AlertSettings, 'query' | 'source'>,
  span: Span,
  signal: AbortSignal,
) => Promise<readonly CauseRow[]>;

/** Sends to channels of one kind. Rejects with a reason that is a sentence. */
export type SendMail = (to: string, subject: string, text: string) => Promise<void>;

export interface DeliveriesDeps {
  readonly table: AlertTable;
  readonly fetcher: Pick<Fetcher, 'send'>;
  /** Sends e-mails; null where none can be sent. */
  readonly mail: SendMail | null;
  readonly causes: FindCauses;
  /** Aborts when the service ends. */
  readonly stopping: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: (line: string) => void;
}

const NO_MAIL = 'No e-mail can be sent: GROUNDSWELL_SMTP_URL is not set.';

const NOTHING: readonly CauseRow[] = [];
/** Most causes of a message. */
const MOST_CAUSES = 3;

/** ` In its Posts: “harvest” 35%, @oatly 12%.` */
function causesText(causes: readonly CauseRow[]): string {
  if (causes.length === 0) return '';
  return ` In its Posts: ${causes.map(({ name, percent }) => `${name} ${percent}%`).join(', ')}.`;
}

/** The causes are those of the Posts as they are now: deleted ones are in none. */
async function sentOf(
  alert: StoredAlert,
  deliveries: readonly AlertDelivery[],
  causes: (span: Span) => ReturnType<FindCauses>,
): Promise<SentMessages> {
  const { id, settings } = alert;
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
              return {
                line: `${sentence}.${causesText(rows)}`,
                message: { ...message, sentence, causes: named },
              };
            }),
          ]
        : [],
    ),
  );
  const lines =
    messages.length === 0
      ? [`This is a test of the alert “${name}”. Its messages arrive here.`]
      : messages.map(({ line }) => line);
  return {
    alert: { id, name, query },
    text: lines.join('\n'),
    messages: messages.map(({ message }) => message),
  };
}

/** Sends messages that are due. Those of one alert to one channel that are due at once are sent as one. */
export function alertDeliveries({
  table,
  fetcher,
  mail,
  causes,
  stopping,
  now,
  log,
}: DeliveriesDeps) {
  const send = async (channel: AlertChannel, sent: SentMessages): Promise<void> => {
    const { kind, address } = channel;
    if (kind === 'email') {
      if (!mail) throw new FetchError('connection', NO_MAIL);
      const [subject = ''] = sent.text.split('\n');
      return await mail(address, subject, sent.text);
    }
    await fetcher.send({
      method: 'POST',
      url: address,
      headers: { 'content-type': 'application/json' },
      body: channelBody({ ...channel, kind }, sent),
    });
  };
  const deliver = async (alert: StoredAlert, together: readonly AlertDelivery[]): Promise<void> => {
    const [first] = together;
    if (!first) return;
    const ids = together.map(({ id }) => id);
    try {
      await send(
        first.channel,
        await sentOf(alert, together, (span) => causes(alert.settings, span, stopping)),
      );
      table.end(ids, now(), null);
    } catch (error) {
      if (!(error instanceof FetchError)) log(errorMessage(error));
      const fault = errorMessage(error);
      for (const { id, tries, since } of together) {
        const again = now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * LONGER ** tries);
        if (again > since + RETRIED_MS) table.end([id], now(), fault);
        else table.retry(id, again, fault);
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
