import type { PERMISSIONS } from '#contract/accounts/apps.ts';
import type { Scope } from '#contract/accounts/scopes.ts';

/** What may narrow a subscription to events of a type. */
export type EventFilter =
  /** `user_id`. */
  | 'user'
  /** `user_id` and, if wanted, `direction`. */
  | 'user-direction'
  /** `keyword`. */
  | 'keyword'
  /** The type is delivered without a subscription. */
  | 'none';

/** How a type of event is named, and who may receive it. */
interface EventRule {
  /** The name in the other documents, where the specification and the public documents differ. */
  readonly alias?: string;
  /** What a private event needs; null for a public one, which an app may receive about any user. */
  readonly private: {
    /** Scope of an OAuth 2.0 token of the user. */
    readonly scope: Scope;
    /** What the user's OAuth 1.0a access needs instead. If there is one, it alone decides. */
    readonly permission: (typeof PERMISSIONS)[number];
  } | null;
  readonly filter: EventFilter;
}

const PUBLIC = { private: null, filter: 'user' } as const;
const message = {
  private: { scope: 'dm.read', permission: 'read-write-dm' },
  filter: 'user-direction',
} as const;
const needing = (scope: Scope) =>
  ({ private: { scope, permission: 'read' }, filter: 'user' }) as const;

/**
 * All types of events by their canonical name, which is that of the specification where it has one. Sources:
 * specification, Events; platform-facts, sections 0 and 6.2; platform-facts-additions, section 6.
 */
const RULES = {
  'profile.update.bio': PUBLIC,
  'profile.update.profile_picture': PUBLIC,
  'profile.update.banner_picture': PUBLIC,
  /** The display name. */
  'profile.update.screenname': PUBLIC,
  'profile.update.handle': PUBLIC,
  'profile.update.geo': PUBLIC,
  'profile.update.url': PUBLIC,
  'profile.update.verified': { ...PUBLIC, alias: 'profile.update.verified_badge' },
  'profile.update.affiliate': { ...PUBLIC, alias: 'profile.update.affiliate_badge' },
  'news.new': { private: null, filter: 'keyword' },
  'follow.follow': { private: null, filter: 'user-direction' },
  'follow.unfollow': { private: null, filter: 'user-direction' },
  'spaces.start': PUBLIC,
  'spaces.end': PUBLIC,
  'broadcast.start': PUBLIC,
  'broadcast.end': PUBLIC,
  'broadcast.chat': PUBLIC,
  'chat.received': message,
  'chat.sent': message,
  'chat.conversation_join': { ...message, alias: 'chat.conversation.join' },
  'chat.conversation.member_added': message,
  'chat.conversation.member_removed': message,
  'chat.conversation.admin_added': message,
  'chat.conversation.admin_removed': message,
  'chat.update.group_name': message,
  'chat.update.restrictions': message,
  'dm.received': message,
  'dm.sent': message,
  'dm.read': message,
  'dm.indicate_typing': message,
  'post.create': PUBLIC,
  'post.delete': PUBLIC,
  'post.mention.create': needing('tweet.read'),
  'post.reply.create': needing('tweet.read'),
  'post.quote.create': needing('tweet.read'),
  'post.repost.create': needing('tweet.read'),
  'like.create': { ...needing('like.read'), filter: 'user-direction' },
  'mute.mute': needing('mute.read'),
  'mute.unmute': needing('mute.read'),
  'block.block': needing('block.read'),
  'block.unblock': needing('block.read'),
  'oauth.revoke': { private: null, filter: 'none' },
} as const satisfies Readonly<Record<string, EventRule>>;

/** The canonical name of a type of event. */
export type EventType = keyof typeof RULES;

export const EVENT_TYPES = Object.keys(RULES) as readonly EventType[];

/** The rule of a type. */
export function eventRule(type: EventType): EventRule {
  return RULES[type];
}

const TYPE_OF: ReadonlyMap<string, EventType> = new Map(
  EVENT_TYPES.flatMap((type): [string, EventType][] => {
    const { alias } = eventRule(type);
    return [[type, type], ...(alias === undefined ? [] : [[alias, type] as [string, EventType]])];
  }),
);

/** The type that a name in either spelling means; null for any other text. */
export function eventType(name: string): EventType | null {
  return TYPE_OF.get(name) ?? null;
}

/** Every name of every type, in both spellings. */
export const EVENT_NAMES: readonly string[] = [...TYPE_OF.keys()];

/** The names until 18 March 2026 (specification, Events 1), and those that replaced them. */
export const RETIRED_EVENT_NAMES: ReadonlyMap<string, EventType> = new Map([
  ['ProfileBioUpdate', 'profile.update.bio'],
  ['ProfilePictureUpdate', 'profile.update.profile_picture'],
  ['ProfileBannerUpdate', 'profile.update.banner_picture'],
  ['ProfileGeoUpdate', 'profile.update.geo'],
  ['ProfileUrlUpdate', 'profile.update.url'],
]);
