import type { AmountName, SearchedField } from '#core/rules/operators.ts';
import { postView, type PostView } from '#core/rules/post.ts';
import { readId } from '#core/import/id.ts';
import { object, objects, string, type Json } from '#core/import/json.ts';
import { userMetrics } from '#server/posts/json/metrics.ts';
import { entities, foundPost, readJson } from '#server/posts/json/post-json.ts';
import { affiliateIds } from '#server/posts/json/user-json.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';
import type { StoreFinder } from '#server/posts/index/source.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';

/** Members of `public_metrics` by the operators that compare them. */
const METRICS: Readonly<Record<AmountName, string>> = {
  followers_count: 'followers_count',
  following_count: 'following_count',
  tweets_count: 'tweet_count',
  listed_count: 'listed_count',
};

const PROFILE: Readonly<Partial<Record<SearchedField, string>>> = {
  bio: 'description',
  bio_name: 'name',
  bio_location: 'location',
};

const LINKED: Readonly<Partial<Record<SearchedField, string>>> = {
  url_title: 'title',
  url_description: 'description',
};

/** Usernames and ids of the accounts that a user is affiliated with. */
function affiliatesOf(finder: StoreFinder, user: Json | null): string[] {
  const ids = affiliateIds(user);
  const names = ids.flatMap((id) => string(readJson(finder.object('users', id))?.username) ?? []);
  return [...ids, ...names];
}

function userOf(finder: StoreFinder, id: string | null | undefined): Json | null {
  return id === null || id === undefined ? null : readJson(finder.object('users', id));
}

/** Reads a stored Post as rules see it, with the Post that it quotes and with its author's profile. */
export function readView(finder: StoreFinder, row: PostRow): PostView {
  const find = finder.object;
  const post = storedPost(row, find);
  const quotedId = readId(post.quoteOfId ?? '');
  const [quotedRow] = quotedId === null ? [] : finder.rows([quotedId]);
  const author = userOf(finder, row.authorId);
  const repliedTo = userOf(finder, post.inReplyToUserId);
  let metrics: Json | null = null;
  const metricsOf = (): Json => {
    const id = readId(row.authorId ?? '');
    if (id === null) return {};
    metrics ??= userMetrics(author ?? {}, finder.figures(id));
    return metrics;
  };
  const links = (): Json[] => objects(object(entities(foundPost(row)))?.urls);
  return postView({
    id: row.id,
    post,
    ...(quotedRow && { quoted: storedPost(quotedRow, find) }),
    affiliates: affiliatesOf(finder, author),
    toAffiliates: affiliatesOf(finder, repliedTo),
    texts: (field) => {
      const [member, linked] = [PROFILE[field], LINKED[field]];
      if (member !== undefined) return string(author?.[member]) ? [String(author?.[member])] : [];
      return linked === undefined ? [] : links().flatMap((link) => string(link[linked]) ?? []);
    },
    amount: (name) => {
      const amount = metricsOf()[METRICS[name]];
      return typeof amount === 'number' ? amount : undefined;
    },
  });
}
