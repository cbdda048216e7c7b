import { amountTerms } from './amount.ts';
import { fold } from './fold.ts';
import { boxTerm, isBox } from './geo.ts';
import { label } from './label.ts';
import type { IndexablePost, PostTerms } from './post.ts';
import { scanText, tokens } from './tokens.ts';

const ADDRESS =
  /https?:\/\/\S+|(?<![\p{L}\p{N}\p{M}_/.@])(?:t\.co|pic\.twitter\.com|pic\.x\.com)\/\S+/gu;

function add(flags: string[], term: string): void {
  if (!flags.includes(term)) flags.push(term);
}

/** Terms of signed values that a Post names itself; `found` where it names none. */
function signed(
  sign: string,
  given: readonly string[] | undefined,
  found: readonly string[],
): readonly string[] {
  return given ? given.map((value) => sign + fold(value)) : found;
}

function addressTokens(addresses: readonly string[]): string[] {
  const out: string[] = [];
  for (const address of addresses) {
    if (out.length > 0) out.push('');
    out.push(...tokens(address));
  }
  return out;
}

function addReferences(post: IndexablePost, flags: string[]): void {
  const { repostOfUsername, repostOfUserId, repostOfId, replyToId, quoteOfId } = post;
  if (repostOfUsername !== undefined) flags.push('retweets_of:' + fold(repostOfUsername));
  if (repostOfUserId !== undefined) add(flags, 'retweets_of:' + repostOfUserId);
  if (repostOfId !== undefined) flags.push('retweets_of_tweet_id:' + repostOfId);
  if (replyToId !== undefined) flags.push('in_reply_to_tweet_id:' + replyToId);
  if (quoteOfId !== undefined) flags.push('quotes_of_tweet_id:' + quoteOfId);
}

/** A repost is found by no place: the one it shows is the original's (platform-facts 2.1). */
function addPlaces(post: IndexablePost, flags: string[]): void {
  if (post.isRetweet) return;
  for (const place of post.places ?? []) add(flags, 'place:' + label(place));
  if (post.country !== undefined) flags.push('place_country:' + fold(post.country));
  for (const box of post.boxes ?? []) if (isBox(box)) add(flags, boxTerm(box));
}

/**
 * The terms under which a Post is found.
 *
 * Of what the Post does not say of itself, links, hashtags, mentions, cashtags and media are read from
 * its text; a repost, reply or quote never is.
 *
 * Flags are `#tag`, `@user`, `$cash`, emoji sequences, `from:`, `to:` and `retweets_of:` with username and
 * with id, `name:value` for every other operator that compares a value, `amountTerms` and `boxTerm`, all
 * folded. Words and the words of addresses stand apart.
 */
export function termsOf(post: IndexablePost): PostTerms {
  const text = fold(post.text);
  const scanned = scanText(text);
  const flags: string[] = [];

  const hashtags = signed('#', post.hashtags, scanned.hashtags);
  const mentions = signed('@', post.mentions, scanned.mentions);
  const cashtags = signed('$', post.cashtags, scanned.cashtags);
  for (const list of [hashtags, mentions, cashtags, scanned.emoji]) {
    for (const term of list) add(flags, term);
  }

  if (post.username !== undefined) flags.push('from:' + fold(post.username));
  if (post.authorId !== undefined) add(flags, 'from:' + post.authorId);
  if (post.inReplyToUsername !== undefined) flags.push('to:' + fold(post.inReplyToUsername));
  if (post.inReplyToUserId !== undefined) add(flags, 'to:' + post.inReplyToUserId);
  if (post.lang !== undefined && post.lang !== '') flags.push('lang:' + fold(post.lang));
  if (post.conversationId !== undefined) flags.push('conversation_id:' + post.conversationId);

  addReferences(post, flags);
  addPlaces(post, flags);
  for (const context of post.contexts ?? []) add(flags, 'context:' + fold(context));
  for (const entity of post.entities ?? []) add(flags, 'entity:' + label(entity));
  if (post.likes) flags.push(...amountTerms('likes', post.likes));
  if (post.replies) flags.push(...amountTerms('replies', post.replies));
  if (post.reposts) flags.push(...amountTerms('reposts', post.reposts));

  if (post.isRetweet) flags.push('is:retweet');
  if (post.isReply) flags.push('is:reply');
  if (post.isQuote) flags.push('is:quote');
  if (post.isVerified) flags.push('is:verified');
  if (post.isNullcast) flags.push('is:nullcast');

  const slash = text.includes('/');
  const addresses = post.urls ?? (slash ? (text.match(ADDRESS) ?? []) : []);
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

  return { words: scanned.words, urlWords: addressTokens(addresses), flags };
}
