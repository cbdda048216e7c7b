import * as v from 'valibot';
import { DecimalId, Time, Whole } from '#contract/members.ts';
import { SUBSCRIPTIONS, VERIFIED_TYPES } from '#contract/accounts/accounts.ts';

/**
 * Schemas of answers, for the description of the interface. They name the members of both vocabularies and leave room
 * for further ones (platform-openapi; platform-facts-additions, section 0).
 */

const strings = v.array(v.string());

const PostMetrics = v.looseObject({
  like_count: Whole,
  reply_count: Whole,
  quote_count: Whole,
  bookmark_count: Whole,
  impression_count: Whole,
  retweet_count: v.optional(Whole),
  repost_count: v.optional(Whole),
});

const References = v.array(
  v.looseObject({ type: v.picklist(['retweeted', 'quoted', 'replied_to']), id: DecimalId }),
);

/** A Post. */
export const PostObject = v.looseObject({
  id: DecimalId,
  text: v.string(),
  author_id: v.optional(DecimalId),
  created_at: v.optional(Time),
  lang: v.optional(v.string()),
  conversation_id: v.optional(DecimalId),
  in_reply_to_user_id: v.optional(DecimalId),
  reply_settings: v.optional(
    v.picklist(['everyone', 'mentionedUsers', 'following', 'subscribers', 'verified', 'other']),
  ),
  community_id: v.optional(DecimalId),
  paid_partnership: v.optional(v.boolean()),
  possibly_sensitive: v.optional(v.boolean()),
  display_text_range: v.optional(v.tuple([Whole, Whole])),
  entities: v.optional(v.looseObject({})),
  attachments: v.optional(
    v.looseObject({ media_keys: v.optional(strings), poll_ids: v.optional(v.array(DecimalId)) }),
  ),
  public_metrics: v.optional(PostMetrics),
  edit_controls: v.optional(
    v.looseObject({
      edits_remaining: Whole,
      is_edit_eligible: v.boolean(),
      editable_until: Time,
    }),
  ),
  edit_history_tweet_ids: v.optional(v.array(DecimalId)),
  edit_history_post_ids: v.optional(v.array(DecimalId)),
  referenced_tweets: v.optional(References),
  referenced_posts: v.optional(References),
  note_tweet: v.optional(v.looseObject({ text: v.optional(v.string()) })),
  note_post: v.optional(v.looseObject({ text: v.optional(v.string()) })),
});

const UserMetrics = v.looseObject({
  followers_count: Whole,
  following_count: Whole,
  listed_count: Whole,
  tweet_count: v.optional(Whole),
  post_count: v.optional(Whole),
});

/** A user. */
export const UserObject = v.looseObject({
  id: DecimalId,
  name: v.string(),
  username: v.string(),
  created_at: v.optional(Time),
  description: v.optional(v.string()),
  location: v.optional(v.string()),
  url: v.optional(v.string()),
  protected: v.optional(v.boolean()),
  verified: v.optional(v.boolean()),
  verified_type: v.optional(v.picklist(VERIFIED_TYPES)),
  subscription_type: v.optional(v.picklist(SUBSCRIPTIONS)),
  confirmed_email: v.optional(v.string()),
  public_metrics: v.optional(UserMetrics),
  most_recent_tweet_id: v.optional(DecimalId),
  most_recent_post_id: v.optional(DecimalId),
  pinned_tweet_id: v.optional(DecimalId),
  pinned_post_id: v.optional(DecimalId),
});

/** A list. */
export const ListObject = v.looseObject({
  id: DecimalId,
  name: v.string(),
  description: v.optional(v.string()),
  owner_id: v.optional(DecimalId),
  private: v.optional(v.boolean()),
  follower_count: v.optional(Whole),
  member_count: v.optional(Whole),
  created_at: v.optional(Time),
});

const MediaObject = v.looseObject({ media_key: v.optional(v.string()), type: v.string() });
const PollObject = v.looseObject({
  id: DecimalId,
  options: v.array(v.looseObject({ position: Whole, label: v.string(), votes: Whole })),
});
const PlaceObject = v.looseObject({ id: v.string(), full_name: v.string() });

const Includes = v.looseObject({
  users: v.optional(v.array(UserObject)),
  tweets: v.optional(v.array(PostObject)),
  posts: v.optional(v.array(PostObject)),
  media: v.optional(v.array(MediaObject)),
  polls: v.optional(v.array(PollObject)),
  places: v.optional(v.array(PlaceObject)),
});

/** The reason a requested resource is absent (platform-facts 1.7). */
const PartialProblem = v.looseObject({
  type: v.string(),
  title: v.string(),
  detail: v.optional(v.string()),
});

const COMMON = { includes: v.optional(Includes), errors: v.optional(v.array(PartialProblem)) };

type Schema = v.GenericSchema<unknown, unknown>;

/**
 * An answer about one resource.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function answerWith<S extends Schema>(data: S) {
  return v.object({ data: v.optional(data), ...COMMON });
}

/**
 * An answer about many resources, which has no `data` if there are none.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function answerWithMany<S extends Schema>(data: S) {
  return v.object({ data: v.optional(v.array(data)), ...COMMON });
}

/**
 * One page of an answer about many resources.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function pageOf<S extends Schema>(data: S) {
  const meta = v.object({
    result_count: Whole,
    newest_id: v.optional(DecimalId),
    oldest_id: v.optional(DecimalId),
    next_token: v.optional(v.string()),
    previous_token: v.optional(v.string()),
  });
  return v.object({ ...answerWithMany(data).entries, meta });
}

/** The body of an error (RFC 9457; platform-facts 1.7). */
export const ProblemBody = v.looseObject({
  title: v.optional(v.string()),
  detail: v.optional(v.string()),
  type: v.optional(v.string()),
  status: v.optional(v.pipe(v.number(), v.integer())),
  errors: v.optional(
    v.array(
      v.looseObject({
        message: v.string(),
        parameters: v.optional(v.record(v.string(), strings)),
      }),
    ),
  ),
});
