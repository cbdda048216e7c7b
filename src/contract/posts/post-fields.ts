/** Fields that `tweet.fields` may name (platform-openapi, TweetFieldsParameter). */
export const POST_FIELDS = [
  'article',
  'attachments',
  'author_id',
  'card_uri',
  'community_id',
  'context_annotations',
  'conversation_id',
  'created_at',
  'display_text_range',
  'edit_controls',
  'edit_history_tweet_ids',
  'entities',
  'geo',
  'id',
  'in_reply_to_user_id',
  'lang',
  'matched_media_notes',
  'media_metadata',
  'non_public_metrics',
  'note_request_suggestions',
  'note_tweet',
  'organic_metrics',
  'paid_partnership',
  'possibly_sensitive',
  'promoted_metrics',
  'public_metrics',
  'referenced_tweets',
  'reply_settings',
  'scopes',
  'source',
  'suggested_source_links',
  'suggested_source_links_with_counts',
  'text',
  'withheld',
] as const;
/** A field of a Post, by its tweet name. */
export type PostField = (typeof POST_FIELDS)[number];

/** Fields that `user.fields` may name (platform-openapi, UserFieldsParameter). */
export const USER_FIELDS = [
  'affiliation',
  'confirmed_email',
  'connection_status',
  'created_at',
  'description',
  'entities',
  'id',
  'is_identity_verified',
  'location',
  'most_recent_tweet_id',
  'name',
  'parody',
  'pinned_tweet_id',
  'profile_banner_url',
  'profile_image_url',
  'protected',
  'public_metrics',
  'receives_your_dm',
  'subscription',
  'subscription_type',
  'url',
  'username',
  'verified',
  'verified_followers_count',
  'verified_type',
  'withheld',
] as const;
/** Further names of `user.fields` in newer clients. */
export const NEWER_USER_FIELDS = [
  'most_recent_post_id',
  'pinned_post_id',
  'subscribes_to_you',
] as const;

/** Fields that `media.fields`, `poll.fields` and `place.fields` may name (platform-openapi). */
export const MEDIA_FIELDS = [
  'alt_text',
  'duration_ms',
  'height',
  'media_key',
  'non_public_metrics',
  'organic_metrics',
  'preview_image_url',
  'promoted_metrics',
  'public_metrics',
  'type',
  'url',
  'variants',
  'width',
] as const;
export const POLL_FIELDS = [
  'duration_minutes',
  'end_datetime',
  'id',
  'options',
  'voting_status',
] as const;
export const PLACE_FIELDS = [
  'contained_within',
  'country',
  'country_code',
  'full_name',
  'geo',
  'id',
  'name',
  'place_type',
] as const;

/** Expansions of a Post (platform-openapi, TweetExpansionsParameter). */
export const EXPANSIONS = [
  'article.cover_media',
  'article.media_entities',
  'attachments.media_keys',
  'attachments.media_source_tweet',
  'attachments.poll_ids',
  'author_id',
  'edit_history_tweet_ids',
  'entities.mentions.username',
  'entities.note.mentions.username',
  'geo.place_id',
  'in_reply_to_user_id',
  'referenced_tweets.id',
  'referenced_tweets.id.attachments.media_keys',
  'referenced_tweets.id.author_id',
] as const;
/** An expansion of a Post, by its tweet name. */
export type Expansion = (typeof EXPANSIONS)[number];

/** Post names of fields and expansions that have another tweet name (platform-facts-additions, section 0). */
export const RENAMED_FIELDS: Readonly<Partial<Record<PostField | Expansion, string>>> = {
  edit_history_tweet_ids: 'edit_history_post_ids',
  note_tweet: 'note_post',
  referenced_tweets: 'referenced_posts',
  'referenced_tweets.id': 'referenced_posts',
};

/** In post names, these are not values of `post.fields`: the expansion of the same name returns them. */
const BY_EXPANSION: ReadonlySet<string> = new Set<PostField>([
  'author_id',
  'edit_history_tweet_ids',
  'in_reply_to_user_id',
  'referenced_tweets',
]);

/** The field of a Post that an expansion follows, which the answer then contains. */
export const FOLLOWED: Readonly<Partial<Record<Expansion, PostField>>> = {
  'article.cover_media': 'article',
  'article.media_entities': 'article',
  'attachments.media_keys': 'attachments',
  'attachments.media_source_tweet': 'attachments',
  'attachments.poll_ids': 'attachments',
  author_id: 'author_id',
  edit_history_tweet_ids: 'edit_history_tweet_ids',
  'entities.mentions.username': 'entities',
  'entities.note.mentions.username': 'note_tweet',
  'geo.place_id': 'geo',
  in_reply_to_user_id: 'in_reply_to_user_id',
  'referenced_tweets.id': 'referenced_tweets',
  'referenced_tweets.id.attachments.media_keys': 'referenced_tweets',
  'referenced_tweets.id.author_id': 'referenced_tweets',
};

/** Expansions that only one vocabulary has. All others occur in both or do not name Posts at all. */
export const TWEET_EXPANSIONS: ReadonlySet<string> = new Set([
  'most_recent_tweet_id',
  'pinned_tweet_id',
  'edit_history_tweet_ids',
  'referenced_tweets.id',
  'referenced_tweets.id.attachments.media_keys',
  'referenced_tweets.id.author_id',
]);
export const POST_EXPANSIONS: ReadonlySet<string> = new Set([
  'most_recent_post_id',
  'pinned_post_id',
  'edit_history_post_ids',
  'referenced_posts',
]);

/** Post names of the fields of a user that name Posts. */
export const USER_NAMES = {
  most_recent_tweet_id: 'most_recent_post_id',
  pinned_tweet_id: 'pinned_post_id',
};
export const USER_FIELD_BY_POST_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(USER_NAMES).map(([name, newer]) => [newer, name]),
);

const postName = (name: PostField | Expansion): string => RENAMED_FIELDS[name] ?? name;
export const FIELD_BY_POST_NAME: ReadonlyMap<string, PostField> = new Map(
  POST_FIELDS.filter((name) => !BY_EXPANSION.has(name)).map((name) => [postName(name), name]),
);
export const EXPANSION_BY_NAME: ReadonlyMap<string, Expansion> = new Map<string, Expansion>([
  // Only newer clients name it; the author has the username.
  ['username', 'author_id'],
  ['edit_history_post_ids', 'edit_history_tweet_ids'],
  ['referenced_posts', 'referenced_tweets.id'],
  ...EXPANSIONS.map((name) => [name, name] as const),
]);
/** The fields of both vocabularies. */
export const ALL_POST_FIELDS = [...POST_FIELDS, ...POST_FIELDS.map(postName), 'article_title'];
