import { handlesText } from '#server/users/handles.ts';
import type { Context } from 'hono';
import type * as v from 'valibot';
import { plainProblem } from '#contract/fault.ts';
import { MANAGE } from '#contract/accounts/manage.ts';
import { AppError } from '#server/auth/apps.ts';
import { MAX_BODY, readNested } from '#server/http/json-body.ts';
import type { Route } from '#server/http/serve.ts';
import { AccountError } from '#server/users/accounts.ts';
import { orderAndApprove } from '#server/users/follow-requests.ts';
import type { ServiceContext } from '#server/context.ts';

/** The reason a field is wrong. The contract's own rules are written to follow the value. */
function messageOf({ message, input }: v.BaseIssue<unknown>, path: string): string {
  const isWhole = message.startsWith('Invalid ') || message.startsWith(String(input));
  return `The field \`${path}\` is wrong: ${isWhole ? '' : `[${JSON.stringify(input)}] `}${message}.`;
}

/** Reads an order. */
function readOrder<T>(c: Context, schema: v.GenericSchema<unknown, T>): Promise<T> {
  return readNested(c, schema, MAX_BODY, messageOf);
}

/** Carries out an order. An order that does not fit becomes 404 or 409. */
async function carriedOut<T>(order: () => T | Promise<T>): Promise<T> {
  try {
    return await order();
  } catch (error) {
    if (!(error instanceof AppError || error instanceof AccountError)) throw error;
    throw error.reason === 'missing'
      ? plainProblem(404, 'Not Found', error.message)
      : plainProblem(409, 'Conflict', error.message);
  }
}

/**
 * `POST /accounts` and `POST /apps` carry out orders about accounts and apps; `POST /apps/tokens` issues a user's token,
 * whose limits are those of its app. Only the answers to adding, rotating and issuing have secrets.
 */
export function manage({ http, auth, service, editor }: ServiceContext): Route[] {
  const options = { body: readOrder };
  return [
    http.serve(
      MANAGE.accounts,
      async ({ body }) => ({
        accounts: await carriedOut(() =>
          orderAndApprove(auth.accounts, () => handlesText(service), editor, body),
        ),
      }),
      options,
    ),
    http.serve(MANAGE.apps, ({ body }) => carriedOut(() => auth.apps(body)), options),
    http.serve(
      MANAGE.token,
      ({ body }) =>
        carriedOut(() => {
          const { username, app } = body;
          if (!service.findAccount(username)) {
            throw new AccountError(`There is no account @${username}.`);
          }
          const kind = body.oauth1 ? { oauth1: true } : { scopes: body.scopes };
          const grant = { name: username, app, ...kind, limited: true };
          const { token, account, signing } = auth.issueUserToken(grant);
          return { ...signing, access_token: token, ...account };
        }),
      options,
    ),
  ];
}
