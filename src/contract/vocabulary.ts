/**
 * The two sets of names in which the interface answers: tweet names, and the later post names (platform-facts-additions,
 * section 0). A request in one vocabulary is answered in it.
 */
export type Vocabulary = 'tweet' | 'post';

/** A part of a request that only one vocabulary has. */
export interface Mark {
  readonly parameter: string;
  /** The part, for a message. */
  readonly part: string;
  readonly vocabulary: Vocabulary;
}

/** The vocabulary of a request, tweet names by default; or the message that refuses a request that mixes both. */
export function vocabularyOf(
  marks: readonly Mark[],
): Vocabulary | { readonly parameters: readonly string[]; readonly message: string } {
  const tweet = marks.find(({ vocabulary }) => vocabulary === 'tweet');
  const post = marks.find(({ vocabulary }) => vocabulary === 'post');
  if (!post) return 'tweet';
  if (!tweet) return 'post';
  return {
    parameters: [...new Set([tweet.parameter, post.parameter])],
    message: `${tweet.part} (tweet names) and ${post.part} (post names) can not be used in one request`,
  };
}
