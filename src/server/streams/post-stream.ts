import type { Context } from 'hono';
import type { Endpoint } from '#contract/endpoint.ts';
import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import { POST_READ } from '#contract/counts/prices.ts';
import type { ServiceContext } from '#server/context.ts';
import { lineBills } from '#server/billing/line-bills.ts';
import { clientAddress, closerOf } from '#server/http/origin.ts';
import type { StreamConnection } from './connections.ts';
import { lineMaker, type LineForm } from './line-maker.ts';
import type { MatchedPost } from './matched-posts.ts';
import { periodOf, type PeriodNames, type PeriodRequest } from './period.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import type { Caller } from '#server/auth/caller.ts';

/** A stream of the Posts that match the rules of an app. */
export interface PostStream {
  readonly source: RuleStream;
  readonly endpoint: Endpoint;
  readonly period: PeriodRequest;
  /** The names that the stream gives the parameters of the period. */
  readonly names?: PeriodNames;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A line that is sent at once. */
  readonly first?: string;
  /** Its lines; the kind of their rules is the name of the stream. */
  readonly lines: LineForm;
}

/** Connections to a stream that an app may have at once, by access (platform-facts-additions, section 5). */
const MOST = { 'self-service': 1, 'pay-per-use': 1, enterprise: 2 } as const;
/** Recoveries at once (platform-facts, section 5). */
const MOST_RECOVERIES = 2;

/** Issue as recorded (platform-facts-additions, section 5). */
function noRules(): Fault {
  return new Fault(409, {
    title: 'ConnectionException',
    detail: 'You must define rules before you connect to the stream.',
    connection_issue: 'RuleConfigurationIssue',
    type: `${PROBLEMS}streaming-connection`,
  });
}

/**
 * Opens a connection that sends the Posts that match the rules of the caller's app, until it ends.
 *
 * @throws {@link Fault} 403 or 400 for a period that the app may not read, 409 without rules, 429 with too many
 *   connections.
 */
export function openPostStream(
  { billing, streams, now }: Pick<ServiceContext, 'billing' | 'streams' | 'now'>,
  { c, caller }: { readonly c: Context; readonly caller: Caller },
  stream: PostStream,
): Response {
  const { source, endpoint } = stream;
  const { kind } = stream.lines;
  const { app } = caller;
  const log = streams.log(source);
  const posts = streams.matched(source);
  if (!app || !log || !posts)
    throw plainProblem(404, 'Not Found', `The source ${source} is not open.`);
  const { until, ...period } = periodOf(log, stream.period, caller, now(), stream.names);
  if (streams.rules[kind].count({ stream: source, app: app.id }) === 0) throw noRules();
  for (const [name, value] of Object.entries(stream.headers ?? {})) c.header(name, value);
  // It would get no lines.
  if (c.req.method === 'HEAD') return c.body(null);
  const recovers = until !== undefined;
  const bills = lineBills(billing, caller, endpoint, POST_READ);
  const connection: StreamConnection = streams.connections.open({
    app: app.id,
    source,
    stream: kind,
    ip: clientAddress(c),
    most: recovers ? MOST_RECOVERIES : MOST[caller.access],
    recovers,
    isAllowed: caller.isValid,
    settle: () => {
      try {
        bills.settle();
      } catch (error) {
        streams.fail(connection, error);
      }
    },
    cut: closerOf(c),
  });
  if (stream.first !== undefined) connection.send(stream.first);

  const make = lineMaker(app.id, stream.lines, () => streams.finder(source));
  const send = (post: MatchedPost): void => {
    const made = make(post);
    if (!made) return;
    bills.line(() => {
      connection.send(made.line);
      return made.json;
    });
  };

  streams.follow(connection, {
    log,
    after: (number, isNew) =>
      until === undefined ? posts.after(number, isNew) : posts.until(number, until),
    send,
    ...period,
    ends: recovers,
  });
  c.header('content-type', 'application/json; charset=utf-8');
  return c.body(connection.body);
}
