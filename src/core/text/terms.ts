import { amountTerms } from './engagement.ts';
import { fold, type TextMode } from './fold.ts';
import { boxTerm, isBox } from './geo.ts';
import { label } from './label.ts';
import { ADDRESS, DOMAIN, linkedBy } from './linked.ts';
import type { IndexablePost, PostTerms } from './post.ts';
import { scanText, tokens } from './tokens.ts';

/** Maximum number of tokens of one Post: the index has 16 bits for a position, and reserves the last one. */
export const MAX_TOKENS = 65_535;

/** Terms of Posts of which the import did not say whether they are of a kind; no operator asks for them. */
export const UNKNOWN_KINDS = {
  repost: 'unknown:repost',
  reply: 'unknown:reply',
  quote: 'unknown:quote',
} as const;

/** The pattern of an address in a folded text. */
export const LINK =
  /https?:\/\/\S+|(?<![\p{L}\p{N}\p{M}_/.@])(?:t\.co|pic\.twitter\.com|pic\.x\.com)\/\S+/gu;

function add(flags: string[], term: string): void {
  if (!flags.includes(term)) flags.push(term);
}

/** Terms of the signed values that a Post lists itself, else `found`. */
function signed(
  sign: string,
  given: readonly string[] | undefined,
  found: readonly string[],
  mode: TextMode,
): readonly string[] {
  return given ? given.map((value) => sign + fold(value, mode)) : found;
}

function addressTokens(addresses: readonly string[], mode: TextMode): string[] {
  const out: string[] = [];
  for (const address of addresses) {
    if (out.length > 0) out.push('');
    out.push(...tokens(address, mode));
  }
  return out;
}

function addReferences(post: IndexablePost, flags: string[], mode: TextMode): void {
  const { repostOfUsername, repostOfUserId, repostOfId, replyToId, quoteOfId } = post;
  if (repostOfUsername !== undefined) flags.push('retweets_of:' + fold(repostOfUsername, mode));
  if (repostOfUserId !== undefined) add(flags, 'retweets_of:' + repostOfUserId);
  if (repostOfId !== undefined) flags.push('retweets_of_tweet_id:' + repostOfId);
  if (replyToId !== undefined) flags.push('in_reply_to_tweet_id:' + replyToId);
  if (quoteOfId !== undefined) flags.push('quotes_of_tweet_id:' + quoteOfId);
}

/** A repost is not found by a place: the one it shows is the original's (platform-facts 2.1). */
function addPlaces(post: IndexablePost, flags: string[], mode: TextMode): void {
  if (post.isRetweet) return;
  for (const place of post.places ?? []) add(flags, 'place:' + label(place, mode));
  if (post.country !== undefined) flags.push('place_country:' + fold(post.country, mode));
  for (const box of post.boxes ?? []) if (isBox(box)) add(flags, boxTerm(box));
}

/** The targets of the addresses of a Post, for the breakdown of links: no operator asks for these terms. */
function addLinks(addresses: readonly string[], flags: string[]): void {
  for (const each of addresses) {
    const linked = linkedBy(fold(each));
    if (!linked) continue;
    add(flags, DOMAIN + linked.domain);
    if (linked.address !== null) add(flags, ADDRESS + linked.address);
  }
}

/** The content of a Post's text and addresses. */
function contentOf(post: IndexablePost, mode: TextMode) {
  const text = fold(post.text, mode);
  const scanned = scanText(text);
  const hashtags = signed('#', post.hashtags, scanned.hashtags, mode);
  const mentions = signed('@', post.mentions, scanned.mentions, mode);
  const cashtags = signed('$', post.cashtags, scanned.cashtags, mode);
  const addresses = post.urls ?? (text.includes('/') ? (text.match(LINK) ?? []) : []);
  const { words, emoji } = scanned;
  return { text, words, emoji, hashtags, mentions, cashtags, addresses };
}

/**
 * The terms under which search and counts find a Post.
 *
 * Links, hashtags, mentions, cashtags and media that the Post does not list itself are read from its
 * text; a repost, reply or quote never is.
 *
 * Flags are `#tag`, `@user`, `$cash`, emoji sequences, `from:`, `to:` and `retweets_of:` with username
 * and with id, `name:value` for every other operator that compares a value, `amountTerms` and
 * `boxTerm`, all folded. Words and the words of addresses are separate.
 */
