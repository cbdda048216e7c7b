import * as v from 'valibot';
import { DecimalId, Whole } from '#contract/members.ts';
import { bodyOf, idAt, objectAt, textIn } from '#contract/body.ts';
import { endpoint } from '#contract/endpoint.ts';
import { MOST_BACKFILL } from './filtered-stream.ts';
import {
  flag,
  instant,
  NO_PARAMETERS,
  onlyParameters,
  wholeBetween,
} from '#contract/parameters.ts';
import { POST_READ } from '#contract/counts/prices.ts';
import { fewAt, MOST_TEXT, Rule, RuleErrors, type RuleLimits } from './stream.ts';

/** Rules that an app may have, and characters of each (platform-facts, section 5). */
export const POWER_LIMITS: RuleLimits = { rules: 1000, characters: 2048 };

/** Most rules in a request (platform-facts, section 5). */
const MOST_IN_REQUEST = 100;

/** Requests that change rules, in 24 hours (platform-facts, section 5). */
const CHANGES = {
  limits: { app: { requests: 50, windowSeconds: 86_400 } },
  budget: 'powerstream rules',
} as const;

function rulesOf<T extends v.ObjectEntries>(entries: T) {
  return v.pipe(
    fewAt('rules', objectAt('rules', entries), MOST_IN_REQUEST),
    v.minLength(1, '$.rules: must not be empty'),
  );
}

const tag = v.optional(textIn('rules.tag', 0, MOST_TEXT));

const NewRules = bodyOf({
  rules: rulesOf({ value: textIn('rules.value', 0, MOST_TEXT), tag }),
});

/** Rules to delete, by id or value. With both, both must be those of the rule; the tag is ignored. */
const OldRules = bodyOf({
  rules: v.pipe(
    rulesOf({
      id: v.optional(idAt('rules.id')),
      value: v.optional(textIn('rules.value', 0, MOST_TEXT)),
      tag,
    }),
    v.check(
      (rules) => rules.every(({ id, value }) => id !== undefined || value !== undefined),
      '$.rules: every element must have an id or a value',
    ),
  ),
});

const rules = v.object({ rules: v.array(Rule) });

/** An id as a JSON number with all its digits, which may be beyond 2^53. */
const id = Whole;
const time = v.pipe(
  v.string(),
  v.regex(/^[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9:]{8} \+0000 [0-9]{4}$/),
);

const LegacyUser = v.looseObject({
  id: v.nullable(id),
  id_str: v.nullable(DecimalId),
  name: v.nullable(v.string()),
  screen_name: v.nullable(v.string()),
  followers_count: Whole,
  friends_count: Whole,
  listed_count: Whole,
  favourites_count: Whole,
  statuses_count: Whole,
});

const entities = v.array(v.looseObject({ indices: v.tuple([Whole, Whole]) }));

/** A Post of version 1.1. */
const LegacyPost = v.looseObject({
  created_at: time,
  id,
  id_str: DecimalId,
  text: v.string(),
  truncated: v.boolean(),
  entities: v.looseObject({
    hashtags: entities,
    symbols: entities,
    user_mentions: entities,
    urls: entities,
  }),
  in_reply_to_status_id: v.nullable(id),
  in_reply_to_status_id_str: v.nullable(DecimalId),
  user: v.nullable(LegacyUser),
  is_quote_status: v.boolean(),
  retweet_count: Whole,
  favorite_count: Whole,
  lang: v.nullable(v.string()),
});

/** The first line of a connection to the local datacenter. */
const ConnectionMetadata = v.object({
  type: v.literal('connection_metadata'),
  datacenter: v.string(),
  timestamp: Whole,
});

const SHARED = {
  source: 'specification, Additional operations; platform-facts-additions, section 5',
  authentication: ['app'],
  access: { levels: ['enterprise'], need: 'Powerstream needs' },
  level: 'read',
} as const;

/**
 * The Posts of Your posts that match the powerstream rules of an app, in the format of version 1.1, and those rules;
 * `ofSource` gives those of the sample.
 */
export const POWERSTREAM = {
  rules: endpoint('GET', '/2/powerstream/rules', {
    ...SHARED,
    query: NO_PARAMETERS,
    response: v.object({ data: rules }),
  }),
  add: endpoint('POST', '/2/powerstream/rules', {
    ...SHARED,
    ...CHANGES,
    query: NO_PARAMETERS,
    body: NewRules,
    maxBody: 4 * 2 ** 20,
    status: 201,
    response: v.object({ data: rules, errors: v.optional(RuleErrors) }),
  }),
  remove: endpoint('DELETE', '/2/powerstream/rules', {
    ...SHARED,
    ...CHANGES,
    query: NO_PARAMETERS,
    body: OldRules,
    maxBody: 4 * 2 ** 20,
    response: v.object({
      data: v.object({ deleted: Whole, not_deleted: Whole }),
      errors: v.optional(RuleErrors),
    }),
  }),
  connect: endpoint('GET', '/2/powerstream', {
    ...SHARED,
    price: POST_READ,
    query: onlyParameters({
      localDcOnly: v.optional(flag('localDcOnly'), 'false'),
      backfillMinutes: v.optional(wholeBetween('backfillMinutes', 0, MOST_BACKFILL), '0'),
      startTime: instant('startTime'),
      endTime: instant('endTime'),
    }),
    response: v.union([v.array(LegacyPost), ConnectionMetadata]),
    streams: true,
  }),
};
