import { readId } from '#core/import/id.ts';
import { object, string, type Json } from '#core/import/json.ts';
import { allFacts } from '#server/posts/json/facts.ts';
import {
  foundPost,
  isVisible,
  postJson,
  references,
  type FoundPost,
} from '#server/posts/json/post-json.ts';
import { legacyMedia, type MediaDeps } from './legacy-media.ts';
import { legacyGeo } from './legacy-place.ts';
import { legacyAuthor } from './legacy-user.ts';
import { legacyEntities, legacyTime, withText } from './legacy-values.ts';
import type { PostField } from '#contract/posts/post-fields.ts';

/** Fields of version 2 that have a counterpart. */
const FIELDS: readonly PostField[] = [
  'attachments',
  'edit_controls',
  'entities',
  'geo',
  'in_reply_to_user_id',
  'lang',
  'note_tweet',
  'possibly_sensitive',
  'public_metrics',
  'withheld',
];

/** A Post that another one shows, if everybody may see it. */
function shown(id: string | undefined, { finder }: MediaDeps): FoundPost | null {
  const key = readId(id ?? '');
  const [row] = key === null ? [] : finder.rows([key]);
  const post = row && foundPost(row);
  return post && isVisible(post, finder) ? post : null;
}

/** The full text of a long Post whose own text was cut (developer documentation, extended Tweets). */
function extended(note: Json | null, hasMedia: boolean, { finder }: MediaDeps): Json {
  const full_text = string(note?.text);
  if (full_text === undefined) return { truncated: false };
  const entities = legacyEntities(object(note?.entities), finder, hasMedia);
  const display_text_range = [0, Array.from(full_text).length];
  return { truncated: true, extended_tweet: { full_text, display_text_range, entities } };
}

/** The versions of a Post (docs, enterprise-gnip-2.0/fundamentals/edit-tweets); none of one from before there were any. */
function edits({ edit_history_tweet_ids: history, edit_controls }: Json): Json {
  const ids = Array.isArray(history) ? history.map(String) : [];
  const controls = object(edit_controls);
  if (!controls && ids.length < 2) return {};
  return {
    edit_history: { initial_tweet_id: ids[0], edit_tweet_ids: ids },
    ...(controls && {
      edit_controls: {
        editable_until_ms: Date.parse(String(controls.editable_until)),
        edits_remaining: controls.edits_remaining,
      },
      editable: controls.is_edit_eligible === true,
    }),
  };
}

function withheld(found: Json | null): Json {
  const countries = found?.country_codes;
  return {
    ...(Array.isArray(countries) && { withheld_in_countries: countries }),
    ...(found?.copyright === true && { withheld_copyright: true }),
  };
}

/**
 * A Post in the format of version 1.1 (docs, powerstream/introduction). Ids are bigints.
 *
 * @param depth - Posts that it may show within one another: a repost shows another Post, which may be a quote.
 */
export function legacyPost(post: FoundPost, deps: MediaDeps, depth = 2): Json {
  const { row, rest } = post;
  const { finder } = deps;
  const json = postJson(post, FIELDS, finder);
  const { replyToId, inReplyToUserId, inReplyToUsername } = allFacts(row);
  const idOf = (type: string): string | undefined =>
    string(references(post).find((reference) => reference.type === type)?.id);
  const [repostOf, quoteOf] = [idOf('retweeted'), idOf('quoted')];
  const original = depth > 0 ? shown(repostOf, deps) : null;
  const quoted = depth > 0 ? shown(quoteOf, deps) : null;
  const repliedTo = idOf('replied_to') ?? replyToId;
  const media = legacyMedia(json, deps);
  const hasMedia = media.length > 0;
  const metrics = object(json.public_metrics);
  return {
    created_at: legacyTime(row.createdAt),
    ...withText('id', String(row.id)),
    text: row.text,
    ...extended(object(json.note_tweet), hasMedia, deps),
    entities: {
      ...legacyEntities(object(json.entities), finder, hasMedia),
      ...(hasMedia && { media: media.slice(0, 1) }),
    },
    ...(hasMedia && { extended_entities: { media } }),
    source: string(rest.source) ?? '',
    ...withText('in_reply_to_status_id', repliedTo),
    ...withText('in_reply_to_user_id', string(json.in_reply_to_user_id) ?? inReplyToUserId),
    in_reply_to_screen_name: inReplyToUsername ?? null,
    user: legacyAuthor(row, finder),
    ...legacyGeo(object(json.geo), finder),
    contributors: null,
    is_quote_status: quoteOf !== undefined,
    ...(quoteOf !== undefined && withText('quoted_status_id', quoteOf)),
    // A quote in a quote is only named.
    ...(quoted && { quoted_status: legacyPost(quoted, deps, 0) }),
    ...(original && { retweeted_status: legacyPost(original, deps, 1) }),
    quote_count: metrics?.quote_count ?? 0,
    reply_count: metrics?.reply_count ?? 0,
    retweet_count: metrics?.retweet_count ?? 0,
    favorite_count: metrics?.like_count ?? 0,
    favorited: false,
    retweeted: false,
    ...(typeof json.possibly_sensitive === 'boolean' && {
      possibly_sensitive: json.possibly_sensitive,
    }),
    ...withheld(object(json.withheld)),
    ...edits(json),
    lang: row.lang,
  };
}
