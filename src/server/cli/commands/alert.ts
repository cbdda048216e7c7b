import {
  DIRECTIONS,
  QuietHours,
  type AlertInfo,
  type AlertOrder,
  type AlertOutcome,
  type AlertBackTest,
  type WatchedTopic,
  WATCHED,
} from '#contract/alerts/alerts.ts';
import { BUDGETS, FACTORS, type AlertBudget } from '#core/alerts/budget.ts';
import { ringRuleText } from '#core/alerts/rule-text.ts';
import { usdText } from '#core/format/number-text.ts';
import { plural } from '#core/format/plural.ts';
import { CHANNEL_OPTION, channelsOf } from '#server/cli/channel-option.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import {
  actionOf,
  choiceOf,
  noMore,
  refuseForeign,
  UsageError,
  zoneOf,
  type Values,
} from '#server/cli/options.ts';
import * as v from 'valibot';

const ACTIONS = ['add', 'list', 'messages', 'test', 'remove', 'backtest'] as const;
const BUDGET_NAMES = Object.keys(BUDGETS) as AlertBudget[];

function topicOf(query: string | undefined, action: string, values: Values): WatchedTopic {
  if (query === undefined || query.trim() === '') {
    throw new UsageError(`Give the query: groundswell alert ${action} QUERY.`);
  }
  const factor = FACTORS.find((each) => String(each) === values.last('factor'));
  if (values.has('factor') && factor === undefined) {
    throw new UsageError(`--factor ${values.last('factor')} is not one of ${FACTORS.join(', ')}.`);
  }
  return {
    query,
    ...(factor !== undefined && { factor }),
    source: choiceOf(values, 'source', WATCHED) ?? 'posts',
    zone: zoneOf(values, 'zone') ?? 'UTC',
    direction: choiceOf(values, 'for', DIRECTIONS) ?? 'rise',
    budget: choiceOf(values, 'budget', BUDGET_NAMES) ?? 'week',
  };
}

/** The price of `--agree 3.60`. */
function agreedOf(values: Values, { source }: WatchedTopic): { agreed?: number } {
  const text = values.last('agree');
  if (text === undefined) return {};
  if (source !== 'platform') {
    throw new UsageError('--agree belongs to --source platform: other alerts cost nothing.');
  }
  if (/^\d{1,6}(?:\.\d{1,6})?$/.test(text)) return { agreed: Number(text) };
  throw new UsageError(`--agree ${text} is not a price: expected dollars, such as 3.60.`);
}

/** The hours of `--quiet 22:00-07:00`. */
function quietOf(values: Values): QuietHours | null {
  const text = values.last('quiet');
  if (text === undefined) return null;
  const [from, to] = text.split('-');
  const read = v.safeParse(QuietHours, { from, to });
  if (read.success) return read.output;
  throw new UsageError(`--quiet ${text} is not two times, such as 22:00-07:00.`);
}

function alertOf([word, text, extra]: readonly string[], values: Values): AlertOrder {
  const action = actionOf('alert', ACTIONS, word);
  noMore(action === 'list' || action === 'messages' ? text : extra, 'alert');
  refuseForeign(values, 'alert', action, {
    name: 'add',
    quiet: 'add',
    to: 'add',
    factor: ['add', 'backtest'],
    agree: ['add', 'backtest'],
  });
  if (action === 'list' || action === 'messages') return { action };
  if (action === 'backtest') {
    const topic = topicOf(text, action, values);
    return { action, topic: { ...topic, ...agreedOf(values, topic) } };
  }
  if (action === 'add') {
    const topic = topicOf(text, action, values);
    const name = values.last('name')?.trim() ?? topic.query.slice(0, 100);
    if (name === '' || name.length > 100) {
      throw new UsageError(`--name must have 1 to 100 characters, got ${name.length}.`);
    }
    const settings = {
      ...topic,
      ...agreedOf(values, topic),
      name,
      quiet: quietOf(values),
      channels: channelsOf(values),
    };
    return { action, settings };
  }
  if (text === undefined) {
    throw new UsageError(`Name the alert by its number: groundswell alert ${action} ID.`);
  }
  return { action, id: text };
}

/** The outcome without its action. */
const jsonOf = (outcome: AlertOutcome): unknown => ({ ...outcome, action: undefined });

