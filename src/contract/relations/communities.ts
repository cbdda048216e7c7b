import * as v from 'valibot';
import { answerWith } from '#contract/answers.ts';
import { COMMUNITY_READ } from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHours } from '#contract/paging.ts';
import { about, onlyParameters, splitList } from '#contract/parameters.ts';

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
      v.transform(splitList),
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

/** No document gives the limit; this one is that of user lookups by app (docs/posts.md). */
const LIMITS = quarterHours(300);

/** Communities of this service. */
export const COMMUNITIES = {
  one: endpoint('GET', '/2/communities/:id', {
    price: COMMUNITY_READ,
    authentication: ['app', 'oauth1', 'oauth2', 'session'],
    scopes: ['list.read', 'tweet.read', 'users.read'],
    level: 'read',
    limits: LIMITS,
    query: onlyParameters(PARAMETERS),
    response: answerWith(CommunityObject),
  }),
};
