import * as v from 'valibot';
import { USERNAME } from '#contract/accounts/accounts.ts';
import { answerWith, answerWithMany, UserObject } from '#contract/answers.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHours } from '#contract/paging.ts';
import { onlyParameters, pathOf, values } from '#contract/parameters.ts';
import { USER_READ } from '#contract/counts/prices.ts';
import { USER_PARAMETERS, withUserSelection } from '#contract/posts/selection.ts';

function requestOf<T extends v.ObjectEntries>(more: T) {
  return v.pipe(onlyParameters({ ...more, ...USER_PARAMETERS }), withUserSelection());
}

const SCOPES = ['tweet.read', 'users.read'] as const;
const READING = {
  authentication: ['app', 'oauth1', 'oauth2', 'session'],
  scopes: SCOPES,
  level: 'read',
  price: USER_READ,
  /** By platform-facts-additions, section 3. */
  limits: quarterHours(300, 900),
} as const;

/** Users by id and by username: the accounts of this service, and those that Your posts knows. */
export const USERS = {
  many: endpoint('GET', '/2/users', {
    ...READING,
    response: answerWithMany(UserObject),
    query: requestOf({ ids: values('ids') }),
  }),
  named: endpoint('GET', '/2/users/by', {
    ...READING,
    response: answerWithMany(UserObject),
    query: requestOf({ usernames: values('usernames', USERNAME) }),
  }),
  byUsername: endpoint('GET', '/2/users/by/username/:username', {
    ...READING,
    response: answerWith(UserObject),
    query: requestOf({}),
    params: pathOf('username', USERNAME),
  }),
  me: endpoint('GET', '/2/users/me', {
    authentication: ['oauth1', 'oauth2'],
    scopes: SCOPES,
    level: 'read',
    limits: quarterHours(75),
    price: USER_READ,
    response: answerWith(UserObject),
    query: requestOf({}),
  }),
  one: endpoint('GET', '/2/users/:id', {
    ...READING,
    response: answerWith(UserObject),
    query: requestOf({}),
  }),
};
