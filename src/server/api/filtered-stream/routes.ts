import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import { FILTERED_STREAM } from '#contract/filtered-stream.ts';
import { POST_READ } from '#contract/prices.ts';
import { ofSource } from '#contract/source.ts';
import type { Billing } from '#server/billing/billing.ts';
import { lineBills } from '#server/billing/line-bills.ts';
import { clientAddress, closerOf, hostOf } from '#server/http/origin.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Connection } from '#server/stream/connections.ts';
import type { MatchedPost } from '#server/stream/matched-posts.ts';
import { periodOf } from '#server/stream/period.ts';
import type { Streams } from '#server/stream/streams.ts';
import { lineMaker } from './lines.ts';

export interface FilteredStreamDeps {
  readonly http: Http;
  readonly billing: Billing;
  readonly streams: Streams;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Connections to the stream that an app may have at once, by access (platform-facts-additions, section 5). */
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

/** `GET /2/tweets/search/stream`: the Posts that match the rules of the app, from when it connects. */
export function filteredStream({ http, billing, streams, now }: FilteredStreamDeps): Route[] {
  const of = (id: 'posts' | 'sample'): Route => {
    const connect = ofSource(FILTERED_STREAM.connect, id);

    return http.serve(connect, ({ c, caller, query: request }) => {
      const { app } = caller;
      const log = streams.log(id);
      const posts = streams.matched(id);
      if (!app || !log || !posts)
        throw plainProblem(404, 'Not Found', `The source ${id} is not open.`);
      const { until, ...period } = periodOf(log, request, caller, now());
      if (streams.rules.count({ stream: id, app: app.id }) === 0) throw noRules();
      // It would get no lines.
      if (c.req.method === 'HEAD') return c.body(null);
      const recovers = until !== undefined;
      const bills = lineBills(billing, caller, connect, POST_READ);
      const connection: Connection = streams.connections.open({
        app: app.id,
        source: id,
        stream: 'filtered_stream',
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

      const form = { selection: request.selection, host: hostOf(c) };
      const make = lineMaker(app.id, form, { finder: () => streams.finder(id), now });
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
    });
  };
  return [of('posts'), of('sample')];
}
