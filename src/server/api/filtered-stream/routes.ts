import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import { FILTERED_STREAM } from '#contract/filtered-stream.ts';
import { inVocabulary } from '#contract/selection.ts';
import type { Selection } from '#contract/selection.ts';
import { ofSource } from '#contract/source.ts';
import type { Billing } from '#server/billing/billing.ts';
import { clientAddress, hostOf } from '#server/http/origin.ts';
import { withMediaAddresses } from '#server/http/media-address.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Json } from '#server/import/json.ts';
import { includesOf, namedIncludes } from '#server/posts/includes.ts';
import { postJson } from '#server/posts/post-json.ts';
import type { PostFinder } from '#server/posts/source.ts';
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
      if (!app || !log) throw plainProblem(404, 'Not Found', `The source ${id} is not open.`);
      const { until, ...period } = periodOf(log, request, caller, now());
      if (streams.rules.count({ stream: id, app: app.id }) === 0) throw noRules();
      const recovers = until !== undefined;
      const connection = streams.connections.open({
        app: app.id,
        source: id,
        stream: 'filtered_stream',
        ip: clientAddress(c),
        most: recovers ? MOST_RECOVERIES : MOST[caller.access],
        recovers,
        isAllowed: caller.isValid,
      });

      const { selection } = request;
      const { expansions } = selection;
      const key = JSON.stringify([hostOf(c), selection, [...expansions]]);
      const lineOf = (post: MatchedPost, finder: PostFinder): SharedLine => {
        const known = post.lines.get(key);
        if (known) return known;
        const json = withMediaAddresses(postLine(post, selection, finder, now()), c);
        const line = { json, text: JSON.stringify(json) };
        post.lines.set(key, line);
        return line;
      };
      const send = (post: MatchedPost): void => {
        const rules = post.rules.filter((rule) => rule.app === app.id);
        const finder = streams.finder(id);
        if (rules.length === 0 || !finder) return;
        const bill = billing.open(caller, connect, connect.price, {});
        try {
          const { json, text } = lineOf(post, finder);
          const matching = rules.map((rule) => ({ id: rule.id, tag: rule.tag ?? '' }));
          connection.send(`${text.slice(0, -1)},"matching_rules":${JSON.stringify(matching)}}`);
          bill.answered(json);
        } finally {
          bill.close();
        }
      };

      streams.follow(connection, {
        log,
        after: (number) => streams.matched(id, number, until),
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
