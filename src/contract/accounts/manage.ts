import * as v from 'valibot';
import { Username, AccountInfo, UserOrder } from './accounts.ts';
import { AppName, AppOrder, AppsAnswer } from './apps.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { SCOPES } from './scopes.ts';

/** The accounts after an order: all of a list, otherwise the one that was added, set or removed. */
export const AccountsAnswer = v.object({ accounts: v.array(AccountInfo) });
export type AccountsAnswer = v.InferOutput<typeof AccountsAnswer>;

const grantee = { username: Username, app: AppName };

/** The subject of a token to issue. The account and the app must exist. A token of OAuth 1.0a has no scopes. */
export const TokenRequest = v.variant('oauth1', [
  v.strictObject({
    ...grantee,
    oauth1: v.exactOptional(v.literal(false)),
    scopes: v.pipe(v.array(v.picklist(SCOPES)), v.minLength(1, 'must have at least one scope')),
  }),
  v.strictObject({ ...grantee, oauth1: v.literal(true) }),
]);
export type TokenRequest = v.InferOutput<typeof TokenRequest>;

/** An access token that does not expire. It is shown once. The secret and the key sign requests by OAuth 1.0a. */
const TokenAnswer = v.object({
  api_key: v.exactOptional(v.string()),
  /** Only that of the dedicated app, which the command line uses. */
  api_key_secret: v.exactOptional(v.string()),
  access_token_secret: v.exactOptional(v.string()),
  access_token: v.string(),
  id: v.string(),
  username: v.string(),
});
type TokenAnswer = v.InferOutput<typeof TokenAnswer>;

/** Only the dashboard's session manages accounts, apps and tokens. */
export const MANAGE = {
  accounts: sessionEndpoint('POST', '/accounts', { body: UserOrder, answer: AccountsAnswer }),
  apps: sessionEndpoint('POST', '/apps', { body: AppOrder, answer: AppsAnswer }),
  token: sessionEndpoint('POST', '/apps/tokens', { body: TokenRequest, answer: TokenAnswer }),
};
