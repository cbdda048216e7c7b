import type { Box } from './geo.ts';

/**
 * A Post as far as queries look at it. Made from a v2 Post, an archive entry or a CSV row; what is absent
 * is read from the text (tokenization rule 8).
 */
export interface IndexablePost {
  readonly text: string;
  readonly username?: string;
  readonly authorId?: string;
  readonly lang?: string;
  /** From references, or from an import's own column; absent means false. */
  readonly isRetweet?: boolean;
  readonly isQuote?: boolean;
  readonly isReply?: boolean;
  readonly isVerified?: boolean;
  readonly isNullcast?: boolean;
  readonly inReplyToUsername?: string;
  readonly inReplyToUserId?: string;
  readonly conversationId?: string;
  /** Whose Post this one reposts, and the ids of the Posts that it refers to. */
  readonly repostOfUsername?: string;
  readonly repostOfUserId?: string;
  readonly repostOfId?: string;
  readonly replyToId?: string;
  readonly quoteOfId?: string;
  /** Where present, taken instead of what the text shows. */
  readonly hashtags?: readonly string[];
  readonly mentions?: readonly string[];
  readonly cashtags?: readonly string[];
  /** Every url and expanded_url of the Post's entities. */
  readonly urls?: readonly string[];
  readonly hasMedia?: boolean;
  readonly hasImages?: boolean;
  readonly hasVideo?: boolean;
  readonly hasGeo?: boolean;
  /** Names and id of the place that it is tagged with; of a repost it is the original's and not looked at. */
  readonly places?: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly country?: string;
  /** The place's rectangle, and the exact point where there is one. */
  readonly boxes?: readonly Box[];
  /** Annotations, `domain.entity` by id. */
  readonly contexts?: readonly string[];
  /** Names recognised in the text. */
  readonly entities?: readonly string[];
  readonly likes?: number;
  readonly replies?: number;
  readonly reposts?: number;
}

/** The terms of one Post (see `Condition` in `#core/query/ast.ts` for the term space). */
export interface PostTerms {
  /** Word tokens in order; a token's position is its place in this list. */
  readonly words: readonly string[];
  /** Tokens of the Post's addresses in order; an empty string stands between two addresses, so that no phrase spans them. */
  readonly urlWords: readonly string[];
  /** Every other term (signs, emoji, `name:value`), without repeats. */
  readonly flags: readonly string[];
}
