import { namedByDomain, namedByEntity, type Named } from '#core/news/contexts.ts';
import { storyOf, type Story, type StoryPost } from '#core/news/story.ts';
import { termsOf } from '#core/text/terms.ts';
import { digits, object, objects, string } from '#core/import/json.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import { allFacts } from '#server/posts/json/facts.ts';
import {
  foundPost,
  isShown,
  readJson,
  references,
  type FoundPost,
} from '#server/posts/json/post-json.ts';
import { OutdatedError, type PostFinder, type SourceState } from '#server/posts/index/source.ts';
import type { FoundGroups } from './groups.ts';

/** Accounts of organisations, by the kind of their check mark. */
const ORGANIZATIONS: ReadonlySet<unknown> = new Set(['business', 'government']);

/** The account that a mention names: an organisation's if its check mark says so. */
function namedByMention(mention: string, finder: PostFinder): Named {
  const id = finder.userId(mention.slice(1));
  const user = id === null ? null : readJson(finder.object('users', id));
  const kind = ORGANIZATIONS.has(user?.verified_type) ? 'organizations' : 'people';
  return { kind, name: `@${string(user?.username) ?? mention.slice(1)}` };
}

/** The things that a Post names by its mentions, cashtags, tagged place and annotations. */
function namedIn({ row, rest }: FoundPost, mentionOf: (mention: string) => Named): Named[] {
  const post = allFacts(row);
  const { flags } = termsOf(post);
  const annotations = objects(object(rest.entities)?.annotations);
  return [
    ...objects(rest.context_annotations).flatMap(({ domain, entity }) => {
      const [of, name] = [digits(object(domain)?.id), string(object(entity)?.name)];
      return of === undefined || name === undefined ? [] : [namedByDomain(of, name)];
    }),
    ...annotations.flatMap(({ type, normalized_text: text }) => {
      const name = string(text);
      return name === undefined ? [] : [namedByEntity(String(type), name)];
    }),
    ...(post.places?.slice(0, 1) ?? []).map((name) => ({ kind: 'places', name }) as const),
    ...flags.filter((flag) => flag.startsWith('@')).map(mentionOf),
    ...flags
      .filter((flag) => flag.startsWith('$'))
      .map((flag) => ({ kind: 'tickers', name: flag.slice(1).toUpperCase() }) as const),
  ];
}

function storyPost(post: FoundPost, mentionOf: (mention: string) => Named): StoryPost {
  const { row } = post;
  const facts = allFacts(row);
  const original = references(post).find(({ type }) => type === 'retweeted')?.id;
  return {
    id: String(row.id),
    post: facts,
    author: row.authorId,
    original: digits(original) ?? String(row.id),
    isRepost: original !== undefined || facts.isRetweet === true,
    named: namedIn(post, mentionOf),
  };
}

/**
 * Makes the stories of groups. Posts that may not be shown to everyone are not part of any. In steps, over one state of
 * the source.
 *
 * @param finder - Of that state, for a caller without an account.
 * @returns In the order of their groups; null for one that says too little.
 */
export function* storiesOf(
  state: SourceState,
  finder: PostFinder,
  { groups, start }: FoundGroups,
  due: Due,
): Steps<(Story | null)[]> {
  const mentions = new Map<string, Named>();
  const mentionOf = (mention: string): Named => {
    const known = mentions.get(mention) ?? namedByMention(mention, finder);
    mentions.set(mention, known);
    return known;
  };
  const stories: (Story | null)[] = [];
  for (const group of groups) {
    if (due()) yield;
    const rows = state.rows(group.some);
    if (rows.length < group.some.length && state.changed()) throw new OutdatedError();
    const posts: StoryPost[] = [];
    for (const row of rows) {
      const post = foundPost(row);
      if (isShown(post, finder)) posts.push(storyPost(post, mentionOf));
      if (due()) yield;
    }
    stories.push(storyOf(group, posts, start));
  }
  return stories;
}
