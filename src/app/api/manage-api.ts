import type { AccountInfo, UserOrder } from '#contract/accounts/accounts.ts';
import type { AppOrder, AppsAnswer } from '#contract/accounts/apps.ts';
import { MANAGE, type TokenAnswer, type TokenRequest } from '#contract/accounts/manage.ts';
import type { Client } from './client.ts';

/** The accounts, apps and tokens of the service. */
export interface ManageApi {
  /** Carries out an order about accounts. @throws {Fault} 404 or 409 if it does not fit. */
  accounts(order: UserOrder): Promise<readonly AccountInfo[]>;
  /** Carries out an order about apps. Secrets are only in this answer. @throws {Fault} 404 or 409 if it does not fit. */
  apps(order: AppOrder): Promise<AppsAnswer>;
  /** Issues a token, which is only in this answer. @throws {Fault} 404 if the account or the app does not exist. */
  token(request: TokenRequest): Promise<TokenAnswer>;
}

/** The {@link ManageApi} of the service this page came from. The user waits for each call, so none is repeated. */
export function manageApi(client: Pick<Client, 'send'>): ManageApi {
  const { accounts, apps, token } = MANAGE;
  const options = () => ({ signal: new AbortController().signal });
  return {
    accounts: async (order) => {
      const { method, path, answer } = accounts;
      return (await client.send(method, path, order, answer, options())).accounts;
    },
    apps: (order) => client.send(apps.method, apps.path, order, apps.answer, options()),
    token: (request) => client.send(token.method, token.path, request, token.answer, options()),
  };
}
