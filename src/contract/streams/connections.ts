import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { DISCONNECT_REASONS, STREAM_NAMES } from './connection-names.ts';
import { bodyOf, textIn } from '#contract/body.ts';
import { endpoint } from '#contract/endpoint.ts';
import {
  choiceIn,
  NO_PARAMETERS,
  onlyParameters,
  token,
  wholeBetween,
} from '#contract/parameters.ts';
import { listOf } from '#contract/posts/selection.ts';

export type StreamName = (typeof STREAM_NAMES)[number];

/** Streams that only the platform has (platform-openapi, getConnectionHistory). Nothing here connects to them. */
const OTHER_STREAMS = [
  'sample_stream',
  'sample10_stream',
  'firehose_stream',
  'tweets_compliance_stream',
  'users_compliance_stream',
  'tweet_label_stream',
  'firehose_stream_lang_en',
  'firehose_stream_lang_ja',
  'firehose_stream_lang_ko',
  'firehose_stream_lang_pt',
  'likes_firehose_stream',
  'likes_sample10_stream',
  'likes_compliance_stream',
] as const;
const ENDPOINT_NAMES = [...STREAM_NAMES, ...OTHER_STREAMS] as const;

/** Fields that `connection.fields` may name (platform-openapi, ConnectionFieldsParameter). */
export const CONNECTION_FIELDS = [
  'client_ip',
  'connected_at',
  'disconnect_reason',
  'disconnected_at',
  'endpoint_name',
  'id',
] as const;
export type ConnectionField = (typeof CONNECTION_FIELDS)[number];

const STATUSES = ['active', 'inactive', 'all'] as const;
export type ConnectionStatus = (typeof STATUSES)[number];

/** Most connections that a request may end by id, and most of a page (platform-openapi). */
const MOST = 100;

export type DisconnectReason = (typeof DISCONNECT_REASONS)[number];

const ConnectionList = onlyParameters({
  status: v.optional(choiceIn('status', STATUSES), 'active'),
  endpoints: listOf('endpoints', ENDPOINT_NAMES),
  max_results: v.optional(wholeBetween('max_results', 1, MOST), '10'),
  pagination_token: token('pagination_token'),
  'connection.fields': listOf('connection.fields', CONNECTION_FIELDS),
});
export type ConnectionList = v.InferOutput<typeof ConnectionList>;

const ConnectionIds = bodyOf({
  uuids: v.pipe(
    v.array(textIn('uuids', 1, 64), ({ received }) => `$.uuids: must be an array, got ${received}`),
    v.minLength(1, '$.uuids: must not be empty'),
    v.maxLength(
      MOST,
      ({ input }) => `$.uuids: has ${input.length} ids, but at most ${MOST} are allowed`,
    ),
  ),
});

const StreamPath = v.object({ endpoint_id: choiceIn('endpoint_id', ENDPOINT_NAMES) });

const ConnectionsAnswer = v.object({
  data: v.optional(
    v.array(
      v.object({
        id: v.optional(v.string()),
        endpoint_name: v.picklist(STREAM_NAMES),
        connected_at: Time,
        client_ip: v.optional(v.string()),
        disconnected_at: v.optional(Time),
        disconnect_reason: v.optional(v.picklist(DISCONNECT_REASONS)),
      }),
    ),
  ),
  meta: v.object({ result_count: Whole, next_token: v.optional(v.string()) }),
});
export type ConnectionsAnswer = v.InferOutput<typeof ConnectionsAnswer>;

const EndedAnswer = v.object({
  data: v.object({
    successful_kills: Whole,
    failed_kills: Whole,
    results: v.array(
      v.object({
        uuid: v.string(),
        success: v.boolean(),
        error_message: v.optional(v.string()),
      }),
    ),
  }),
});
export type EndedAnswer = v.InferOutput<typeof EndedAnswer>;

const RULES = {
  source: 'specification, Endpoints; platform-facts, section 7',
  authentication: ['app'],
} as const;

/** Open and past connections to the streams of an app. */
export const CONNECTIONS = {
  list: endpoint('GET', '/2/connections', {
    ...RULES,
    level: 'read',
    query: ConnectionList,
    response: ConnectionsAnswer,
  }),
  end: endpoint('DELETE', '/2/connections', {
    ...RULES,
    level: 'read-write',
    query: NO_PARAMETERS,
    body: ConnectionIds,
    response: EndedAnswer,
  }),
  endAll: endpoint('DELETE', '/2/connections/all', {
    ...RULES,
    level: 'read-write',
    // platform-facts 1.5 names no limit of the others.
    limits: { app: { requests: 25, windowSeconds: 900 } },
    query: NO_PARAMETERS,
    response: EndedAnswer,
  }),
  endStream: endpoint('DELETE', '/2/connections/:endpoint_id', {
    ...RULES,
    level: 'read-write',
    params: StreamPath,
    query: NO_PARAMETERS,
    response: EndedAnswer,
  }),
};
