import {
  NEW_APP,
  type AppInfo,
  type AppOrder,
  type AppSecrets,
  type AppSettings,
  type AppsAnswer,
} from '#contract/accounts/apps.ts';
import { formatInstant } from '#contract/instant.ts';
import { DEFAULT_APP, type StoredApp } from './app-table.ts';
import { hashOf } from './hash.ts';
import type { IssuingDeps } from './secrets.ts';
import type { Service } from './store.ts';
import { newId, randomText } from '#server/random.ts';

/**
 * An order about apps that does not fit: `missing` if the app or its owner does not exist, `conflict` if the app exists
 * already or cannot be removed.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly reason: 'missing' | 'conflict';

  constructor(message: string, reason: AppError['reason'] = 'missing') {
    super(message);
    this.reason = reason;
  }
}

function infoOf(service: Service, app: StoredApp): AppInfo {
  const { id, name, settings, apiKey, clientId, createdAt } = app;
  const owner = app.owner === null ? null : (service.accountOf(app.owner)?.username ?? null);
  const created_at = formatInstant(createdAt);
  return { id, name, ...settings, owner, api_key: apiKey, client_id: clientId, created_at };
}

/** Adds the app-only token of an app to those that are accepted, and returns it. */
export function appOnlyToken(
  { service, secrets, now }: Omit<IssuingDeps, 'random'>,
  app: StoredApp,
): string {
  const token = secrets.bearerToken(app);
  service.tokens.add({
    hash: hashOf(token),
    kind: 'bearer',
    app: app.id,
    access: null,
    limited: null,
    createdAt: now(),
    expiresAt: null,
    family: null,
    grant: null,
  });
  return token;
}

function secretsOf(deps: IssuingDeps, app: StoredApp): AppSecrets {
  const { secrets } = deps;
  return {
    api_key_secret: secrets.apiKeySecret(app),
    bearer_token: appOnlyToken(deps, app),
    ...(app.settings.client === 'confidential' && { client_secret: secrets.clientSecret(app) }),
  };
}

/** Settings with the owner by id. */
function storedSettings(
  service: Service,
  { owner, ...settings }: AppSettings,
): Pick<StoredApp, 'settings' | 'owner'> {
  const account = owner === null ? null : service.findAccount(owner);
  if (account === undefined) throw new AppError(`There is no account @${String(owner)}.`);
  return { settings, owner: account?.id ?? null };
}

function added(deps: IssuingDeps, name: string, settings: Partial<AppSettings>): AppsAnswer {
  const { service, now, random } = deps;
  const app: StoredApp = {
    id: newId(deps),
    name,
    ...storedSettings(service, { ...NEW_APP, ...settings }),
    apiKey: randomText(random, 18),
    clientId: randomText(random, 24),
    generation: 1,
    bearer: 1,
    creditsSet: 0,
    createdAt: now(),
  };
  if (!service.apps.add(app)) throw new AppError(`The app ${name} exists already.`, 'conflict');
  return { apps: [infoOf(service, app)], secrets: secretsOf(deps, app) };
}

/**
 * Carries out an order about apps. A change is durable when this returns.
 *
 * @returns The apps after it: all of a list, otherwise the one that was added, set, rotated or removed. Secrets are in
 *   the answer to adding and rotating, and never again.
 * @throws {@link AppError} for an app that exists already or does not exist, an owner that does not exist, and the
 *   removal of the dedicated app.
 */
export function orderApps(deps: IssuingDeps, order: AppOrder): AppsAnswer {
  const { service, secrets, random } = deps;
  if (order.action === 'list') {
    return { apps: service.apps.all().map((app) => infoOf(service, app)) };
  }
  // Orders come as JSON, which has no undefined members.
  if (order.action === 'add')
    return added(deps, order.name, order.settings as Partial<AppSettings>);
  const app = service.apps.byName(order.name);
  if (!app) throw new AppError(`There is no app named ${order.name}.`);
  if (order.action === 'remove') {
    if (app.id === DEFAULT_APP) {
      throw new AppError(
        `The app ${app.name} holds the tokens of the command line and cannot be removed.`,
        'conflict',
      );
    }
    const info = infoOf(service, app);
    service.apps.remove(app.id);
    return { apps: [info] };
  }
  if (order.action === 'rotate') {
    service.tokens.remove(hashOf(secrets.bearerToken(app)));
    const apiKey = randomText(random, 18);
    const rotated = { ...app, apiKey, generation: app.generation + 1 };
    service.apps.put(rotated);
    return { apps: [infoOf(service, rotated)], secrets: secretsOf(deps, rotated) };
  }
  const { owner } = infoOf(service, app);
  const settings = {
    ...app.settings,
    owner,
    ...(order.settings as Partial<AppSettings>),
  };
  // Bills from before no longer count.
  const creditsSet = app.creditsSet + (order.settings.credits === undefined ? 0 : 1);
  const changed = { ...app, ...storedSettings(service, settings), creditsSet };
  service.apps.put(changed);
  return { apps: [infoOf(service, changed)] };
}
