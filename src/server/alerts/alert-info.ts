import {
  MAX_MESSAGES,
  type AlertInfo,
  type AlertMessageInfo,
  type AlertOrder,
  type AlertOutcome,
  type AlertBackTest,
  type BackTestOrder,
} from '#contract/alerts/alerts.ts';
import { formatInstant } from '#contract/instant.ts';
import { shownAddress } from '#server/channels/channels.ts';
import type { StoredAlert, StoredMessage } from './alert-table.ts';
import { AlertError, type Alerts, type TestedAlert } from './alerts.ts';
import { sentenceOf } from './sentence.ts';

/** An alert as answers describe it. */
export function alertInfo(alert: StoredAlert, alerts: Pick<Alerts, 'channelFault'>): AlertInfo {
  const { id, settings, rule, state, createdAt, fault } = alert;
  return {
    ...settings,
    id,
    unit: rule.unit,
    factor: rule.direction === 'rise' ? rule.factor : null,
    weeks: rule.weeks,
    byHand: settings.factor !== undefined,
    channels: settings.channels.map((channel) => ({
      kind: channel.kind,
      to: shownAddress(channel),
      fault: alerts.channelFault(id, channel),
    })),
    created_at: formatInstant(createdAt),
    judged_at: formatInstant(state.at),
    fault,
  };
}

/** The newest messages of a login, or those before one, with the sentences of their alerts. */
export function messageInfos(
  alerts: Pick<Alerts, 'list' | 'messages'>,
  login: string,
  most = MAX_MESSAGES,
  before?: string,
): AlertMessageInfo[] {
  const byId = new Map(alerts.list(login).map((alert) => [alert.id, alert]));
  const infoOf = ({ id, alert, message, isRead }: StoredMessage): AlertMessageInfo[] => {
    const of = byId.get(alert);
    if (!of) return [];
    return [
      {
        id,
        alert,
        name: of.settings.name,
        kind: message.kind,
        at: formatInstant(message.at),
        onset: formatInstant(message.onset),
        sentence: sentenceOf(of, message),
        read: isRead,
      },
    ];
  };
  return alerts.messages(login, most, before).flatMap(infoOf);
}

export function backTestInfo(
  topic: BackTestOrder,
  { unit, factor, chosen, messages, price, curve: { bounds, counts } }: TestedAlert,
): AlertBackTest {
  const words = {
    settings: { ...topic, name: topic.name ?? topic.query, quiet: null, channels: [] },
  };
  const rule = { zone: topic.zone, unit, direction: 'quiet', weeks: chosen.weeks } as const;
  return {
    unit,
    factor,
    weeks: chosen.weeks,
    budget: chosen.budget,
    curve: {
      start: formatInstant(bounds[0] ?? 0),
      end: formatInstant(bounds[counts.length] ?? 0),
      counts: Array.from(counts, (count) => (Number.isNaN(count) ? null : count)),
    },
    ...(price && { price }),
    messages: messages.map((message) => ({
      kind: message.kind,
      at: formatInstant(message.at),
      onset: formatInstant(message.onset),
      sentence: sentenceOf({ ...words, rule }, message),
    })),
  };
}

/**
 * Carries out an order of the command.
 *
 * @throws {@link AlertError} and others as the methods of {@link Alerts}.
 */
export async function orderAlerts(
  alerts: Alerts,
  login: string,
  order: AlertOrder,
): Promise<AlertOutcome> {
  const { action } = order;
  switch (action) {
    case 'add':
      return { action, alert: alertInfo(await alerts.add(login, order.settings), alerts) };
    case 'list':
      return { action, alerts: alerts.list(login).map((alert) => alertInfo(alert, alerts)) };
    case 'messages':
      return { action, messages: messageInfos(alerts, login) };
    case 'backtest':
      return { action, test: backTestInfo(order.topic, await alerts.backTest(login, order.topic)) };
    case 'test':
      return { action, alert: alertInfo(alerts.test(login, order.id), alerts) };
    case 'remove': {
      const alert = alerts.list(login).find(({ id }) => id === order.id);
      if (!alert || !alerts.remove(login, order.id)) {
        throw new AlertError(`There is no alert ${order.id}.`);
      }
      return { action, alert: alertInfo(alert, alerts) };
    }
  }
}
