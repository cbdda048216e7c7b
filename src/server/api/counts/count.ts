import type { CountsRequest } from '#contract/counts/count-operations.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { packCursor, type Seal } from '#core/cursor.ts';
import type { Ast } from '#core/query/ast.ts';
import { fold } from '#core/text/fold.ts';
import { floorTo } from '#core/time/bucket.ts';
import { SECOND_MS, type Span } from '#core/time/span.ts';
import type { Due, WaitingSteps } from '#server/index/steps.ts';
import type { PostsState } from '#server/posts/store/posts-state.ts';
import { nothingText, pageText, type PieceText } from './count-json.ts';
import { countSelection } from './count-selection.ts';
import { newestWindow, resolveWindow } from '#server/http/request-window.ts';
import { readPageToken, sealBy } from '#server/http/page-token.ts';
import { knownCondition } from '#server/http/known-condition.ts';
import { readQuery, type PageQuestion } from '#server/http/query-param.ts';

/** A validated request for counts. */
type CountQuestion = PageQuestion<CountsEndpoint, CountsRequest>;

/** True if a query is only `from:` a user whom the source does not know (recorded, platform-facts 1.3). */
function* isFromUnknownUser(ast: Ast, state: PostsState): WaitingSteps<boolean> {
  if (ast.kind !== 'clause' || ast.operator !== 'from' || ast.negated) return false;
  const name = fold(ast.value);
  return !(yield* state.hasAuthor(state.owners?.(name)?.holder ?? name));
}

/** The request to which a page token is bound: the same one to the same store. */
function questionText({ endpoint, request }: CountQuestion, store: string): string {
  const { query, granularity, start_time, end_time, since_id, until_id } = request;
  const bounds = [start_time, end_time, since_id, until_id].map((bound) => bound?.toString() ?? '');
  return JSON.stringify([store, endpoint, query, granularity, ...bounds]);
}

/** The span not yet answered: from the page token if there is one, else from the bounds. */
function spanOf(question: CountQuestion, bound: string, seal: Seal): Span | null {
  const { request, texts, endpoint, now } = question;
  const token = readPageToken(request, bound, seal);
  if (!token) return resolveWindow(request, texts, endpoint, now);
  const [start = NaN, end = NaN] = token.map((field) => Number(field) * SECOND_MS);
  return { start, end };
}

/**
 * Answers `GET /2/tweets/counts/{recent,all}` (platform-facts section 1) with the newest page not yet answered, as JSON
 * text. Runs in steps over one state of the source.
 *
 * @throws {@link Fault} 400 for an invalid query, bound or token.
 */
export function* countPage(
  state: PostsState,
  question: CountQuestion,
  due: Due,
): WaitingSteps<PieceText> {
  const { request, key } = question;
  const ast = readQuery(request.query, question);
  const seal = sealBy(key);
  const bound = questionText(question, state.store);
  const span = spanOf(question, bound, seal);
  const selection = countSelection(request['search_count.fields']);
  if (span === null || (yield* isFromUnknownUser(ast, state))) {
    return nothingText(selection.vocabulary);
  }

  const page = newestWindow(span);
  const { granularity, since_id: since, until_id: until } = request;
  // Where the index stores only the minute, a Post after `since_id` may seem to be before it, so start at the minute and
  // let the id decide. Buckets begin at whole minutes, so they do not change.
  const first = since !== undefined && page.start === span.start;
  const start = first ? floorTo(page.start, 'minute') : page.start;
  const counted = { start, end: page.end };
  const wanted = knownCondition(ast, request.query, state);
  const ids = {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
  const counts = yield* state.histogram(wanted, counted, granularity, ids, due);
  const rest = [span.start, page.start].map((instant) => String(instant / SECOND_MS));
  const token = page.start > span.start ? packCursor(rest, bound, seal) : null;
  return pageText({ span: page, granularity, counts, ...selection }, token);
}
