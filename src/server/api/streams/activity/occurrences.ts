import type { EventType } from '#contract/streams/events.ts';
import { object, objects, string, strings, type Json } from '#core/import/json.ts';
import type { LogEntry } from '#server/streams/log.ts';
import type { ActivityDirection } from '#contract/streams/activity-filter.ts';

/** Something that subscriptions name, as one entry of the log can be several of. */
export interface Occurrence {
  readonly type: EventType;
  /** The users that filters may name for it, and what its direction is for each; null if it has none. */
  readonly about: readonly {
    readonly user: string;
    readonly direction: ActivityDirection | null;
  }[];
}

type About = Occurrence['about'];

function users(
  ids: readonly (string | undefined)[],
  direction: ActivityDirection | null = null,
): About {
  const known = new Set(ids.filter((id) => id !== undefined));
  return [...known].map((user) => ({ user, direction }));
}

/** The occurrences of a new Post: for its author, and for those whom it mentions, answers, quotes or reposts. */
function ofPost(body: Json, idOf: (username: string) => string | null): Occurrence[] {
  const repost = string(body.retweeted_tweet_id);
  const replied = string(body.in_reply_to_user_id);
  const mentions = Array.isArray(body.mentions) ? body.mentions.map(String) : [];
  // Only explicit mentions count: the text of a repost is that of the other Post, and a reply implies whom it answers.
  const mentioned =
    repost === undefined
      ? mentions.map((name) => idOf(name) ?? undefined).filter((id) => id !== replied)
      : [];
  const all: Occurrence[] = [
    { type: 'post.create', about: users([string(body.author_id)]) },
    { type: 'post.mention.create', about: users(mentioned) },
    { type: 'post.reply.create', about: users([replied]) },
    { type: 'post.quote.create', about: users([string(body.quoted_user_id)]) },
    { type: 'post.repost.create', about: users([string(body.retweeted_user_id)]) },
  ];
  return all.filter(({ about }) => about.length > 0);
}

/** The account that reads or types. */
function senderIn(body: Json): string | undefined {
  const marks = [body.direct_message_mark_read_events, body.direct_message_indicate_typing_events];
  return marks.flatMap((list) => strings(objects(list), 'sender_id'))[0];
}

/**
 * The occurrences of an entry of the log to subscriptions. Directions by the specification, Events, and
 * platform-facts-additions, section 6: `outbound` is what the user of the filter does.
 *
 * @param idOf - The id of an account by its username, in lower case; null if it is unknown.
 */
export function occurrencesOf(
  { type, users: concerned, body: value }: LogEntry,
  idOf: (username: string) => string | null,
): Occurrence[] {
  const body = object(value) ?? {};
  const [first] = concerned;
  switch (type) {
    case 'post.edit':
      return [];
    case 'post.create':
      return ofPost(body, idOf);
    case 'post.delete':
      return [{ type, about: users([string(body.author_id)]) }];
    case 'follow.follow':
    case 'follow.unfollow':
    case 'like.create': {
      const target = string(body[type === 'like.create' ? 'liked_tweet_author_id' : 'target_id']);
      const source = string(body.source_id);
      return [{ type, about: [...users([source], 'outbound'), ...users([target], 'inbound')] }];
    }
    case 'dm.sent':
    case 'chat.sent':
      return [{ type, about: users([first], 'outbound') }];
    case 'dm.received':
    case 'chat.received':
      return [{ type, about: users([first], 'inbound') }];
    case 'dm.read':
    case 'dm.indicate_typing':
      return [{ type, about: users([first], senderIn(body) === first ? 'outbound' : 'inbound') }];
    default:
      // The account that the event happens to is the first one; of mutes and blocks, the one that acts.
      return [{ type, about: users([first]) }];
  }
}
