import type { AccountInfo } from '#contract/accounts/accounts.ts';
import type { AppInfo } from '#contract/accounts/apps.ts';
import type { TokenRequest } from '#contract/accounts/manage.ts';
import { SCOPES, type Scope } from '#contract/accounts/scopes.ts';
import type { Read, EntryValues } from '#app/settings/entry-form.svelte.ts';

/** The fields of the form for a token: each scope is a box. */
export type TokenField = 'username' | 'app' | 'kind' | 'scopes' | Scope;

/** The value of the field `kind` for a token of OAuth 1.0a. */
export const OAUTH1 = 'oauth1';

/** The values of the form for a new token: the first account, the first app OAuth 2.0 and every scope. */
export function tokenValues(
  accounts: readonly AccountInfo[],
  apps: readonly AppInfo[],
): EntryValues<TokenField> {
  const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, true])) as Record<Scope, boolean>;
  const whose = { username: accounts[0]?.username ?? '', app: apps[0]?.name ?? '' };
  return { ...whose, kind: 'oauth2', scopes: '', ...scopes };
}

/** Reads the form for a token. */
export function readToken(values: EntryValues<TokenField>): Read<TokenField, TokenRequest> {
  const whose = { username: String(values.username), app: String(values.app) };
  if (values.kind === OAUTH1) return { order: { ...whose, oauth1: true }, wrong: {} };
  const scopes = SCOPES.filter((scope) => values[scope] === true);
  if (scopes.length === 0) return { order: null, wrong: { scopes: 'Choose at least one scope.' } };
  return { order: { ...whose, scopes }, wrong: {} };
}
