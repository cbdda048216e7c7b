import type { Box } from './geo.ts';

/**
 * The parts of a Post that queries match. Made from a v2 Post, an archive entry or a CSV row; absent
 * parts are read from the text (tokenization rule 8).
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
  /** True if the import did not say if it is one; then the property above is absent, or false. */
  readonly isRepostUnknown?: boolean;
  readonly isReplyUnknown?: boolean;
  readonly isQuoteUnknown?: boolean;
  readonly isVerified?: boolean;
  readonly isNullcast?: boolean;
  readonly inReplyToUsername?: string;
  readonly inReplyToUserId?: string;
  readonly conversationId?: string;
  /** The author of the reposted Post, and the ids of the Posts that this one refers to. */
  readonly repostOfUsername?: string;
  readonly repostOfUserId?: string;
  readonly repostOfId?: string;
  readonly replyToId?: string;
  readonly quoteOfId?: string;
  /** If present, used instead of what the text shows. */
  readonly hashtags?: readonly string[];
  readonly mentions?: readonly string[];
  readonly cashtags?: readonly string[];
  /** Every url and expanded_url of the Post's entities. */
  readonly urls?: readonly string[];
  readonly hasMedia?: boolean;
  readonly hasImages?: boolean;
  readonly hasVideo?: boolean;
  readonly hasGeo?: boolean;
  /** Names and id of the tagged place; ignored for a repost, where it is the original's. */
  readonly places?: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly country?: string;
  /** The place's rectangle, and the exact point if there is one. */
  readonly boxes?: readonly Box[];
  /** Annotations, `domain.entity` by id. */
  readonly contexts?: readonly string[];
  /** Names recognised in the text. */
  readonly entities?: readonly string[];
  readonly likes?: number;
  readonly replies?: number;
  readonly reposts?: number;
}

/** A Post whose facts are being read. */
export type MutablePost = { -readonly [K in keyof IndexablePost]: IndexablePost[K] };

/** The terms of one Post (see `Condition` in `#core/query/ast.ts` for the term space). */
export interface PostTerms {
  /** Word tokens in order; the position of a token is its index. */
  readonly words: readonly string[];
  /**
   * Tokens of the Post's addresses in order; an empty string separates two addresses, so that no phrase
   * spans them.
   */
  readonly urlWords: readonly string[];
  /** Every other term (signs, emoji, `name:value`), without repeats. */
  readonly flags: readonly string[];
}
