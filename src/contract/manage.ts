import * as v from 'valibot';
import { AccountInfo, USERNAME, UserOrder } from './accounts.ts';
import { AppName, AppOrder, AppsAnswer } from './apps.ts';
import { endpoint } from './endpoint.ts';
import { NO_PARAMETERS } from './parameters.ts';
import { SCOPES } from './scopes.ts';

/** The accounts after an order: all of a list, otherwise the one that was added, set or removed. */
export const AccountsAnswer = v.object({ accounts: v.array(AccountInfo) });
export type AccountsAnswer = v.InferOutput<typeof AccountsAnswer>;

/** What to issue a token for. The account and the app must exist. */
export const TokenRequest = v.strictObject({
  username: v.pipe(v.string(), v.regex(USERNAME)),
  app: AppName,
  scopes: v.pipe(v.array(v.picklist(SCOPES)), v.minLength(1, 'must have at least one scope')),
});
export type TokenRequest = v.InferOutput<typeof TokenRequest>;

/** An OAuth 2.0 access token that does not expire. It is shown once. */
export const TokenAnswer = v.object({
  access_token: v.string(),
  id: v.string(),
  username: v.string(),
});
export type TokenAnswer = v.InferOutput<typeof TokenAnswer>;

/** Only the dashboard's session manages accounts, apps and tokens. */
export const MANAGE = {
  accounts: endpoint('POST', '/accounts', {
    authentication: ['session'],
    query: NO_PARAMETERS,
    body: UserOrder,
    answer: AccountsAnswer,
  }),
  apps: endpoint('POST', '/apps', {
    authentication: ['session'],
    query: NO_PARAMETERS,
    body: AppOrder,
    answer: AppsAnswer,
  }),
  token: endpoint('POST', '/apps/tokens', {
    authentication: ['session'],
    query: NO_PARAMETERS,
    body: TokenRequest,
    answer: TokenAnswer,
  }),
};
