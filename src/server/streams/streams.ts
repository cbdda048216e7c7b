import { Fault } from '#contract/fault.ts';
import type { RuleKind } from '#core/rules/parse.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { StreamConnection, Connections } from './connections.ts';
import { followLog, type Followed } from './follow-log.ts';
import type { EventLog } from './log.ts';
import {
  matchedPosts,
  type MatchedDeps,
  type MatchedPosts,
  type MatchedRule,
} from './matched-posts.ts';
import type { RuleMatcher } from '#server/streams/rules/matcher-thread.ts';
import type { RuleStream, RuleTable } from '#server/streams/rules/rule-table.ts';

type RuleTables = Readonly<Record<RuleKind, RuleTable>>;

/** The data that streams read, and the connections to which they send it. */
export type Streams = ReturnType<typeof openStreams>;

export interface StreamsDeps {
  readonly connections: Connections;
  readonly rules: RuleTables;
  /** See {@link Streams.finder}. */
  readonly finder: (id: RuleStream) => PostFinder | null;
  readonly events: (id: SourceId) => EventLog | null;
  readonly matcher: Pick<RuleMatcher, 'match'>;
  /** True if a user is an account of this service. */
  readonly isAccount: (id: string) => boolean;
  /** Logs a line about an internal error. */
  readonly log: (line: string) => void;
}

/** The apps, tags and kinds of a stream's rules by id, always current. */
function rulesById(
  tables: readonly RuleTable[],
  stream: RuleStream,
): ReadonlyMap<string, MatchedRule> {
  const byId = new Map<string, MatchedRule>();
  for (const { kind, all, onRules } of tables) {
    for (const { id, app, tag } of all(stream)) byId.set(id, { id, app, tag, kind });
    onRules(({ stream: of, app, added, removed }) => {
      if (of !== stream) return;
      for (const id of removed) byId.delete(id);
      for (const { id, tag } of added) byId.set(id, { id, app, tag, kind });
    });
  }
  return byId;
}

export function openStreams({
  connections,
  rules,
  finder,
  events,
  matcher,
  isAccount,
  log,
}: StreamsDeps) {
  const readers = new Map<RuleStream, { readonly log: EventLog; readonly posts: MatchedPosts }>();
  const readerOf = (id: RuleStream): MatchedPosts | null => {
    const of = events(id);
    if (!of) return null;
    const known = readers.get(id);
    if (known?.log === of) return known.posts;
    const byId = rulesById(Object.values(rules), id);
    const match: MatchedDeps['match'] = async (ids, users) =>
      (await matcher.match(id, ids, users)).map((rules) =>
        rules.flatMap((rule) => byId.get(rule) ?? []),
      );
    const posts = matchedPosts({ log: of, finder: () => finder(id), match, isAccount });
    readers.set(id, { log: of, posts });
    return posts;
  };
  const fail = (connection: StreamConnection, error: unknown): void => {
    if (error instanceof Fault && error.status === 402) return connection.end('usage_capped');
    log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    connection.end('internal_error');
  };
  return {
    connections,
    rules,
    /** The log of a source; null if the source is not open. */
    log: events,
    /** The Posts and accounts of a source, as an app sees them; null if the source is not open. */
    finder,
    /** The Posts of a source that match rules; null if the source is not open. */
    matched: readerOf,
    /** Sends a log to a connection until it ends. What `send` throws ends the connection with a reason. */
    follow: <T>(connection: StreamConnection, followed: Followed<T>): void => {
      followLog(connection, followed).catch((error: unknown) => fail(connection, error));
    },
    /** Ends a connection with the reason for an error. */
    fail,
  };
}
