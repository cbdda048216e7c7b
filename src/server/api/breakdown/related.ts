import { MIN_POSTS } from '#core/text/keyness.ts';
import type { Span } from '#core/time/span.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { mostDistinctive, setsOf, type AnalysisSubject } from './sets.ts';
import { languagesOf, signedItems, wordingOf } from './wording.ts';
import { COMPARED, tallyFlags } from '#server/index/tally-flags.ts';
import { postsIn } from '#server/index/chunk-posts.ts';
import type { RelatedAnswer } from '#contract/counts/breakdown-answers.ts';

/** Rarer flags are not distinctive. */
const LEAST_OF = {
  hashtag: MIN_POSTS,
  cashtag: MIN_POSTS,
  emoji: MIN_POSTS,
  domain: Infinity,
  address: Infinity,
  author: Infinity,
  place: Infinity,
} as const;

/**
 * The items that occur in the Posts of a query far more than in all others of a span, exactly, in steps.
 *
 * @returns As `RelatedAnswer`.
 */
export function* relatedTo(
  { chunks }: SourceState,
  subject: AnalysisSubject & { readonly span: Span },
  due: Due,
): Steps<RelatedAnswer['data']> {
  const { condition, span } = subject;
  const sets = setsOf(
    yield* postsIn(chunks, condition, span, due),
    yield* postsIn(chunks, { kind: 'not', of: condition }, span, due),
  );
  const flags = yield* tallyFlags(sets.now, sets.before, LEAST_OF, due);
  const languages = yield* languagesOf(sets, flags.language, due);
  const [hashtags, cashtags, emoji] = COMPARED.map((group) =>
    signedItems(
      group,
      flags[group],
      mostDistinctive(sets, flags[group].counts).map(({ entry }) => entry),
      sets,
      subject,
    ),
  );
  return {
    posts: sets.posts,
    others: sets.postsBefore,
    ...(yield* wordingOf(sets, subject, languages, due)),
    hashtags: hashtags!,
    cashtags: cashtags!,
    emoji: emoji!,
  };
}
