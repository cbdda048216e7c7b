import * as v from 'valibot';
import { about, splitList } from '#contract/parameters.ts';
import { vocabularyOf, type Mark, type Vocabulary } from '#contract/vocabulary.ts';
import type { Json } from '#core/import/json.ts';

/** Fields that `tweet.fields` may name (platform-openapi, TweetFieldsParameter). */
const POST_FIELDS = [
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
const USER_FIELDS = [
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
const NEWER_USER_FIELDS = ['most_recent_post_id', 'pinned_post_id', 'subscribes_to_you'] as const;

/** Fields that `media.fields`, `poll.fields` and `place.fields` may name (platform-openapi). */
const MEDIA_FIELDS = [
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
const POLL_FIELDS = ['duration_minutes', 'end_datetime', 'id', 'options', 'voting_status'] as const;
const PLACE_FIELDS = [
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
const EXPANSIONS = [
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
const RENAMED: Readonly<Partial<Record<PostField | Expansion, string>>> = {
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
const FOLLOWED: Readonly<Partial<Record<Expansion, PostField>>> = {
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
const TWEET_EXPANSIONS: ReadonlySet<string> = new Set([
  'most_recent_tweet_id',
  'pinned_tweet_id',
  'edit_history_tweet_ids',
  'referenced_tweets.id',
  'referenced_tweets.id.attachments.media_keys',
  'referenced_tweets.id.author_id',
]);
const POST_EXPANSIONS: ReadonlySet<string> = new Set([
  'most_recent_post_id',
  'pinned_post_id',
  'edit_history_post_ids',
  'referenced_posts',
]);

/** Post names of the fields of a user that name Posts. */
const USER_NAMES = {
  most_recent_tweet_id: 'most_recent_post_id',
  pinned_tweet_id: 'pinned_post_id',
};
const USER_FIELD_BY_POST_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(USER_NAMES).map(([name, newer]) => [newer, name]),
);

const postName = (name: PostField | Expansion): string => RENAMED[name] ?? name;
const FIELD_BY_POST_NAME: ReadonlyMap<string, PostField> = new Map(
  POST_FIELDS.filter((name) => !BY_EXPANSION.has(name)).map((name) => [postName(name), name]),
);
const EXPANSION_BY_NAME: ReadonlyMap<string, Expansion> = new Map<string, Expansion>([
  // Only newer clients name it; the author has the username.
  ['username', 'author_id'],
  ['edit_history_post_ids', 'edit_history_tweet_ids'],
  ['referenced_posts', 'referenced_tweets.id'],
  ...EXPANSIONS.map((name) => [name, name] as const),
]);
/** The fields of both vocabularies. */
const ALL_FIELDS = [...POST_FIELDS, ...POST_FIELDS.map(postName), 'article_title'];

/** Names separated by commas. Unknown ones are refused with the recorded message (platform-facts 1.7). */
export function listOf(parameter: string, known: readonly string[], also: readonly string[] = []) {
  const accepted = new Set([...known, ...also]);
  return v.optional(
    v.pipe(
      v.string(),
      v.metadata({ values: known }),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const names = [...new Set(splitList(dataset.value))];
        const odd = names.find((name) => !accepted.has(name));
        if (odd === undefined) return names;
        addIssue({ message: `${about(parameter, odd)} is not one of [${known.join(',')}]` });
        return NEVER;
      }),
    ),
  );
}

/**
 * The parameters of every operation that answers with Posts. A field of the other vocabulary is accepted and changes
 * nothing, as measured on the platform (platform-facts-additions, section 0).
 */
export const POST_PARAMETERS = {
  'tweet.fields': listOf('tweet.fields', POST_FIELDS, ALL_FIELDS),
  'post.fields': listOf('post.fields', [...FIELD_BY_POST_NAME.keys()], ALL_FIELDS),
  expansions: listOf('expansions', EXPANSIONS, [...EXPANSION_BY_NAME.keys()]),
  'media.fields': listOf('media.fields', MEDIA_FIELDS),
  'poll.fields': listOf('poll.fields', POLL_FIELDS),
  'user.fields': listOf('user.fields', USER_FIELDS, NEWER_USER_FIELDS),
  'place.fields': listOf('place.fields', PLACE_FIELDS),
};
type PostParameters = v.InferOutput<v.ObjectSchema<typeof POST_PARAMETERS, undefined>>;

/** The fields of each Post that an answer contains, by tweet names, and the names it uses. */
export interface Selection {
  readonly vocabulary: Vocabulary;
  /** Requested fields, and those that the expansions follow, in the order of the interface. */
  readonly fields: readonly PostField[];
  readonly expansions: ReadonlySet<Expansion>;
  /** Requested members of the included objects. */
  readonly media: readonly string[];
  readonly polls: readonly string[];
  readonly users: readonly string[];
  readonly places: readonly string[];
}

function marksOf(request: Partial<PostParameters>): Mark[] {
  const lists = (
    [
      ['tweet.fields', 'tweet'],
      ['post.fields', 'post'],
    ] as const
  ).flatMap(([parameter, vocabulary]) =>
    request[parameter] ? [{ parameter, part: `\`${parameter}\``, vocabulary }] : [],
  );
  const expansions = (request.expansions ?? []).flatMap((name): Mark[] => {
    const part = `the \`expansions\` value [${name}]`;
    if (TWEET_EXPANSIONS.has(name)) return [{ parameter: 'expansions', part, vocabulary: 'tweet' }];
    if (POST_EXPANSIONS.has(name)) return [{ parameter: 'expansions', part, vocabulary: 'post' }];
    return [];
  });
  return [...lists, ...expansions];
}

/** The selection of a request that keeps to one vocabulary. */
function selected(request: Partial<PostParameters>, vocabulary: Vocabulary): Selection {
  const expansions = new Set(
    (request.expansions ?? []).flatMap((name) => EXPANSION_BY_NAME.get(name) ?? []),
  );
  const named =
    vocabulary === 'tweet'
      ? request['tweet.fields']
      : request['post.fields']?.map((name) => FIELD_BY_POST_NAME.get(name));
  const followed = [...expansions].map((name) => FOLLOWED[name]);
  const wanted = new Set<string | undefined>([...(named ?? []), ...followed]);
  return {
    vocabulary,
    fields: POST_FIELDS.filter((name) => wanted.has(name)),
    expansions,
    media: request['media.fields'] ?? [],
    polls: request['poll.fields'] ?? [],
    users: (request['user.fields'] ?? []).map((name) => USER_FIELD_BY_POST_NAME.get(name) ?? name),
    places: request['place.fields'] ?? [],
  };
}

type Request = Partial<PostParameters>;

/** Reports a request that mixes the vocabularies, once for each parameter at fault. */
function refuseMixed(
  request: Request,
  { parameters, message }: { readonly parameters: readonly string[]; readonly message: string },
  addIssue: (info: { message: string; path: [v.ObjectPathItem] }) => void,
): void {
  for (const key of parameters) {
    const value: unknown = request[key as keyof Request];
    addIssue({
      message,
      path: [{ type: 'object', origin: 'value', input: { ...request }, key, value }],
    });
  }
}

/** Adds the `selection` of {@link POST_PARAMETERS} to a request; refuses one that mixes the vocabularies. */
export function withSelection<T extends PostParameters>() {
  return v.rawTransform<T, T & { selection: Selection }>(({ dataset, addIssue, NEVER }) => {
    const request = dataset.value;
    const vocabulary = vocabularyOf(marksOf(request));
    if (typeof vocabulary === 'string') {
      return { ...request, selection: selected(request, vocabulary) };
    }
    refuseMixed(request, vocabulary, addIssue);
    return NEVER;
  });
}

/** Expansions of a user (platform-openapi, UserExpansionsParameter), and those of post names. */
const USER_EXPANSIONS = ['affiliation.user_id', 'most_recent_tweet_id', 'pinned_tweet_id'] as const;
const NEWER_USER_EXPANSIONS = ['most_recent_post_id', 'pinned_post_id'] as const;
/** The expansion that adds the accounts of an affiliation: by the public documents, newer clients and the specification. */
const AFFILIATES: readonly string[] = [
  'affiliation.user_id',
  'affiliation',
  'affiliation.user_ids',
];

/** The parameters of every operation that answers with users. */
export const USER_PARAMETERS = {
  'user.fields': POST_PARAMETERS['user.fields'],
  'tweet.fields': POST_PARAMETERS['tweet.fields'],
  'post.fields': POST_PARAMETERS['post.fields'],
  expansions: listOf('expansions', USER_EXPANSIONS, [...NEWER_USER_EXPANSIONS, ...AFFILIATES]),
};
type UserParameters = v.InferOutput<v.ObjectSchema<typeof USER_PARAMETERS, undefined>>;

/** The fields of each user that an answer contains, by tweet names, and the names it uses. */
export interface UserSelection {
  readonly vocabulary: Vocabulary;
  readonly users: readonly string[];
  /** Fields of an included Post. */
  readonly fields: readonly PostField[];
  /** The fields of a user that name Posts to include. */
  readonly posts: readonly string[];
  /** True if the accounts of affiliations are included. */
  readonly affiliates: boolean;
}

/** Adds the `selection` of {@link USER_PARAMETERS} to a request; refuses one that mixes the vocabularies. */
export function withUserSelection<T extends UserParameters>() {
  return v.rawTransform<T, T & { selection: UserSelection }>(({ dataset, addIssue, NEVER }) => {
    const request = dataset.value;
    const vocabulary = vocabularyOf(marksOf(request));
    if (typeof vocabulary !== 'string') {
      refuseMixed(request, vocabulary, addIssue);
      return NEVER;
    }
    const { fields, users } = selected(request, vocabulary);
    const expansions = request.expansions ?? [];
    const posts = Object.entries(USER_NAMES).flatMap(([name, newer]) =>
      expansions.some((each) => each === name || each === newer) ? [name] : [],
    );
    const affiliates = expansions.some((each) => AFFILIATES.includes(each));
    // An expansion brings the field that it follows.
    const followed = [...posts, ...(affiliates ? ['affiliation'] : [])];
    const selection = { vocabulary, users: [...users, ...followed], fields, posts, affiliates };
    return { ...request, selection };
  });
}

function renamed(json: Json, names: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [names[name] ?? name, value]),
  );
}

const METRIC_NAMES = { retweet_count: 'repost_count', tweet_count: 'post_count' };

/** A Post or a user, given in tweet names, in the names of a vocabulary. */
export function inVocabulary(json: Json, vocabulary: Vocabulary): Json {
  if (vocabulary === 'tweet') return json;
  const all = renamed(json, { ...(RENAMED as Record<string, string>), ...USER_NAMES });
  const metrics = all.public_metrics;
  return typeof metrics === 'object' && metrics !== null
    ? { ...all, public_metrics: renamed(metrics as Json, METRIC_NAMES) }
    : all;
}