export function termsOf(post: IndexablePost): PostTerms {
  return ownTerms(post, 'search');
}

/**
 * The terms under which the rules of a stream find a Post: accents count, and the text and addresses of
 * the Post that it quotes count as its own (docs.x.com, filtered-stream/integrate/build-a-rule, "Quote
 * Tweet matching"). Author, time, place and source, and every `has:`, come from the Post alone.
 *
 * @param quoted - The Post that it quotes, if known.
 * @returns As {@link termsOf}; an empty string separates the words of both, so that no phrase spans
 *   them.
 */
export function streamTermsOf(post: IndexablePost, quoted?: IndexablePost): PostTerms {
  const own = ownTerms(post, 'stream');
  if (!quoted) return own;
  const { words, emoji, hashtags, mentions, cashtags, addresses } = contentOf(quoted, 'stream');
  const flags = [...own.flags];
  for (const list of [hashtags, mentions, cashtags, emoji]) {
    for (const term of list) add(flags, term);
  }
  return {
    words: [...own.words, '', ...words],
    urlWords: [...own.urlWords, '', ...addressTokens(addresses, 'stream')],
    flags,
  };
}

function ownTerms(post: IndexablePost, mode: TextMode): PostTerms {
  const { text, words, emoji, hashtags, mentions, cashtags, addresses } = contentOf(post, mode);
  const flags: string[] = [];
  for (const list of [hashtags, mentions, cashtags, emoji]) {
    for (const term of list) add(flags, term);
  }

  if (post.username !== undefined) flags.push('from:' + fold(post.username, mode));
  if (post.authorId !== undefined) add(flags, 'from:' + post.authorId);
  if (post.inReplyToUsername !== undefined) flags.push('to:' + fold(post.inReplyToUsername, mode));
  if (post.inReplyToUserId !== undefined) add(flags, 'to:' + post.inReplyToUserId);
  if (post.lang !== undefined && post.lang !== '') flags.push('lang:' + fold(post.lang, mode));
  if (post.conversationId !== undefined) flags.push('conversation_id:' + post.conversationId);

  addReferences(post, flags, mode);
  // The rules of a stream count nothing.
  if (mode === 'search') addLinks(addresses, flags);
  addPlaces(post, flags, mode);
  for (const context of post.contexts ?? []) add(flags, 'context:' + fold(context, mode));
  for (const entity of post.entities ?? []) add(flags, 'entity:' + label(entity, mode));
  if (post.likes) flags.push(...amountTerms('likes', post.likes));
  if (post.replies) flags.push(...amountTerms('replies', post.replies));
  if (post.reposts) flags.push(...amountTerms('reposts', post.reposts));

  if (post.isRetweet) flags.push('is:retweet');
  if (post.isReply) flags.push('is:reply');
  if (post.isQuote) flags.push('is:quote');
  if (post.isRepostUnknown) flags.push(UNKNOWN_KINDS.repost);
  if (post.isReplyUnknown) flags.push(UNKNOWN_KINDS.reply);
  if (post.isQuoteUnknown) flags.push(UNKNOWN_KINDS.quote);
  if (post.isVerified) flags.push('is:verified');
  if (post.isNullcast) flags.push('is:nullcast');

  const slash = text.includes('/');
  const media =
    post.hasMedia ?? (slash && (text.includes('pic.twitter.com/') || text.includes('pic.x.com/')));
  const links =
    addresses.length > 0 ||
    media ||
    (post.urls === undefined &&
      slash &&
      (text.includes('http://') || text.includes('https://') || text.includes('t.co/')));
  if (hashtags.length > 0) flags.push('has:hashtags');
  if (links) flags.push('has:links');
  if (mentions.length > 0) flags.push('has:mentions');
  if (cashtags.length > 0) flags.push('has:cashtags');
  if (media) flags.push('has:media');
  if (post.hasImages) flags.push('has:images');
  if (post.hasVideo) flags.push('has:video_link');
  if (post.hasGeo) flags.push('has:geo');

  return { words, urlWords: addressTokens(addresses, mode), flags };
}
