import { eventRule, type EventType } from '#contract/streams/events.ts';
import type { ResourcePrice } from '#contract/counts/prices.ts';
import { object, string } from '#core/import/json.ts';
import { putNewest } from '#core/newest.ts';
import { isOpenTo } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { isOpenNow, type DeliverySubject } from '#server/streams/delivery-subject.ts';
import type { LogPart } from '#server/streams/follow-log.ts';
import type { EventLog, LogEntry } from '#server/streams/log.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import { filterOf } from './activity.ts';
import { hasKeyword } from './keyword.ts';
import { occurrencesOf } from './occurrences.ts';
import { contentText, eventId, lineOf, subjectOf } from './payload.ts';
import type { Subscription } from '#server/streams/subscription-reader.ts';
import type { SubscriptionTable } from '#server/streams/subscription-table.ts';

/** An event for one subscription, or for an app where the type needs none. */
export interface ActivityDelivery {
  /** Id of the app. */
  readonly app: string;
  /** Null for what needs no subscription. */
  readonly subscription: Subscription | null;
  /** `event_uuid` of the line. */
  readonly event: string;
  readonly line: string;
  readonly subject: DeliverySubject;
  /** Null if it is free. */
  readonly price: ResourcePrice | null;
  /** The id that is billed once a day: of the Post or the event. */
  readonly billed: string;
}

/** The events of a source for the subscriptions to them. */
export type ActivityFeed = ReturnType<typeof activityFeed>;

/** Entries that are read at once. */
const PART = 64;
/** Entries whose texts are kept, so that all that is sent about an event has the same bytes. */
const MOST_STORED = 1024;
/** Entries whose subscriptions are remembered until any changes. */
const MOST_SEARCHED = 64;

/** Subscriptions to one type of event about one user; null for what is about none. */
interface Found {
  readonly type: EventType;
  readonly user: string | null;
  readonly found: readonly Subscription[];
}

export interface FeedDeps {
  readonly stream: RuleStream;
  readonly log: EventLog;
  readonly table: SubscriptionTable;
  readonly finder: () => PostFinder | null;
  /** A number that changes when subscriptions or accounts may have changed. */
  readonly changes: () => number;
  /** Epoch ms. */
  readonly now: () => number;
}

export function activityFeed({ stream, log, table, finder: finderNow, changes, now }: FeedDeps) {
  const texts = new Map<number, Map<EventType, string | null>>();
  const textOf = (entry: LogEntry, type: EventType, finder: PostFinder): string | null => {
    const ofEntry = texts.get(entry.number) ?? new Map<EventType, string | null>();
    // A Post may be gone since then, or an account protected.
    if (!isOpenNow(subjectOf(entry), finder)) return null;
    const known = ofEntry.get(type);
    if (known !== undefined) return known;
    const text = contentText(entry, type, finder, now());
    putNewest(texts, entry.number, ofEntry.set(type, text), MOST_STORED);
    return text;
  };

  /** Finds the subscriptions to what an entry is. */
  const find = (entry: LogEntry, finder: PostFinder): Found[] => {
    const { type } = entry;
    if (!table.any(stream)) return [];
    if (type === 'news.new') {
      const words = object(entry.body)?.texts;
      const found = table
        .to(stream, type, null)
        .filter(({ subject }) => Array.isArray(words) && hasKeyword(words.map(String), subject));
      return [{ type, user: null, found }];
    }
    return occurrencesOf(entry, (name) => finder.userId(name)).flatMap(({ type, about }) =>
      about.flatMap(({ user, direction }) => {
        const fits = (subscription: Subscription): boolean =>
          subscription.direction === null ||
          direction === null ||
          subscription.direction === direction;
        const found = table.to(stream, type, user).filter(fits);
        return found.length > 0 ? [{ type, user, found }] : [];
      }),
    );
  };
  // All connections and the webhooks ask for a new entry at almost the same time.
  const searched = new Map<number, readonly Found[]>();
  let searchedAt = changes();
  const foundFor = (entry: LogEntry, finder: PostFinder): readonly Found[] => {
    if (searchedAt !== changes()) searched.clear();
    searchedAt = changes();
    const known = searched.get(entry.number);
    if (known) return known;
    const found = find(entry, finder);
    putNewest(searched, entry.number, found, MOST_SEARCHED);
    return found;
  };

  /** Subscriptions to what an entry is, each once, of those that a receiver accepts. */
  const interested = (
    entry: LogEntry,
    finder: PostFinder,
    accepts: (subscription: Subscription) => boolean,
  ): Map<EventType, Subscription[]> => {
    const all = new Map<EventType, Map<string, Subscription>>();
    for (const { type, user, found } of foundFor(entry, finder)) {
      const accepted = found.filter(accepts);
      if (accepted.length === 0 || (user !== null && !isOpenTo(finder, user))) continue;
      const ofType = all.get(type) ?? new Map<string, Subscription>();
      for (const subscription of accepted) ofType.set(subscription.id, subscription);
      all.set(type, ofType);
    }
    return new Map([...all].map(([type, ofType]) => [type, [...ofType.values()]]));
  };

  return {
    /** Reads the entries after a number of the log. @param until - Epoch ms; later entries are not read. */
    after: (number: number, until: number = Infinity): LogPart<LogEntry> => {
      const entries = log.after(number, PART).filter(({ at }) => at < until);
      return { last: entries.at(-1)?.number ?? number, items: entries };
    },
    /**
     * The deliveries of an entry by the subscriptions as they are now.
     *
     * @param accepts - Chooses among them by app and subscription, which is null for what needs none.
     */
    deliveries: (
      entry: LogEntry,
      accepts: (app: string, subscription: Subscription | null) => boolean,
    ): ActivityDelivery[] => {
      const finder = finderNow();
      if (!finder) return [];
      if (entry.type === 'oauth.revoke') {
        const of = string(object(entry.body)?.app_id);
        const content = of === undefined ? null : textOf(entry, entry.type, finder);
        if (of === undefined || content === null || !accepts(of, null)) return [];
        const event = eventId(entry, of);
        const line = lineOf(event, { filter: {}, event_type: entry.type }, content);
        const subject = { stream, ...subjectOf(entry) };
        return [{ app: of, subscription: null, event, line, subject, price: null, billed: event }];
      }
      const accepted = interested(entry, finder, (subscription) =>
        accepts(subscription.app, subscription),
      );
      return [...accepted].flatMap(([type, found]) =>
        found.flatMap((subscription) => {
          const content = textOf(entry, type, finder);
          if (content === null) return [];
          const event = eventId(entry, subscription.id);
          const { name: event_type, tag } = subscription;
          const envelope = {
            filter: filterOf(subscription),
            event_type,
            ...(tag !== null && { tag }),
          };
          const { price } = eventRule(type);
          const billed =
            price?.kind === 'post' && entry.post !== null
              ? entry.post
              : `${stream} ${entry.number}`;
          const line = lineOf(event, envelope, content);
          const { post, users } = subjectOf(entry);
          const filtered = type === 'news.new' ? [] : [subscription.subject];
          const subject = { stream, post, users: [...new Set([...users, ...filtered])] };
          return [{ app: subscription.app, subscription, event, line, subject, price, billed }];
        }),
      );
    },
  };
}
