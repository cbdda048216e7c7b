import * as v from 'valibot';
import { USERNAME } from './accounts.ts';
import { answerWith } from './answers.ts';
import { endpoint } from './endpoint.ts';
import { about, pathOf, unknownParameter } from './parameters.ts';

const MAX_NAME = 30;
const MAX_MEMBERS = 1000;

/** Name of a community, which identifies it on the command line whatever its case. */
export const CommunityName = v.pipe(
  v.string(),
  v.trim(),
  v.check(
    (name) => name !== '' && Array.from(name).length <= MAX_NAME,
    `must have 1 to ${MAX_NAME} characters`,
  ),
);

const username = v.pipe(v.string(), v.regex(USERNAME));

/** What to do with communities. Members are accounts of this service. */
export const CommunityOrder = v.variant('action', [
  v.strictObject({ action: v.literal('list') }),
  v.strictObject({
    action: v.literal('add'),
    name: CommunityName,
    members: v.pipe(v.array(username), v.maxLength(MAX_MEMBERS)),
  }),
  v.strictObject({ action: v.literal('remove'), name: CommunityName }),
  v.strictObject({ action: v.picklist(['join', 'leave']), name: CommunityName, username }),
]);
export type CommunityOrder = v.InferOutput<typeof CommunityOrder>;

/** A community with the usernames of its members. */
export const CommunityInfo = v.object({
  id: v.string(),
  name: v.string(),
  created_at: v.string(),
  members: v.array(v.string()),
});
export type CommunityInfo = v.InferOutput<typeof CommunityInfo>;

/** Fields that `community.fields` may name (platform-openapi, CommunityFieldsParameter). */
const FIELDS = [
  'access',
  'created_at',
  'description',
  'id',
  'join_policy',
  'member_count',
  'name',
] as const;

const PARAMETERS = {
  'community.fields': v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
      v.rawCheck(({ dataset, addIssue }) => {
        const known: readonly string[] = FIELDS;
        const odd = dataset.typed ? dataset.value.find((name) => !known.includes(name)) : undefined;
        if (odd === undefined) return;
        addIssue({
          message: `${about('community.fields', odd)} is not one of [${known.join(',')}]`,
        });
      }),
    ),
  ),
};

/** A community in an answer. */
const CommunityObject = v.looseObject({ id: v.string(), name: v.string() });

/** No document gives the limit; this one is that of user lookups by app (docs/decisions.md). */
const LIMIT = { requests: 300, windowSeconds: 900 };

/** Communities of this service. */
export const COMMUNITIES = {
  one: endpoint('GET', '/2/communities/:id', {
    authentication: ['app', 'oauth1', 'oauth2', 'session'],
    scopes: ['list.read', 'tweet.read', 'users.read'],
    level: 'read',
    limits: { app: LIMIT, user: LIMIT },
    query: v.strictObject(PARAMETERS, (issue) => unknownParameter(issue, PARAMETERS)),
    params: pathOf('id'),
    response: answerWith(CommunityObject),
  }),
};
