import { PERMISSIONS, type Permission } from '#contract/accounts/apps.ts';
import type { Service } from './store.ts';

/** True if a permission is another one or includes it. */
export function includesPermission(permission: Permission, other: Permission): boolean {
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(other);
}

/**
 * The permission of an OAuth 1.0a token: never more than its user allowed, nor than its app has now.
 *
 * @param scopes - Those of its grant.
 * @param app - The permission of the app.
 */
export function tokenPermission(scopes: readonly string[], app: Permission): Permission {
  const allowed = PERMISSIONS.find((permission) => scopes.includes(permission)) ?? app;
  return includesPermission(app, allowed) ? allowed : app;
}

/** The permission that an account has allowed an app by OAuth 1.0a; null for none. */
export function permissionOf(
  { tokens }: Pick<Service, 'tokens'>,
  app: { readonly id: string; readonly settings: { readonly permission: Permission } },
  account: string,
): Permission | null {
  const all = tokens.oauth1Scopes(app.id, account);
  const given = all.map((scopes) => tokenPermission(scopes, app.settings.permission));
  return PERMISSIONS.findLast((permission) => given.includes(permission)) ?? null;
}