function line(alert: AlertInfo): string {
  const { id, name, channels, fault } = alert;
  const to = channels.map(({ kind, to, fault: why }) => `${kind} ${to}${why ? ` (${why})` : ''}`);
  const parts = [
    id,
    name,
    ringRuleText(alert),
    ...to,
    ...(fault ? [`cannot be judged: ${fault}`] : []),
  ];
  return `${parts.join('  ')}\n`;
}

/** The sentence about a budget that an alert does not keep to. */
const LACKS: Readonly<Partial<Record<AlertBackTest['budget'], string>>> = {
  exceeded: 'It rings more often than the budget allows.\n',
  short: 'Too little history is known to choose a factor: this is the one of most topics.\n',
};

/** The price of an alert on the platform. */
function priceLines({ month, history }: NonNullable<AlertBackTest['price']>): string {
  const missing =
    history > 0
      ? `The history that is not bought yet costs ${usdText(history)}: give --agree ${history} to buy it.\n`
      : '';
  return `It costs up to ${usdText(month)} a month: groundswell alert add --agree ${month}.\n${missing}`;
}

function tested({ messages, price, ...test }: AlertBackTest, topic: WatchedTopic): string {
  const rows = messages.map(
    ({ at, sentence }) => `${at.slice(0, 16).replace('T', ' ')}  ${sentence}\n`,
  );
  const rule = ringRuleText({
    ...test,
    budget: topic.budget,
    byHand: topic.factor !== undefined,
  });
  const lack = topic.direction === 'rise' ? (LACKS[test.budget] ?? '') : '';
  return `${rows.join('')}It ${rule}: ${plural(messages.length, 'message')} in the last 13 weeks, by the counts as they are today.\n${lack}${price ? priceLines(price) : ''}`;
}

function done(order: AlertOrder, outcome: AlertOutcome): string {
  switch (outcome.action) {
    case 'add':
      return `Alert ${outcome.alert.id} “${outcome.alert.name}” ${ringRuleText(outcome.alert)}.\n`;
    case 'list':
      return outcome.alerts.map(line).join('') || 'There are no alerts.\n';
    case 'messages':
      return (
        outcome.messages
          .map(({ at, sentence }) => `${at.slice(0, 16).replace('T', ' ')}  ${sentence}.\n`)
          .join('') || 'There are no messages.\n'
      );
    case 'test':
      return `A test of “${outcome.alert.name}” is on its way to ${plural(outcome.alert.channels.length, 'channel')}.\n`;
    case 'remove':
      return `The alert “${outcome.alert.name}” was removed.\n`;
    case 'backtest':
      return order.action === 'backtest' ? tested(outcome.test, order.topic) : '';
  }
}

export const alertCommand = command({
  name: 'alert',
  summary: {
    'groundswell alert add|backtest QUERY, groundswell alert test|remove ID, groundswell alert list|messages':
      'rings when a topic rises above its usual, or falls silent',
  },
  about: `groundswell alert add QUERY [options]
groundswell alert backtest QUERY [options]
groundswell alert list
groundswell alert messages
groundswell alert test ID
groundswell alert remove ID
Rings when the Posts of a query rise above what is usual, or when it falls silent. The service judges them while it
runs. How far above the usual follows from a budget: about once a day, a week or a month, over the last 13 weeks.
backtest prints what would have rung in them, and the price of an alert on the platform, to which add must agree.`,
  column: 22,
  options: {
    '--name TEXT': 'name in messages, at most 100 characters (default: the query)',
    '--source SOURCE': `${WATCHED.join(', ')} (default: posts). The platform costs money: backtest prints the price`,
    '--agree USD':
      'the most that an alert on the platform may cost a month, or the history of backtest',
    '--for KIND': 'rise or quiet, which rings for silence and low days (default: rise)',
    '--budget TIME': `about how often it may ring: ${BUDGET_NAMES.join(', ')} (default: week)`,
    '--factor NUMBER':
      'times the usual from which it rings, instead of those that the budget chooses',
    '--zone ZONE': 'time zone of hours and days, such as Europe/Berlin (default: UTC)',
    '--quiet FROM-TO':
      'local times between which nothing is sent, such as 22:00-07:00; then all in one message',
    ...CHANNEL_OPTION,
    ...JSON_OPTION,
  },
  read: (words, values) => ({ alert: alertOf(words, values), json: values.has('json') }),
  run: (deps, { data, alert, json }) =>
    report(deps, data, 'alert', alert, ({ outcome }) =>
      json ? `${JSON.stringify(jsonOf(outcome))}\n` : done(alert, outcome),
    ),
});
