import * as v from 'valibot';
import { DecimalId, Time, Whole } from '#contract/members.ts';
import type { Access } from '#contract/accounts/access.ts';
import { ENTERPRISE_RULES } from '#contract/accounts/apps.ts';
import { bodyOf, idAt, listAt, objectAt, textIn } from '#contract/body.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';
import { about, flag, onlyParameters, values, wholeBetween } from '#contract/parameters.ts';
import { listOf } from '#contract/posts/selection.ts';

/** Rules that an app may have, and characters of each (platform-facts, section 5). */
export interface RuleLimits {
  readonly rules: number;
  readonly characters: number;
}

/** The limits of an access level. @param setting - Rules that the app's settings allow under enterprise access. */
export function ruleLimits(access: Access, setting: number | null = null): RuleLimits {
  return access === 'enterprise'
    ? { rules: Math.max(ENTERPRISE_RULES, setting ?? 0), characters: 2048 }
    : { rules: 1000, characters: 1024 };
}

/** Most rules that one request adds or deletes, so that no other request waits long. */
export const MOST_PER_REQUEST = 1000;

/** Most characters of a text of the request; those of a value are limited by the access level. */
export const MOST_TEXT = 4096;

/** A list in a body with a limited number of elements. */
export function fewAt<S extends v.GenericSchema>(path: string, element: S, most: number) {
  return v.pipe(
    listAt(path),
    v.metadata({ element }),
    v.check(
      (list) => list.length <= most,
      ({ input }) => `$.${path}: must have at most ${most} elements, got ${input.length}`,
    ),
    v.array(element),
  );
}

/** Body of `POST /2/tweets/search/stream/rules`. */
export const RulesRequest = bodyOf({
  add: v.optional(
    fewAt(
      'add',
      objectAt('add', {
        value: textIn('add.value', 0, MOST_TEXT),
        tag: v.optional(textIn('add.tag', 0, MOST_TEXT)),
      }),
      MOST_PER_REQUEST,
    ),
  ),
  delete: v.optional(
    objectAt('delete', {
      ids: v.optional(fewAt('delete.ids', idAt('delete.ids'), MOST_PER_REQUEST)),
      values: v.optional(
        fewAt('delete.values', textIn('delete.values', 0, MOST_TEXT), MOST_PER_REQUEST),
      ),
    }),
  ),
});
export type RulesRequest = v.InferOutput<typeof RulesRequest>;

/** Page tokens of rules have exactly 16 characters (platform-openapi, getRules). */
const PAGE_TOKEN = /^[\w-]{16}$/;

const PageRequest = onlyParameters({
  ids: v.optional(values('ids')),
  max_results: v.optional(wholeBetween('max_results', 1, 1000), '1000'),
  pagination_token: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        PAGE_TOKEN,
        ({ input }) => `${about('pagination_token', input)} is not a valid token`,
      ),
    ),
  ),
});

/** Fields that `rules_count.fields` may name (platform-openapi, RulesCountFieldsParameter). */
const COUNT_FIELDS = [
  'all_project_client_apps',
  'cap_per_client_app',
  'cap_per_project',
  'client_app_rules_count',
  'project_rules_count',
] as const;

/** A rule as answers have it. */
export const Rule = v.object({
  id: v.optional(DecimalId),
  value: v.string(),
  tag: v.optional(v.string()),
});
const AppRules = v.object({ client_app_id: DecimalId, rule_count: Whole });

/** The faults of the rules of a request. */
export const RuleErrors = v.array(v.looseObject({ title: v.string(), type: v.string() }));

const RulesPage = v.object({
  data: v.optional(v.array(Rule)),
  meta: v.object({ sent: Time, result_count: Whole, next_token: v.optional(v.string()) }),
});

const RulesChange = v.object({
  data: v.optional(v.array(Rule)),
  meta: v.object({
    sent: Time,
    summary: v.union([
      v.object({ created: Whole, not_created: Whole, valid: Whole, invalid: Whole }),
      v.object({ deleted: Whole, not_deleted: Whole }),
    ]),
  }),
  errors: v.optional(RuleErrors),
});

const RulesCount = v.object({
  data: v.object({
    cap_per_client_app: v.optional(Whole),
    cap_per_project: v.optional(Whole),
    client_app_rules_count: v.optional(AppRules),
    project_rules_count: v.optional(Whole),
    all_project_client_apps: v.optional(v.array(AppRules)),
  }),
});

const RULES = {
  authentication: ['app', 'session'],
  source: 'GET, POST /2/tweets/search/stream/rules',
} as const;

/**
 * Rules of the filtered stream of Your posts, by app; `ofSource` gives those of the sample. Sources: platform-facts 1.5
 * and section 5; platform-facts-additions, section 5.
 */
export const STREAM_RULES = {
  list: endpoint('GET', '/2/tweets/search/stream/rules', {
    ...RULES,
    level: 'read',
    limits: { app: quarterHour(450) },
    query: PageRequest,
    response: RulesPage,
  }),
  change: endpoint('POST', '/2/tweets/search/stream/rules', {
    ...RULES,
    level: 'read',
    limits: { app: quarterHour(100) },
    query: onlyParameters({
      dry_run: v.optional(flag('dry_run'), 'false'),
      delete_all: v.optional(flag('delete_all'), 'false'),
    }),
    body: RulesRequest,
    maxBody: 8 * 2 ** 20,
    otherStatuses: [201],
    response: RulesChange,
  }),
  counts: endpoint('GET', '/2/tweets/search/stream/rules/counts', {
    ...RULES,
    source: 'platform-facts, section 5',
    level: 'read',
    limits: { app: quarterHour(450) },
    query: onlyParameters({ 'rules_count.fields': listOf('rules_count.fields', COUNT_FIELDS) }),
    response: RulesCount,
  }),
};
