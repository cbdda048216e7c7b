import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import { FILTERED_STREAM } from '#contract/filtered-stream.ts';
import { POST_READ } from '#contract/prices.ts';
import { inVocabulary } from '#contract/selection.ts';
import type { Selection } from '#contract/selection.ts';
import { ofSource } from '#contract/source.ts';
import type { Billing } from '#server/billing/billing.ts';
import { lineBills } from '#server/billing/line-bills.ts';
import { clientAddress, closerOf, hostOf } from '#server/http/origin.ts';
import { withMediaAddresses } from '#server/http/media-address.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Json } from '#server/import/json.ts';
import { includesOf, namedIncludes } from '#server/posts/includes.ts';
import { postJson } from '#server/posts/post-json.ts';
import type { PostFinder } from '#server/posts/source.ts';
import type { Connection } from '#server/stream/connections.ts';
import type { MatchedPost, SharedLine } from '#server/stream/matched-posts.ts';
import { periodOf } from '#server/stream/period.ts';
import type { Streams } from '#server/stream/streams.ts';

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

/** A Post with its expansions, as search answers with it. */
function postLine(
  { post }: MatchedPost,
  selection: Selection,
  finder: PostFinder,
  now: number,
): Json {
  const { vocabulary, fields } = selection;
  const includes = includesOf([post], selection, finder, now);
  return {
    data: inVocabulary(postJson(post, fields, finder), vocabulary),
    ...(includes && { includes: namedIncludes(includes, vocabulary) }),
  };
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

      const { selection } = request;
      const { expansions } = selection;
      const key = JSON.stringify([hostOf(c), selection, [...expansions]]);
      const lineOf = (post: MatchedPost): SharedLine | null => {
        const known = post.lines.get(key);
        if (known) return known;
        const finder = streams.finder(id);
        if (!finder) return null;
        const json = postLine(post, selection, finder, now());
        const line = { json, text: JSON.stringify(withMediaAddresses(json, c)) };
        post.lines.set(key, line);
        return line;
      };
      const send = (post: MatchedPost): void => {
        const rules = post.rules.filter((rule) => rule.app === app.id);
        const line = rules.length > 0 ? lineOf(post) : null;
        if (!line) return;
        bills.line(() => {
          const matching = rules.map((rule) => ({ id: rule.id, tag: rule.tag ?? '' }));
          connection.send(
            `${line.text.slice(0, -1)},"matching_rules":${JSON.stringify(matching)}}`,
          );
          return line.json;
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
