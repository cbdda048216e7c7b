import { AD_LOOKUPS } from '#contract/ads/ad-lookups.ts';
import { OTHER } from '#contract/ads/ad-kind.ts';
import { quarterHour } from '#contract/paging.ts';
import type { Condition } from '#core/query/ast.ts';
import type { Json } from '#core/import/json.ts';
import { readId } from '#core/import/id.ts';
import { ALL_TIME } from '#core/time/span.ts';
import { cursorAfter, readCursor } from '#server/ads/cursor.ts';
import { listing } from '#server/ads/envelope.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import { originOf } from '#server/http/origin.ts';
import type { Route } from '#server/http/serve.ts';
import type { Steps } from '#server/index/steps.ts';
import { allFacts } from '#server/posts/json/facts.ts';
import { foundPost, isShown, type FoundPost } from '#server/posts/json/post-json.ts';
import { exactJson } from '#server/posts/legacy/exact-json.ts';
import { legacyPost } from '#server/posts/legacy/legacy-post.ts';
import { withText } from '#server/posts/legacy/legacy-values.ts';
import { reader, type Reading } from '#server/users/reading.ts';
import type { AdsContext } from './ads-context.ts';
import { checkPromotable } from './kind-rules.ts';
import { readListing } from './listing.ts';

interface TweetPage {
  readonly data: readonly Json[];
  readonly next: string | null;
}

const KINDS = { SCHEDULED: 'SCHEDULED_TWEET', DRAFT: 'DRAFT_TWEET' } as const;

/** A scheduled Post or a draft as one that version 1.1 has. */
function waitingTweet({ id, fields }: AdEntity, type: keyof typeof KINDS): Json {
  const { text = '', user_id, scheduled_at = null, scheduled_status = null } = fields;
  const { name = null, nullcast = true, media_keys = [] } = fields;
  return {
    ...withText('id', id),
    tweet_id: id,
    tweet_type: type,
    name,
    full_text: text,
    user: withText('id', String(user_id)),
    nullcast,
    media_keys,
    card_uri: null,
    scheduled_at,
    scheduled_status,
  };
}

/** A published Post of an answer. */
function publishedTweet(
  post: FoundPost,
  { finder }: Reading,
  host: string,
  trimmed: boolean,
): Json {
  const { text, user, ...rest } = legacyPost(post, { finder, host });
  const { authorId } = post.row;
  return {
    ...rest,
    full_text: text,
    user: trimmed ? withText('id', authorId) : user,
    tweet_id: String(post.row.id),
    tweet_type: 'PUBLISHED',
    name: null,
    nullcast: allFacts(post.row).isNullcast === true,
    card_uri: null,
    scheduled_at: null,
    scheduled_status: null,
  };
}

function term(text: string): Condition {
  return { kind: 'term', term: text };
}

/** The Posts of a user that a request asks for: by default those that only line items show. */
function wantedOf(
  user: string,
  {
    timeline_type: type,
    include_mentions_and_replies: hasReplies,
  }: Readonly<Record<string, unknown>>,
): Condition {
  const of: Condition[] = [term(`from:${user}`)];
  if (type === 'NULLCAST') of.push(term('is:nullcast'));
  if (type === 'ORGANIC') of.push({ kind: 'not', of: term('is:nullcast') });
  if (hasReplies !== true) of.push({ kind: 'not', of: term('is:reply') });
  return { kind: 'all', of };
}

/** Serves the Posts of the user of an ad account: published, scheduled or drafts. */
export function adTweets(deps: AdsContext): Route {
  const { ads, opener, seal } = deps;
  const { open, serve } = opener(quarterHour(OTHER));
  const read = reader(deps);

  return serve(AD_LOOKUPS.tweets, async (call) => {
    const { c, caller, query, texts, params } = call;
    const { id: account } = open(call, params.account_id);
    const { tweet_type: type, count, cursor, tweet_ids: ids } = query;
    if (query.user_id !== undefined) checkPromotable(caller, 'user_id', query.user_id);
    const answer = ({ data, next }: TweetPage): Response => {
      c.header('content-type', 'application/json; charset=utf-8');
      return c.body(exactJson(listing(call, { data, next })));
    };
    if (type !== 'PUBLISHED') {
      const kind = KINDS[type];
      const ownIds = type === 'DRAFT' ? 'draft_tweet_ids' : 'scheduled_tweet_ids';
      const asked = {
        count,
        ...(cursor !== undefined && { cursor }),
        ...(query.name !== undefined && { q: String(query.name) }),
        ...(ids && { [ownIds]: ids }),
      };
      const page = readListing(ads, { kind, holder: account, query: asked, texts }, seal);
      return answer({
        data: page.entities.map((entity) => waitingTweet(entity, type)),
        next: page.next,
      });
    }
    const { id: user } = caller.user;
    const wanted = wantedOf(user, query);
    const host = originOf(c);
    const trimmed = query.trim_user === true;
    const shown = (reading: Reading, keys: readonly bigint[]): Json[] => {
      const rows = new Map(reading.state.rows(keys).map((row) => [row.id, row]));
      return keys.flatMap((key) => {
        const row = rows.get(key);
        const post = row?.authorId === user ? foundPost(row) : null;
        if (!post || !isShown(post, reading.finder)) return [];
        return [publishedTweet(post, reading, host, trimmed)];
      });
    };
    const bound = ['tweets', account, wanted];
    const [second, id] = cursor === undefined ? [] : readCursor(cursor, bound, seal);
    const found = await read(call, function* (reading): Steps<TweetPage> {
      if (ids) {
        const keys = ids.flatMap((each) => readId(each) ?? []);
        return { data: shown(reading, keys), next: null };
      }
      const after = id === undefined ? {} : { after: { second: Number(second), id: BigInt(id) } };
      const hits = yield* reading.state.newest(wanted, ALL_TIME, count + 1, after, reading.due);
      const page = hits.slice(0, count);
      const last = page.at(-1);
      const keys = last && [String(last.second), String(last.id)];
      return {
        data: shown(
          reading,
          page.map((hit) => hit.id),
        ),
        next: keys && hits.length > count ? cursorAfter(keys, bound, seal) : null,
      };
    });
    return found instanceof Response ? found : answer(found);
  });
}
