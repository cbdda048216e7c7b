import * as v from 'valibot';
import type { SearchedPost } from '#app/api/search-api.ts';
import { nounFor } from '#core/format/plural.ts';
import type { BoardEvent } from './event.ts';

/** The fields of Posts that {@link ownPostEvent} reads, apart from those of every search. */
export const MARK_FIELDS = 'paid_partnership';

/** A member of another form than expected is unknown, and the Post is still shown. */
const known = <S extends v.GenericSchema>(schema: S) => v.fallback(v.optional(schema), undefined);
const text = known(v.string());

const MarkedPost = v.object({
  entities: known(
    v.object({
      urls: known(v.array(v.object({ expanded_url: text, url: text, media_key: text }))),
    }),
  ),
  attachments: known(v.object({ media_keys: known(v.array(v.unknown())) })),
  referenced_tweets: known(v.array(v.object({ type: text, id: text }))),
  edit_history_tweet_ids: known(v.array(v.unknown())),
  paid_partnership: known(v.boolean()),
  public_metrics: known(v.object({ impression_count: known(v.number()) })),
});
type MarkedPost = v.InferOutput<typeof MarkedPost>;

/** The address of a Post, or of a picture or video in one. */
const POST_ADDRESS = /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/[^/]+\/status\/(\d+)/i;

/** The address of a picture or video as Posts show it. */
const PICTURE_ADDRESS = /^(?:https?:\/\/)?pic\.(?:x|twitter)\.com\//i;

/** True if a Post leads to an address other than its own media and the Posts that it refers to. */
function hasLink({ entities, referenced_tweets = [] }: MarkedPost, id: string): boolean {
  const own = new Set([id, ...referenced_tweets.map((each) => each.id)]);
  return (entities?.urls ?? []).some(({ expanded_url, url, media_key }) => {
    const address = expanded_url ?? url ?? '';
    if (media_key !== undefined || PICTURE_ADDRESS.test(address)) return false;
    const [, post] = POST_ADDRESS.exec(address) ?? [];
    return post === undefined || !own.has(post);
  });
}

const refersBy = ({ referenced_tweets = [] }: MarkedPost, type: string): boolean =>
  referenced_tweets.some((each) => each.type === type);

/** The marks of Posts, in their order. */
const MARKS: readonly (readonly [name: string, is: (post: MarkedPost, id: string) => boolean])[] = [
  ['reply', (post) => refersBy(post, 'replied_to')],
  ['quote', (post) => refersBy(post, 'quoted')],
  ['repost', (post) => refersBy(post, 'retweeted')],
  ['link', hasLink],
  ['media', ({ attachments }) => (attachments?.media_keys?.length ?? 0) > 0],
  ['paid partnership', ({ paid_partnership }) => paid_partnership === true],
  ['edited', ({ edit_history_tweet_ids }) => (edit_history_tweet_ids?.length ?? 0) > 1],
];

/**
 * A Post as an event: its marks and the numbers that are known are its details. Views of 0 are unknown, because Posts
 * have at least those of their author.
 */
export function ownPostEvent(post: SearchedPost): BoardEvent {
  const { id, at, text, author, url, raw } = post;
  const read = v.parse(MarkedPost, raw);
  const views = read.public_metrics?.impression_count ?? 0;
  const numbers: readonly (readonly [number: number | null, one: string, many?: string])[] = [
    [views === 0 ? null : views, 'view'],
    [post.likes, 'like'],
    [post.reposts, 'repost'],
    [post.replies, 'reply', 'replies'],
  ];
  const marks = MARKS.flatMap(([name, is]) => (is(read, id) ? [name] : []));
  const known = numbers.flatMap(([number, one, many]) =>
    number === null ? [] : [`${number} ${nounFor(number, one, many)}`],
  );
  return {
    kind: 'post',
    id,
    start: at,
    end: null,
    title: text.trim() || 'A Post without text',
    detail: [...marks, ...known].join(', '),
    source: author?.username ? `@${author.username}` : (author?.name ?? ''),
    url: url ?? undefined,
  };
}
