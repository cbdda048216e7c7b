import { createHmac } from 'node:crypto';
import { queryLength, queryLengthLimit } from '#contract/counts.ts';
import type { Access, CountsEndpoint, CountsRequest } from '#contract/counts.ts';
import { invalidParameters, invalidRequest } from '#contract/fault.ts';
import type { SourceId } from '#contract/source.ts';
import { packCursor, unpackCursor } from '#core/cursor.ts';
import type { Seal } from '#core/cursor.ts';
import type { Ast } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';
import { fold } from '#core/text/fold.ts';
import { floorTo } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { CountingIndex } from '#server/index/counting.ts';
import { nothingText, pageText, type PieceText } from './count-json.ts';
import { newestPage, resolveWindow } from './count-window.ts';

/** A source that counts are asked of. */
export interface CountSource {
  readonly id: SourceId;
  readonly index: CountingIndex;
  /** Picks up what was committed since. */
  refresh(): void;
}

/** One question, read and in form. */
export interface CountQuestion {
  readonly endpoint: CountsEndpoint;
  readonly request: CountsRequest;
  /** The parameters as sent, for messages. */
  readonly texts: Readonly<Record<string, string>>;
  readonly access: Access;
  /** Epoch ms. */
  readonly now: number;
  /** Key that seals page tokens. */
  readonly key: Uint8Array;
}

function readQuery({ endpoint, request, access }: CountQuestion): Ast {
  const { query } = request;
  const length = queryLength(query);
  const limit = queryLengthLimit(endpoint, access);
  if (length > limit) {
    const rule = `'query' must have at most ${limit} characters, got ${length}`;
    throw invalidRequest('query', query, `Invalid 'query':'${query}'. ${rule}`);
  }
  const parsed = parse(query, { product: endpoint });
  if (!parsed.ok) throw invalidRequest('query', query, message(parsed.diagnostics));
  return parsed.ast;
}

/** Whether a query is only `from:` somebody whom the source does not know (recorded, platform-facts 1.3). */
function asksOnlyUnknownUser(ast: Ast, index: CountingIndex): boolean {
  if (ast.kind !== 'clause' || ast.operator !== 'from' || ast.negated) return false;
  return !index.hasUser(fold(ast.value));
}

/** What a page token is good for: the same question to the same store. */
function questionText({ endpoint, request }: CountQuestion, index: CountingIndex): string {
  const { query, granularity, start_time, end_time, since_id, until_id } = request;
  const bounds = [start_time, end_time, since_id, until_id].map((bound) => bound?.toString() ?? '');
  return JSON.stringify([index.store, endpoint, query, granularity, ...bounds]);
}

/** The span still to be told: by the page token where there is one, else by the bounds. */
function spanOf(question: CountQuestion, bound: string, seal: Seal): Span | null {
  const { request, texts, endpoint, now } = question;
  const { next_token: next, pagination_token: pagination } = request;
  if (next !== undefined && pagination !== undefined) {
    const rule =
      '`next_token` and `pagination_token` mean the same: at most one of them may be given';
    throw invalidParameters([
      { parameter: 'next_token', value: next, message: rule },
      { parameter: 'pagination_token', value: pagination, message: rule },
    ]);
  }
  const token = next ?? pagination;
  if (token === undefined) return resolveWindow(request, texts, endpoint, now);
  const fields = unpackCursor(token, bound, seal)?.map((field) => Number(field) * SECOND_MS);
  const [start, end] = fields ?? [];
  if (start !== undefined && end !== undefined) return { start, end };
  const parameter = next === undefined ? 'pagination_token' : 'next_token';
  const rule = `The \`${parameter}\` query parameter value [${token}] is not a valid token for this request`;
  throw invalidRequest(parameter, token, rule);
}

/**
 * Answers a question of `GET /2/tweets/counts/{recent,all}` (platform-facts section 1): one page, the
 * newest of what is still to be told, as JSON text.
 *
 * @throws {@link Fault} 400 for a query, bound or token that is wrong.
 */
export function countPage(index: CountingIndex, question: CountQuestion): PieceText {
  const { request, key } = question;
  const ast = readQuery(question);
  const seal: Seal = (text) => createHmac('sha256', key).update(text).digest();
  const bound = questionText(question, index);
  const span = spanOf(question, bound, seal);
  if (span === null || asksOnlyUnknownUser(ast, index)) return nothingText();

  const page = newestPage(span);
  const { granularity, since_id: since, until_id: until } = request;
  // Where times are kept to the minute alone, a Post after `since_id` may be told as of before it: the id
  // settles it. Buckets begin at whole minutes, so they stay the same.
  const first = since !== undefined && page.start === span.start;
  const start = first ? floorTo(page.start, 'minute') : page.start;
  const told = { start, end: page.end };
  const counts = index.histogram(condition(ast, index.members), told, granularity, {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  });
  const rest = [span.start, page.start].map((instant) => String(instant / SECOND_MS));
  const token = page.start > span.start ? packCursor(rest, bound, seal) : null;
  const fields = request['search_count.fields'];
  return pageText({ span: page, granularity, counts, fields }, token);
}
