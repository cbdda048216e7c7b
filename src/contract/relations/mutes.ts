import * as v from 'valibot';
import { pageOf, UserObject } from '#contract/answers.ts';
import { bodyOf, idAt } from '#contract/body.ts';
import {
  BLOCK_READ,
  MUTE_DELETE,
  MUTE_READ,
  PRIVACY_UPDATE,
  forOwner,
} from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour, userPage } from '#contract/paging.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';

const READING = {
  authentication: ['oauth1', 'oauth2'],
  level: 'read',
  query: userPage({ min: 1, max: 1000, default: 100 }),
} as const;
const WRITING = {
  authentication: ['oauth1', 'oauth2'],
  scopes: ['mute.write', 'tweet.read', 'users.read'],
  level: 'read-write',
  source: 'platform-facts-additions, section 9',
  query: NO_PARAMETERS,
  limits: { user: quarterHour(50) },
} as const;

export const MuteAnswer = v.object({ data: v.object({ muting: v.boolean() }) });
export type MuteAnswer = v.InferOutput<typeof MuteAnswer>;

/**
 * The users that a user mutes and blocks. Blocks are read-only: the platform has no operation that writes them.
 * Sources: platform-facts 1.5, sections 9 and 12; platform-facts-additions, section 9.
 */
export const MUTES = {
  muting: endpoint('GET', '/2/users/:id/muting', {
    price: forOwner(MUTE_READ),
    ...READING,
    source: 'GET /2/users/{id}/muting',
    scopes: ['mute.read', 'tweet.read', 'users.read'],
    limits: { user: quarterHour(15) },
    response: pageOf(UserObject),
  }),
  blocking: endpoint('GET', '/2/users/:id/blocking', {
    price: forOwner(BLOCK_READ),
    ...READING,
    source: 'GET /2/users/{id}/blocking',
    scopes: ['block.read', 'tweet.read', 'users.read'],
    limits: { user: quarterHour(15) },
    response: pageOf(UserObject),
  }),
  mute: endpoint('POST', '/2/users/:id/muting', {
    price: PRIVACY_UPDATE,
    ...WRITING,
    body: bodyOf({ target_user_id: idAt('target_user_id') }),
    response: MuteAnswer,
  }),
  unmute: endpoint('DELETE', '/2/users/:source_user_id/muting/:target_user_id', {
    price: MUTE_DELETE,
    ...WRITING,
    response: MuteAnswer,
  }),
};
