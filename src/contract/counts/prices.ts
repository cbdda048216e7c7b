/**
 * The prices of operations on the platform, in micro-dollars (millionths of a dollar). Sources: `spec` is "Pay-per-use
 * prices" of the specification, `facts` platform-facts 1.6 and section 9, `additions` platform-facts-additions, section 9.
 */

/** Kinds of resources that an answer is billed by. Followers and followed accounts are `follow`, liked Posts `like`. */
export type ResourceKind =
  | 'post'
  | 'user'
  | 'follow'
  | 'list'
  | 'community'
  | 'note'
  | 'like'
  | 'mute'
  | 'block'
  | 'event';

/** A price per answered request. */
export interface RequestPrice {
  readonly per: 'request';
  readonly amount: number;
}

/** A price per resource in `data`. Posts and users in `includes` cost what reading them costs. */
export interface ResourcePrice {
  readonly per: 'resource';
  readonly kind: ResourceKind;
  readonly amount: number;
  /** Replaces the price of every resource if the owner of the app reads its own account. */
  readonly ownAmount?: number;
}

export type Price = RequestPrice | ResourcePrice;

/** @__NO_SIDE_EFFECTS__ */
function perRequest(amount: number): RequestPrice {
  return { per: 'request', amount };
}

/** @__NO_SIDE_EFFECTS__ */
function perResource(kind: ResourceKind, amount: number): ResourcePrice {
  return { per: 'resource', kind, amount };
}

// Each price is an export of its own, so that the dashboard's first page contains only those of its endpoints.

/** facts 1.6 */
export const RECENT_COUNTS = perRequest(5_000);
/** facts 1.6 */
export const ALL_COUNTS = perRequest(10_000);

/** facts */
export const POST_READ = perResource('post', 5_000);
/** facts */
export const USER_READ = perResource('user', 10_000);
/** facts */
export const FOLLOW_READ = perResource('follow', 10_000);
/** facts */
export const LIST_READ = perResource('list', 5_000);
/** facts */
export const COMMUNITY_READ = perResource('community', 5_000);
/** facts */
export const NOTE_READ = perResource('note', 5_000);
/** facts */
export const LIKE_READ = perResource('like', 1_000);
/** facts */
export const MUTE_READ = perResource('mute', 1_000);
/** facts */
export const BLOCK_READ = perResource('block', 1_000);

/** A resource that an account reads about itself (spec). */
export const OWN_READ = 1_000;

/**
 * The price of an account's own reads: lower if `{id}` is the authenticated user and owns the app (facts).
 *
 * @__NO_SIDE_EFFECTS__
 */
export function forOwner(price: ResourcePrice): ResourcePrice {
  return { ...price, ownAmount: OWN_READ };
}

/** A Post without a link (spec). */
export const POST_WRITE = perRequest(15_000);
/** A Post with a link (spec). */
export const LINK_WRITE = perRequest(200_000);
/** A reply to a Post whose author summoned the replier (spec). */
export const SUMMONED_WRITE = perRequest(10_000);
/** Follows, likes and reposts (facts). */
export const INTERACTION = perRequest(15_000);
/** Deleting a Post, and undoing a follow, like or repost (facts). */
export const DELETION = perRequest(10_000);
/** Hiding a reply (facts). */
export const CONTENT_MANAGE = perRequest(5_000);
/** facts */
export const LIST_CREATE = perRequest(10_000);
/** Changing and deleting a list, its members, followers and pins (additions). */
export const LIST_MANAGE = perRequest(5_000);
/** Adding and removing a bookmark (facts). */
export const BOOKMARK = perRequest(5_000);
/** additions */
export const MEDIA_METADATA = perRequest(5_000);
/** Muting an account (additions). */
export const PRIVACY_UPDATE = perRequest(10_000);
/** Undoing a mute (additions). */
export const MUTE_DELETE = perRequest(5_000);

/** Delivered events, by what they are about; that of a Post is billed as the Post (facts; additions). */
export const EVENT_READ = {
  profile: perResource('event', 5_000),
  follow: perResource('event', 10_000),
  message: perResource('event', 10_000),
  public: perResource('event', 5_000),
  private: perResource('event', 1_000),
};

/** Posts that an app may read in a cycle (facts). */
export const POST_CAP = 3_000_000;
