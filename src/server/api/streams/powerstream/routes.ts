import { POWER_LIMITS, POWERSTREAM } from '#contract/streams/powerstream.ts';
import { ofSource } from '#contract/counts/source.ts';
import { callingApp } from '#server/auth/calling-app.ts';
import { originOf } from '#server/http/origin.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import { newSnowflake, snowflake } from '#core/import/id.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { MatchedPost } from '#server/streams/matched-posts.ts';
import { openPostStream } from '#server/streams/post-stream.ts';
import { checkRules, findRules, ruleJson, withIds } from '#server/streams/rules/rule-changes.ts';
import type { RuleOwner, RuleStream } from '#server/streams/rules/rule-table.ts';
import { exactJson } from '#server/posts/legacy/exact-json.ts';
import { legacyPost } from '#server/posts/legacy/legacy-post.ts';
import type { Caller } from '#server/auth/caller.ts';

/** The name that this service gives the one place where it runs. */
const DATACENTER = 'local';

/** The names that powerstream gives the parameters of a period. */
const NAMES = {
  backfill_minutes: 'backfillMinutes',
  start_time: 'startTime',
  end_time: 'endTime',
} as const;

/** Headers and first line that name the datacenter (docs, powerstream/introduction). */
function ofDatacenter(now: number) {
  return {
    headers: { 'x-powerstream-datacenter': DATACENTER, 'x-powerstream-localdconly': 'true' },
    first: JSON.stringify({
      type: 'connection_metadata',
      datacenter: DATACENTER,
      timestamp: now,
    }),
  };
}

/** `/2/powerstream` and its rules, of Your posts and of the sample, by app. */
export function powerstream({ http, service, now, ...deps }: ServiceContext): Route[] {
  const { powerRules: table } = service;
  const ownerOf = (stream: RuleStream, caller: Caller): RuleOwner => ({
    stream,
    app: callingApp(caller).id,
  });

  const of = (source: RuleStream): Route[] => {
    const connect = ofSource(POWERSTREAM.connect, source);
    return [
      http.serve(ofSource(POWERSTREAM.rules, source), ({ caller }) => {
        const rules = table.page(ownerOf(source, caller), -1n, POWER_LIMITS.rules);
        return { data: { rules: rules.map(ruleJson) } };
      }),
      http.serve(ofSource(POWERSTREAM.add, source), ({ caller, body }) => {
        const owner = ownerOf(source, caller);
        const { add, errors } = checkRules(table, owner, body.rules, POWER_LIMITS);
        const at = { firstId: newSnowflake(now(), 0), now: now() };
        const { added } = table.change(owner, { add }, at);
        return {
          data: { rules: added.map(ruleJson) },
          ...(errors.length > 0 && { errors: withIds(errors, added) }),
        };
      }),
      http.serve(ofSource(POWERSTREAM.remove, source), ({ caller, body }) => {
        const owner = ownerOf(source, caller);
        const names = { id: 'id', value: 'value' };
        const { remove, errors } = findRules(table, owner, body.rules, names);
        table.change(owner, { remove }, { firstId: snowflake(now(), 0), now: now() });
        return {
          data: { deleted: remove.length, not_deleted: errors.length },
          ...(errors.length > 0 && { errors }),
        };
      }),
      http.serve(connect, ({ c, caller, query }) => {
        const host = originOf(c);
        const stream = {
          source,
          endpoint: connect,
          period: {
            backfill_minutes: query.backfillMinutes,
            start_time: query.startTime,
            end_time: query.endTime,
          },
          names: NAMES,
          ...(query.localDcOnly && ofDatacenter(now())),
          lines: {
            kind: 'powerstream',
            key: `powerstream ${host}`,
            line: ({ post }: MatchedPost, finder: PostFinder) => ({
              // The contents of a Post are not billed apart from it.
              json: { data: { id: String(post.row.id) } },
              text: exactJson([legacyPost(post, { finder, host })]),
            }),
          },
        } as const;
        return openPostStream({ ...deps, now }, { c, caller }, stream);
      }),
    ];
  };
  return [...of('posts'), ...of('sample')];
}
