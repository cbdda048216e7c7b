import type { PERMISSIONS } from '#contract/accounts/apps.ts';
import type { Scope } from '#contract/accounts/scopes.ts';
import { EVENT_READ, POST_READ, type ResourcePrice } from '#contract/counts/prices.ts';

/** The filters that may narrow a subscription to events of a type. */
export type EventFilter =
  /** `user_id`. */
  | 'user'
  /** `user_id` and, if wanted, `direction`. */
  | 'user-direction'
  /** `keyword`. */
  | 'keyword'
  /** The type is delivered without a subscription. */
  | 'none';

/** The name of a type of event, its receivers and its price. */
interface EventRule {
  /** The name in the other documents, where the specification and the public documents differ. */
  readonly alias?: string;
  /** The access that a private event needs; null for a public one, which an app may receive about any user. */
  readonly private: {
    /** Scope of an OAuth 2.0 token of the user. */
    readonly scope: Scope;
    /** The permission that the user's OAuth 1.0a access needs instead. If there is one, it alone decides. */
    readonly permission: (typeof PERMISSIONS)[number];
  } | null;
  readonly filter: EventFilter;
  /** The price of a delivered event for the app; null if it is free. */
  readonly price: ResourcePrice | null;
}

const about = (price: ResourcePrice | null) => ({ private: null, filter: 'user', price }) as const;
const PROFILE = about(EVENT_READ.profile);
const FOLLOW = { private: null, filter: 'user-direction', price: EVENT_READ.follow } as const;
const message = (price: ResourcePrice | null) =>
  ({
    private: { scope: 'dm.read', permission: 'read-write-dm' },
    filter: 'user-direction',
    price,
  }) as const;
const needing = (scope: Scope, price: ResourcePrice) =>
  ({ private: { scope, permission: 'read' }, filter: 'user', price }) as const;

/**
 * All types of events by their canonical name, which is that of the specification where it has one. Sources:
 * specification, Events; platform-facts, sections 0 and 6.2; platform-facts-additions, section 6.
 */
const RULES = {
  'profile.update.bio': PROFILE,
  'profile.update.profile_picture': PROFILE,
  'profile.update.banner_picture': PROFILE,
  /** The handle, as in the specification; to the public documents the display name, of which nothing else tells. */
  'profile.update.screenname': { ...PROFILE, alias: 'profile.update.handle' },
  'profile.update.geo': PROFILE,
  'profile.update.url': PROFILE,
  'profile.update.verified': { ...PROFILE, alias: 'profile.update.verified_badge' },
  'profile.update.affiliate': { ...PROFILE, alias: 'profile.update.affiliate_badge' },
  'news.new': { private: null, filter: 'keyword', price: EVENT_READ.public },
  'follow.follow': FOLLOW,
  'follow.unfollow': FOLLOW,
  'spaces.start': about(EVENT_READ.public),
  'spaces.end': about(EVENT_READ.public),
  'broadcast.start': about(null),
  'broadcast.end': about(null),
  'broadcast.chat': about(null),
  'chat.received': message(EVENT_READ.message),
  'chat.sent': message(null),
  'chat.conversation_join': { ...message(null), alias: 'chat.conversation.join' },
  'chat.conversation.member_added': message(null),
  'chat.conversation.member_removed': message(null),
  'chat.conversation.admin_added': message(null),
  'chat.conversation.admin_removed': message(null),
  'chat.update.group_name': message(null),
  'chat.update.restrictions': message(null),
  'dm.received': message(EVENT_READ.message),
  'dm.sent': message(null),
  'dm.read': message(null),
  'dm.indicate_typing': message(null),
  'post.create': about(POST_READ),
  'post.delete': about(null),
  'post.mention.create': needing('tweet.read', POST_READ),
  'post.reply.create': needing('tweet.read', POST_READ),
  'post.quote.create': needing('tweet.read', POST_READ),
  'post.repost.create': needing('tweet.read', POST_READ),
  'like.create': { ...needing('like.read', EVENT_READ.private), filter: 'user-direction' },
  'mute.mute': needing('mute.read', EVENT_READ.private),
  'mute.unmute': needing('mute.read', EVENT_READ.private),
  'block.block': needing('block.read', EVENT_READ.private),
  'block.unblock': needing('block.read', EVENT_READ.private),
  'oauth.revoke': { private: null, filter: 'none', price: null },
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
