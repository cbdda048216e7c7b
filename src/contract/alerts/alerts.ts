import * as v from 'valibot';
import { Time } from '#contract/members.ts';
import { Channel, CHANNEL_KINDS, MAX_CHANNELS } from '#contract/channels/channel.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { pathOf } from '#contract/parameters.ts';
import { BUDGETS, FACTORS, type AlertBudget } from '#core/alerts/budget.ts';
import { isZone } from '#core/time/zone-name.ts';

/** Most alerts of a service. */
export const MAX_ALERTS = 200;
/** Most messages of an answer to the command line, and of a page. */
export const MAX_MESSAGES = 500;
export const PAGE_MESSAGES = 50;
/** The days for which messages are stored. */
export const MESSAGE_DAYS = 90;

const id = pathOf('id', /^\d{1,15}$/);
const clock = v.pipe(
  v.string(),
  v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'expected a time, such as 22:00'),
);

/** Sources that can be watched. Counts of the platform are bought for it. */
export const WATCHED = ['posts', 'sample', 'platform'] as const;
/** `quiet` rings for silence and low days. */
export const DIRECTIONS = ['rise', 'quiet'] as const;

/** A topic, and what about it rings. */
const topic = {
  query: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(4096)),
  source: v.picklist(WATCHED),
  /** IANA name; its clock cuts hours and days. */
  zone: v.pipe(v.string(), v.maxLength(64), v.check(isZone, 'expected the name of a time zone')),
  direction: v.picklist(DIRECTIONS),
  /** About how often it may ring: once a day, a week or a month. Silence has no budget. */
  budget: v.picklist(Object.keys(BUDGETS) as [AlertBudget, ...AlertBudget[]]),
  /** Times the usual from which it rings; those that the budget chooses if absent. */
  factor: v.optional(v.picklist(FACTORS)),
};

export const WatchedTopic = v.strictObject(topic);
export type WatchedTopic = v.InferOutput<typeof WatchedTopic>;

/** USD. */
const price = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(1_000_000));

const name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100));

/** A topic to test. */
export const BackTestOrder = v.strictObject({
  ...topic,
  /** The name that its messages use; its query if absent. */
  name: v.exactOptional(name),
  /** On the platform, the most that the missing history may cost; absent to buy none. */
  agreed: v.exactOptional(price),
});
export type BackTestOrder = v.InferOutput<typeof BackTestOrder>;

/** Local times between which nothing is sent; what rang meanwhile is sent at the end, in one message. */
export const QuietHours = v.strictObject({ from: clock, to: clock });
export type QuietHours = v.InferOutput<typeof QuietHours>;

const settings = {
  ...topic,
  name,
  quiet: v.nullable(QuietHours),
  /** The most that it may cost in 30 days; only on the platform. */
  agreed: v.exactOptional(price),
  channels: v.pipe(v.array(Channel), v.maxLength(MAX_CHANNELS), v.readonly()),
};
export const AlertSettings = v.strictObject(settings);
export type AlertSettings = v.InferOutput<typeof AlertSettings>;

/** The factor of an alert, by default from its budget and the weeks before it. */
const chosen = {
  /** Buckets that are judged: days of a topic with fewer than one Post an hour. */
  unit: v.picklist(['hour', 'day']),
  /** Times the usual from which it rings; null if it rings for silence. */
  factor: v.nullable(v.number()),
  /** Weeks that the factor was chosen from, of 13. */
  weeks: v.number(),
};

/** A place with the rest of its address left out, which is often secret. */
const ChannelInfo = v.object({
  kind: v.picklist(CHANNEL_KINDS),
  /** The host; of an e-mail, the address. */
  to: v.string(),
  /** The reason that the last message was not delivered, a sentence; null if it was. */
  fault: v.nullable(v.string()),
});

export const AlertInfo = v.object({
  ...settings,
  id: v.string(),
  ...chosen,
  /** True if the user chose the factor instead of the budget. */
  byHand: v.boolean(),
  channels: v.array(ChannelInfo),
  created_at: Time,
  /** The time up to which it was judged. */
  judged_at: Time,
  /** The reason that it cannot be judged, a sentence; null if it can. */
  fault: v.nullable(v.string()),
});
export type AlertInfo = v.InferOutput<typeof AlertInfo>;

/** A message of an alert. */
export const AlertMessageInfo = v.object({
  id: v.string(),
  alert: v.string(),
  name: v.string(),
  kind: v.picklist(['rise', 'stronger', 'over', 'found-later', 'low-day', 'silence', 'cannot-see']),
  /** The time at which it was known, and at which its event began. */
  at: Time,
  onset: Time,
  sentence: v.string(),
  read: v.boolean(),
});
export type AlertMessageInfo = v.InferOutput<typeof AlertMessageInfo>;

