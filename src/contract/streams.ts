import * as v from 'valibot';
import { ACCESS_LEVELS } from './access.ts';
import { DISCONNECT_REASONS, STREAM_NAMES } from './connection-names.ts';
import { endpoint } from './endpoint.ts';
import { NO_PARAMETERS, about, pathOf, unknownParameter } from './parameters.ts';

/** Most apps, open connections and past connections that the settings page lists. */
export const MOST_LISTED = 100;

/** Rules on a page. */
export const RULES_ON_PAGE = 100;

/** Sources whose Posts have streams. */
const SOURCES = ['posts', 'sample'] as const;
export type StreamSource = (typeof SOURCES)[number];

/** Streams that have rules. */
const RULE_STREAMS = ['filtered_stream', 'powerstream'] as const;
export type RuleStreamName = (typeof RULE_STREAMS)[number];

const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const instant = v.pipe(v.string(), v.isoTimestamp());

/** A connection to a stream, open or past. */
const ConnectionInfo = v.object({
  /** UUID. */
  id: v.string(),
  /** Name of its app; the app's id once it is removed. */
  app: v.string(),
  source: v.picklist(SOURCES),
  stream: v.picklist(STREAM_NAMES),
  client_ip: v.nullable(v.string()),
  connected_at: instant,
  /** Null while it is open, and if the service ended before it could record the time. */
  disconnected_at: v.nullable(instant),
  /** Null while it is open. */
  reason: v.nullable(v.picklist(DISCONNECT_REASONS)),
});
export type ConnectionInfo = v.InferOutput<typeof ConnectionInfo>;

/** Connections, the newest first, and how many there are in all. */
const Connections = v.object({ count: whole, newest: v.array(ConnectionInfo) });

/** Rules of an app for a stream. */
const RuleCount = v.object({
  /** Rules that it may have for each source. */
  limit: whole,
  /** Rules that it has. */
  rules: v.object({ posts: whole, sample: whole }),
});

/** An app that has rules. */
const RuleApp = v.object({
  id: v.string(),
  name: v.string(),
  access: v.picklist(ACCESS_LEVELS),
  filtered_stream: RuleCount,
  powerstream: RuleCount,
});
export type RuleApp = v.InferOutput<typeof RuleApp>;

const StreamsAnswer = v.object({
  /** Those with the most rules first. */
  apps: v.object({ count: whole, most: v.array(RuleApp) }),
  open: Connections,
  past: Connections,
});
export type StreamsAnswer = v.InferOutput<typeof StreamsAnswer>;

const RulesAnswer = v.object({
  rules: v.array(v.object({ id: v.string(), value: v.string(), tag: v.nullable(v.string()) })),
  /** Id after which the next page begins; null on the last page. */
  next: v.nullable(v.string()),
});
export type RulesAnswer = v.InferOutput<typeof RulesAnswer>;

function digits(parameter: string) {
  return v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,19}$/, ({ input }) => `${about(parameter, input)} is not a number`),
  );
}

const RULES_PARAMETERS = {
  /** Id of the app. */
  app: digits('app'),
  source: v.picklist(
    SOURCES,
    ({ input }) => `${about('source', input)} is not one of [${SOURCES.join(',')}]`,
  ),
  stream: v.optional(
    v.picklist(
      RULE_STREAMS,
      ({ input }) => `${about('stream', input)} is not one of [${RULE_STREAMS.join(',')}]`,
    ),
    'filtered_stream',
  ),
  /** Id of the last rule of the page before. */
  after: v.optional(digits('after')),
};

/** The rules of streams and the connections to streams of all apps, for the settings page. */
export const STREAMS = {
  overview: endpoint('GET', '/streams', {
    authentication: ['session'],
    query: NO_PARAMETERS,
    answer: StreamsAnswer,
  }),
  rules: endpoint('GET', '/streams/rules', {
    authentication: ['session'],
    query: v.strictObject(RULES_PARAMETERS, (issue) =>
      issue.expected === 'never'
        ? unknownParameter(issue, RULES_PARAMETERS)
        : `The query parameters \`app\` and \`source\` are required`,
    ),
    answer: RulesAnswer,
  }),
  /** Ends an open connection. */
  end: endpoint('DELETE', '/streams/connections/:id', {
    authentication: ['session'],
    params: pathOf('id', /^[0-9a-f-]{36}$/),
    query: NO_PARAMETERS,
    answer: v.object({ ended: v.boolean() }),
  }),
};
