import type { AccountCountsAnswer } from '#contract/counts/account-counts.ts';
import { MOST_POSTS } from '#contract/counts/breakdown.ts';
import type { Ast } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';
import type { Span } from '#core/time/span.ts';
import { unknownCollection } from '#server/http/known-condition.ts';
import { partsIn } from '#server/index/frequent-terms.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { accountCounts, type AccountWindows } from './account-counts.ts';
import { breakdownOf } from './breakdown.ts';
import { causesIn } from './causes.ts';
import { relatedTo } from './related.ts';
import { risingIn } from './rising.ts';
import { similarTo } from './similar.ts';
import type { AnalysisSubject } from './sets.ts';
import type {
  BreakdownAnswer,
  CausesAnswer,
  RelatedAnswer,
  RisingAnswer,
  SimilarAnswer,
} from '#contract/counts/breakdown-answers.ts';

/** The question about a source; `limit` is the most items of a list, `query` null for all Posts. */
export type Question =
  | { readonly what: 'similar'; readonly query: string; readonly limit: number }
  | AccountsQuestion
  | Analysis;

/** The question about a time. */
export type Analysis =
  | {
      readonly what: 'breakdown' | 'causes';
      readonly query: string | null;
      readonly span: Span;
      readonly compared: Span;
      readonly limit: number;
    }
  | {
      readonly what: 'related';
      readonly query: string;
      readonly span: Span;
      readonly limit: number;
    }
  | { readonly what: 'rising'; readonly span: Span; readonly limit: number };

/** The question about the accounts of Posts. */
interface AccountsQuestion {
  readonly what: 'accounts';
  readonly query: string;
  readonly span: Span;
  readonly windows: AccountWindows;
  readonly limit: number;
}

/** The answer to each kind of question. */
export interface Answers {
  readonly breakdown: BreakdownAnswer['data'];
  readonly causes: CausesAnswer['data'];
  readonly related: RelatedAnswer['data'];
  readonly rising: RisingAnswer['data'];
  readonly similar: SimilarAnswer['data'];
  readonly accounts: AccountCountsAnswer['data'];
}

/** Thrown if a question is about more than {@link MOST_POSTS} Posts. */
export class TooManyPostsError extends Error {
  override readonly name = 'TooManyPostsError';
}

function checkSize({ chunks }: SourceState, spans: readonly Span[]): void {
  const parts = spans.flatMap((span) => partsIn(chunks, span));
  const posts = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  if (posts <= MOST_POSTS) return;
  throw new TooManyPostsError(
    `The source has ${posts} Posts in that time; expected at most ${MOST_POSTS}: choose a shorter time`,
  );
}

/** Thrown if a question names a collection that the source does not have. */
export class UnknownCollectionError extends Error {
  override readonly name = 'UnknownCollectionError';
}

/** @throws {@link UnknownCollectionError} */
function subjectOf(query: string | null, limit: number, state: SourceState): AnalysisSubject {
  const ast = query === null ? null : astOf(query);
  const unknown = ast && unknownCollection(ast, state);
  if (unknown) throw new UnknownCollectionError(message([unknown]));
  return {
    ast,
    condition: ast ? condition(ast, state) : { kind: 'all', of: [] },
    limit,
  };
}

/** @throws {@link RangeError} if a query cannot be parsed, which the caller checked. */
function astOf(query: string): Ast {
  const parsed = parse(query, { own: true });
  if (parsed.ok) return parsed.ast;
  throw new RangeError(`expected a query, got ${query}`);
}

/**
 * Answers a question, in steps.
 *
 * @throws {@link TooManyPostsError}; {@link UnknownCollectionError}
 */
export function* answerTo(
  state: SourceState,
  question: Question,
  due: Due,
): Steps<Answers[Question['what']]> {
  const { limit } = question;
  if (question.what === 'similar') {
    checkSize(state, [{ start: 0, end: Number.MAX_SAFE_INTEGER }]);
    return yield* similarTo(state, subjectOf(question.query, limit, state), due);
  }
  const { span } = question;
  checkSize(state, 'compared' in question ? [span, question.compared] : [span]);
  if (question.what === 'rising') return yield* risingIn(state, span, limit, due);
  const subject = { ...subjectOf(question.query, limit, state), span };
  if (question.what === 'accounts')
    return yield* accountCounts(state, subject, question.windows, due);
  if (question.what === 'related') return yield* relatedTo(state, subject, due);
  const compared = { ...subject, compared: question.compared };
  return yield* question.what === 'causes'
    ? causesIn(state, compared, due)
    : breakdownOf(state, compared, due);
}