/** The messages that an alert would have had over the last 13 weeks, by the counts as they are today. */
export const AlertBackTest = v.object({
  ...chosen,
  /** On the platform, USD: of 30 days, at most, and of the history that is missing. */
  price: v.exactOptional(v.object({ month: v.number(), history: v.number() })),
  /** `short`: too few weeks are known to choose by the budget; `exceeded`: even the largest factor rings more often. */
  budget: v.picklist(['kept', 'exceeded', 'short']),
  /** The counts that were judged, of equal hours or days; null where they are not known. */
  curve: v.object({ start: Time, end: Time, counts: v.array(v.nullable(v.number())) }),
  messages: v.array(
    v.object({ kind: AlertMessageInfo.entries.kind, at: Time, onset: Time, sentence: v.string() }),
  ),
});
export type AlertBackTest = v.InferOutput<typeof AlertBackTest>;

/** An order of the command `alert`. */
export const AlertOrder = v.variant('action', [
  v.strictObject({ action: v.literal('add'), settings: AlertSettings }),
  v.strictObject({ action: v.literal('list') }),
  v.strictObject({ action: v.literal('messages') }),
  v.strictObject({ action: v.literal('remove'), id: v.string() }),
  v.strictObject({ action: v.literal('test'), id: v.string() }),
  v.strictObject({ action: v.literal('backtest'), topic: BackTestOrder }),
]);
export type AlertOrder = v.InferOutput<typeof AlertOrder>;

export const AlertOutcome = v.variant('action', [
  v.object({ action: v.literal('add'), alert: AlertInfo }),
  v.object({ action: v.literal('list'), alerts: v.array(AlertInfo) }),
  v.object({ action: v.literal('messages'), messages: v.array(AlertMessageInfo) }),
  v.object({ action: v.literal('remove'), alert: AlertInfo }),
  v.object({ action: v.literal('test'), alert: AlertInfo }),
  v.object({ action: v.literal('backtest'), test: AlertBackTest }),
]);
export type AlertOutcome = v.InferOutput<typeof AlertOutcome>;

/** Alerts belong to a login, so that members may have some. */
const own = { ownData: true } as const;
const answer = v.object({ alert: AlertInfo });

/** Alerts, for the dashboard. */
export const ALERTS = {
  list: sessionEndpoint('GET', '/alerts', {
    answer: v.object({
      alerts: v.array(AlertInfo),
      /** The kinds of channel that the caller may send to: none for a member, and e-mail only with a mail server. */
      kinds: v.array(v.picklist(CHANNEL_KINDS)),
    }),
  }),
  /** Only an administrator may name channels. */
  add: sessionEndpoint('POST', '/alerts', { ...own, body: AlertSettings, answer }),
  backTest: sessionEndpoint('POST', '/alerts/backtest', {
    ...own,
    body: BackTestOrder,
    answer: AlertBackTest,
  }),
  /** Sends a message to its channels that says it is a test. */
  test: sessionEndpoint('POST', '/alerts/:id/test', { params: id, answer }),
  remove: sessionEndpoint('DELETE', '/alerts/:id', {
    ...own,
    params: id,
    answer: v.object({ removed: v.boolean() }),
  }),
  /** Undoes the removal, for 30 minutes. */
  restore: sessionEndpoint('POST', '/alerts/:id/restore', {
    ...own,
    params: id,
    answer: v.object({ restored: v.boolean() }),
  }),
  /** The newest messages, or those before one, the newest first. */
  messages: sessionEndpoint('GET', '/alerts/messages', {
    query: v.strictObject({
      /** The mark of the last answer: if nothing has changed since, messages are left out. */
      mark: v.optional(v.pipe(v.string(), v.maxLength(100))),
      /** Id of a message. */
      before: v.optional(v.pipe(v.string(), v.maxLength(100))),
    }),
    answer: v.object({
      /** At most {@link PAGE_MESSAGES}; null if nothing has changed since the mark. */
      messages: v.nullable(v.array(AlertMessageInfo)),
      unread: v.number(),
      mark: v.string(),
    }),
  }),
  /** Marks all messages up to a time as read. */
  read: sessionEndpoint('POST', '/alerts/messages/read', {
    ...own,
    body: v.strictObject({ until: Time }),
    answer: v.object({ unread: v.number() }),
  }),
};
