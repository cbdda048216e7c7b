import * as v from 'valibot';
import { about, splitList } from '#contract/parameters.ts';
import { vocabularyOf, type Mark, type Vocabulary } from '#contract/vocabulary.ts';
import {
  POST_FIELDS,
  ALL_POST_FIELDS,
  FIELD_BY_POST_NAME,
  EXPANSIONS,
  EXPANSION_BY_NAME,
  MEDIA_FIELDS,
  POLL_FIELDS,
  USER_FIELDS,
  NEWER_USER_FIELDS,
  PLACE_FIELDS,
  type PostField,
  type Expansion,
  TWEET_EXPANSIONS,
  POST_EXPANSIONS,
  FOLLOWED,
  USER_FIELD_BY_POST_NAME,
  USER_NAMES,
} from './post-fields.ts';

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
  'tweet.fields': listOf('tweet.fields', POST_FIELDS, ALL_POST_FIELDS),
  'post.fields': listOf('post.fields', [...FIELD_BY_POST_NAME.keys()], ALL_POST_FIELDS),
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
