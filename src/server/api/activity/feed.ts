import type { EventType } from '#contract/events.ts';
import { eventPrice } from '#contract/prices.ts';
import type { ResourcePrice } from '#contract/prices.ts';
import { object, string } from '#server/import/json.ts';
import { isOpenTo } from '#server/posts/post-json.ts';
import type { PostFinder } from '#server/posts/source.ts';
import type { LogPart } from '#server/stream/follow-log.ts';
import type { EventLog, LogEntry } from '#server/stream/log.ts';
import type { RuleStream } from '#server/stream/rules/rule-table.ts';
import { filterOf } from './activity.ts';
import { hasKeyword } from './keyword.ts';
import { occurrencesOf } from './occurrences.ts';
import { contentText, eventId, isThere, lineOf } from './payload.ts';
import type { Subscription, SubscriptionTable } from '#server/stream/subscription-table.ts';

/** An event for one subscription, or for an app where the type needs none. */
export interface ActivityDelivery {
  /** Id of the app. */
  readonly app: string;
  /** Null for what needs no subscription. */
  readonly subscription: Subscription | null;
  /** `event_uuid` of the line. */
  readonly event: string;
  readonly line: string;
  /** Null if it is free. */
  readonly price: ResourcePrice | null;
  /** What is billed once a day: the Post or the event. */
  readonly billed: string;
}

/** The events of a source for the subscriptions to them. */
export interface ActivityFeed {
  /** Reads on after a number of the log. @param until - Epoch ms; later entries are not read. */
  after(number: number, until?: number): LogPart<LogEntry>;
  /**
   * The deliveries of an entry by the subscriptions as they are now.
   *
   * @param accepts - Chooses among them by app and subscription, which is null for what needs none.
   */
  deliveries(
    entry: LogEntry,
    accepts: (app: string, subscription: Subscription | null) => boolean,
  ): ActivityDelivery[];
}

/** Entries that are read at once. */
const PART = 64;
/** Entries whose texts are kept, so that all that is sent about an event has the same bytes. */
const MOST_STORED = 1024;

export interface FeedDeps {
  readonly stream: RuleStream;
  readonly log: EventLog;
  readonly table: SubscriptionTable;
  readonly finder: () => PostFinder | null;
  /** Epoch ms. */
  readonly now: () => number;
}

export function activityFeed({ stream, log, table, finder: find, now }: FeedDeps): ActivityFeed {
  const texts = new Map<number, Map<EventType, string | null>>();
  const textOf = (entry: LogEntry, type: EventType, finder: PostFinder): string | null => {
    const ofEntry = texts.get(entry.number) ?? new Map<EventType, string | null>();
    // A Post may be gone since then.
    if (entry.type === 'post.create' && !isThere(entry, finder)) return null;
    const known = ofEntry.get(type);
    if (known !== undefined) return known;
    const text = contentText(entry, type, finder, now());
    texts.set(entry.number, ofEntry.set(type, text));
    const [oldest] = texts.keys();
    if (texts.size > MOST_STORED && oldest !== undefined) texts.delete(oldest);
    return text;
  };

  /** Subscriptions to what an entry is, each once. */
  const interested = (entry: LogEntry, finder: PostFinder): Map<EventType, Subscription[]> => {
    if (entry.type === 'news.new') {
      const texts = object(entry.body)?.texts;
      const found = table
        .to(stream, entry.type, null)
        .filter(({ subject }) => Array.isArray(texts) && hasKeyword(texts.map(String), subject));
      return new Map([[entry.type, found]]);
    }
    const all = new Map<EventType, Map<string, Subscription>>();
    for (const { type, about } of occurrencesOf(entry, (name) => finder.userId(name))) {
      for (const { user, direction } of about) {
        for (const one of table.to(stream, type, user)) {
          const fits = one.direction === null || direction === null || one.direction === direction;
          if (!fits || !isOpenTo(finder, user)) continue;
          const ofType = all.get(type) ?? new Map<string, Subscription>();
          all.set(type, ofType.set(one.id, one));
        }
      }
    }
    return new Map([...all].map(([type, found]) => [type, [...found.values()]]));
  };

  return {
    after: (number, until = Infinity) => {
      const entries = log.after(number, PART).filter(({ at }) => at < until);
      return { last: entries.at(-1)?.number ?? number, items: entries };
    },
    deliveries: (entry, accepts) => {
      const finder = find();
      if (!finder) return [];
      if (entry.type === 'oauth.revoke') {
        const of = string(object(entry.body)?.app_id);
        const content = of === undefined ? null : textOf(entry, entry.type, finder);
        if (of === undefined || content === null || !accepts(of, null)) return [];
        const event = eventId(entry, of);
        const line = lineOf(event, { filter: {}, event_type: entry.type }, content);
        return [{ app: of, subscription: null, event, line, price: null, billed: event }];
      }
      if (!table.any(stream)) return [];
      return [...interested(entry, finder)].flatMap(([type, found]) =>
        found
          .filter((one) => accepts(one.app, one))
          .flatMap((one) => {
            const content = textOf(entry, type, finder);
            if (content === null) return [];
            const event = eventId(entry, one.id);
            const { name: event_type, tag } = one;
            const envelope = { filter: filterOf(one), event_type, ...(tag !== null && { tag }) };
            const price = eventPrice(type);
            const billed =
              price?.kind === 'post' && entry.post !== null
                ? entry.post
                : `${stream} ${entry.number}`;
            const line = lineOf(event, envelope, content);
            return [{ app: one.app, subscription: one, event, line, price, billed }];
          }),
      );
    },
  };
}
