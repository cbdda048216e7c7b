import type { Permission } from '#contract/accounts/apps.ts';
import { EVENT_TYPES, eventRule, type EventType } from '#contract/streams/events.ts';
import { includesPermission, permissionOf } from './permission.ts';
import type { Service } from './store.ts';

/** The permissions that an account has given an app. */
export interface Granted {
  /** By OAuth 1.0a, which then decides alone; null if it has allowed nothing so. */
  readonly permission: Permission | null;
  /** By OAuth 2.0. */
  readonly scopes: { has(scope: string): boolean };
}

/** True if what an account has allowed covers its private events of a type (specification, Authentication 3). */
export function covers({ permission, scopes }: Granted, type: EventType): boolean {
  const { private: need } = eventRule(type);
  if (!need) return true;
  if (permission === null) return scopes.has(need.scope);
  return includesPermission(permission, need.permission);
}

/** Types of private events that an app may receive about an account. @param now - Epoch ms. */
export function coveredTypes(
  service: Pick<Service, 'tokens' | 'apps'>,
  app: string,
  account: string,
  now: number,
): readonly EventType[] {
  const stored = service.apps.byId(app);
  if (!stored) return [];
  const permission = permissionOf(service, stored, account);
  const scopes = service.tokens.scopesOf(app, account, now);
  return EVENT_TYPES.filter(
    (type) => eventRule(type).private !== null && covers({ permission, scopes }, type),
  );
}
