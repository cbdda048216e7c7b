import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { invalidParameters, invalidRequest } from '#contract/fault.ts';
import { about, readFlag } from '#contract/parameters.ts';
import { ofSource } from '#contract/counts/source.ts';
import {
  ruleLimits,
  STREAM_RULES,
  type RuleLimits,
  type RulesRequest,
} from '#contract/streams/stream.ts';
import { DEFAULT_APP } from '#server/auth/app-table.ts';
import type { ServiceContext } from '#server/context.ts';
import { readBody } from '#server/http/json-body.ts';
import type { Route } from '#server/http/serve.ts';
import { newSnowflake, snowflake } from '#core/import/id.ts';
import type { Json } from '#core/import/json.ts';
import {
  checkRules,
  findRules,
  ruleJson,
  withIds,
  type NamedRule,
} from '#server/streams/rules/rule-changes.ts';
import type { RuleOwner, RuleStream } from '#server/streams/rules/rule-table.ts';
import type { Caller } from '#server/auth/caller.ts';

const STREAMS: readonly RuleStream[] = ['posts', 'sample'];

/** Page tokens of rules have 16 characters: 8 bytes for the last id of the page, 4 that seal it. */
const ID_BYTES = 8;
const SEAL_BYTES = 4;

function sealOf(key: Uint8Array, id: Buffer, { stream, app }: RuleOwner): Buffer {
  const bound = createHmac('sha256', key).update(`rules ${stream} ${app} `).update(id);
  return bound.digest().subarray(0, SEAL_BYTES);
}

function tokenAfter(key: Uint8Array, id: string, of: RuleOwner): string {
  const bytes = Buffer.alloc(ID_BYTES);
  bytes.writeBigInt64BE(BigInt(id));
  return Buffer.concat([bytes, sealOf(key, bytes, of)]).toString('base64url');
}

/** The id after which a page begins. @throws {@link Fault} 400 for a token of another app or stream. */
function readToken(key: Uint8Array, token: string | undefined, of: RuleOwner): bigint {
  if (token === undefined) return -1n;
  const bytes = Buffer.from(token, 'base64url');
  const id = bytes.subarray(0, ID_BYTES);
  if (timingSafeEqual(bytes.subarray(ID_BYTES), sealOf(key, id, of))) return id.readBigInt64BE();
  const rule = `${about('pagination_token', token)} is not a valid token`;
  throw invalidRequest('pagination_token', token, rule);
}

/** Requests that delete every rule may have no body. */
async function readChange(
  c: Context,
  schema: Parameters<typeof readBody<RulesRequest>>[1],
  most?: number,
): Promise<RulesRequest> {
  const isEmpty = c.req.header('content-length') === '0' || c.req.raw.body === null;
  if (isEmpty && readFlag(c.req.query('delete_all') ?? '') === true) return {};
  return await readBody(c, schema, most);
}

/** True if a request adds or deletes. @throws {@link Fault} 400 if it does both or neither. */
function checkChange({ add, delete: remove }: RulesRequest, deleteAll: boolean): void {
  if ((add !== undefined) !== (remove !== undefined || deleteAll)) return;
  const both = add !== undefined;
  throw invalidParameters([
    {
      parameter: both ? (deleteAll ? 'delete_all' : 'delete') : 'add',
      message: both
        ? 'A request either adds or deletes rules: send `add` or `delete`'
        : 'A request adds or deletes rules: send `add` or `delete`',
    },
  ]);
}

function namedBy({ ids = [], values = [] }: NonNullable<RulesRequest['delete']>): NamedRule[] {
  return [...ids.map((id) => ({ id })), ...values.map((value) => ({ value }))];
}

function limitsOf({ access, app }: Caller): RuleLimits {
  return ruleLimits(access, app?.settings.stream_rules);
}

/** Rules of the filtered streams of Your posts and of the sample, by app. The dashboard has those of the first app. */
export function streamRules({ http, service, pageKey, now }: ServiceContext): Route[] {
  const { rules: table } = service;
  const sent = (): string => new Date(now()).toISOString();
  const ownerOf = (stream: RuleStream, caller: Caller): RuleOwner => ({
    stream,
    app: caller.app?.id ?? DEFAULT_APP,
  });

  const of = (stream: RuleStream): Route[] => [
    http.serve(ofSource(STREAM_RULES.list, stream), ({ caller, query }) => {
      const owner = ownerOf(stream, caller);
      const { ids, max_results: most, pagination_token: token } = query;
      const after = readToken(pageKey, token, owner);
      const meta = { sent: sent() };
      if (ids) {
        const found = [...new Set(ids)].flatMap((id) => table.find(owner, { id }) ?? []);
        const result_count = found.length;
        return {
          ...(result_count > 0 && { data: found.map(ruleJson) }),
          meta: { ...meta, result_count },
        };
      }
      const found = table.page(owner, after, most + 1);
      const page = found.slice(0, most);
      const last = found.length > most ? page.at(-1) : undefined;
      return {
        ...(page.length > 0 && { data: page.map(ruleJson) }),
        meta: {
          ...meta,
          result_count: page.length,
          ...(last && { next_token: tokenAfter(pageKey, last.id, owner) }),
        },
      };
    }),
    http.serve(
      ofSource(STREAM_RULES.change, stream),
      ({ c, caller, query: { dry_run: isTrial, delete_all: all }, body }) => {
        checkChange(body, all);
        const owner = ownerOf(stream, caller);
        const at = { firstId: (body.add ? newSnowflake : snowflake)(now(), 0), now: now() };
        const withErrors = (errors: readonly Json[]) => (errors.length > 0 ? { errors } : {});
        if (body.add) {
          const { add, errors, valid } = checkRules(table, owner, body.add, limitsOf(caller));
          const added = isTrial ? [] : table.change(owner, { add }, at).added;
          const data = (isTrial ? add : added).map(ruleJson);
          const summary = {
            created: data.length,
            not_created: body.add.length - data.length,
            valid,
            invalid: body.add.length - valid,
          };
          const answer = {
            ...(data.length > 0 && { data }),
            meta: { sent: sent(), summary },
            ...withErrors(withIds(errors, added)),
          };
          return c.json(answer, isTrial ? 200 : 201);
        }
        const { remove, errors } = all
          ? { remove: table.page(owner, -1n, table.count(owner)).map(({ id }) => id), errors: [] }
          : findRules(table, owner, namedBy(body.delete ?? {}), { id: 'ids', value: 'values' });
        if (!isTrial) table.change(owner, { remove }, at);
        const summary = { deleted: remove.length, not_deleted: errors.length };
        return { meta: { sent: sent(), summary }, ...withErrors(errors) };
      },
      { body: readChange },
    ),
    http.serve(
      ofSource(STREAM_RULES.counts, stream),
      ({ caller, query: { 'rules_count.fields': fields } }) => {
        const owner = ownerOf(stream, caller);
        const { rules: cap } = limitsOf(caller);
        const rule_count = table.count(owner);
        const own = { client_app_id: owner.app, rule_count };
        // Each app is a project of its own, as in the answer about usage.
        const counts = {
          cap_per_client_app: cap,
          cap_per_project: cap,
          client_app_rules_count: own,
          project_rules_count: rule_count,
          all_project_client_apps: [own],
        };
        const wanted = new Set<string>(fields);
        const chosen = Object.entries(counts).filter(
          ([name]) => wanted.size === 0 || wanted.has(name),
        );
        return { data: Object.fromEntries(chosen) };
      },
    ),
  ];
  return STREAMS.flatMap(of);
}
