import type { AccountInfo } from '#contract/accounts.ts';
import type { AppInfo } from '#contract/apps.ts';
import type { TokenRequest } from '#contract/manage.ts';
import { SCOPES } from '#contract/scopes.ts';
import type { Scope } from '#contract/scopes.ts';
import type { Read, Values } from './entry-form.svelte.ts';

/** The fields of the form for a token: each scope is a box. */
export type TokenField = 'username' | 'app' | 'scopes' | Scope;

/** The values of the form for a new token: the first account, the first app and every scope. */
export function tokenValues(
  accounts: readonly AccountInfo[],
  apps: readonly AppInfo[],
): Values<TokenField> {
  const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, true])) as Record<Scope, boolean>;
  return { username: accounts[0]?.username ?? '', app: apps[0]?.name ?? '', scopes: '', ...scopes };
}

/** Reads the form for a token. */
export function readToken(values: Values<TokenField>): Read<TokenField, TokenRequest> {
  const scopes = SCOPES.filter((scope) => values[scope] === true);
  if (scopes.length === 0) return { order: null, wrong: { scopes: 'Choose at least one scope.' } };
  const order = { username: String(values.username), app: String(values.app), scopes };
  return { order, wrong: {} };
}
