import * as v from 'valibot';
import type { Client } from '#app/api/client.ts';
import { NEW_PROFILE, type AccountInfo, type UserOrder } from '#contract/accounts/accounts.ts';
import { NEW_APP, type AppInfo, type AppOrder, type AppsAnswer } from '#contract/accounts/apps.ts';
import { COLLECTIONS, type CollectionInfo } from '#contract/posts/collections.ts';
import { DELIVERIES, type DeliveriesAnswer } from '#contract/streams/deliveries.ts';
import { plainProblem } from '#contract/fault.ts';
import {
  PLATFORM_CONNECTION,
  type CheckAnswer,
  type ConnectionAnswer,
} from '#contract/counts/platform-connection.ts';
import { MANAGE } from '#contract/accounts/manage.ts';
import { USAGE, type AppBill } from '#contract/accounts/usage.ts';
import {
  RULES_ON_PAGE,
  STREAMS,
  SUBSCRIPTIONS_ON_PAGE,
  type ConnectionInfo,
  type RulesAnswer,
  type StreamsAnswer,
  type SubscriptionInfo,
} from '#contract/streams/streams.ts';

const CREATED = '2026-11-20T10:00:00.000Z';

/** An account as the service lists it. */
export function account(username: string, over: Partial<AccountInfo> = {}): AccountInfo {
  const id = String(username.split('').reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  return { id, username, name: username, ...NEW_PROFILE, created_at: CREATED, ...over };
}

/** An app as the service lists it. */
export function app(name: string, over: Partial<AppInfo> = {}): AppInfo {
  const keys = { api_key: `key of ${name}`, client_id: `client of ${name}` };
  return { id: name, name, ...NEW_APP, ...keys, created_at: CREATED, ...over };
}

/** Carries out orders about accounts, apps and connections as the service does. Every body must be valid by the contract. */
export class MemoryService implements Pick<Client, 'send' | 'json'> {
  accounts: AccountInfo[];
  apps: AppInfo[];
  streams: StreamsAnswer = {
    apps: { count: 0, most: [] },
    open: { count: 0, newest: [] },
    past: { count: 0, newest: [] },
  };
  /** Rules by source and id of the app, such as `posts 1`. */
  rules: Readonly<Record<string, RulesAnswer['rules']>> = {};
  /** Subscriptions by source and id of the app. */
  subscriptions: Readonly<Record<string, readonly SubscriptionInfo[]>> = {};
  #deleted: { readonly key: string; readonly one: SubscriptionInfo }[] = [];
  connection: ConnectionAnswer = { from: 'environment', host: 'api.x.com', fault: null };
  /** The result of the next check. */
  found: CheckAnswer = { status: 200, detail: null, usage: null, archive: null, price: 0 };
  deliveries: DeliveriesAnswer = { webhooks: [], dead_letters: [], replays: [] };
  bills: readonly AppBill[] = [];
  collections: readonly CollectionInfo[] = [];
  #removed: readonly CollectionInfo[] = [];
  /** Every body except lists, in order. */
  readonly sent: unknown[] = [];
  /** Thrown by the next call. */
  fails: Error | null = null;
  /** Held back while set. */
  hold: Promise<void> | null = null;
  #generation = 0;

  constructor(accounts: readonly AccountInfo[] = [], apps: readonly AppInfo[] = [app('Scripts')]) {
    this.accounts = [...accounts];
    this.apps = [...apps];
  }

  async send<T>(
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    body: unknown,
    schema: v.GenericSchema<unknown, T>,
  ): Promise<T> {
    if (path.startsWith(PLATFORM_CONNECTION.info.path)) {
      return v.parse(schema, await this.#connection(method, body));
    }
    if (path.startsWith(STREAMS.subscriptions.path)) {
      return v.parse(schema, await this.#subscription(method, path));
    }
    if (path.startsWith(COLLECTIONS.list.path)) {
      return v.parse(schema, await this.#collection(method, path, body));
    }
    if (method === STREAMS.end.method) return v.parse(schema, await this.#end(path));
    const endpoint = Object.values(MANAGE).find((endpoint) => endpoint.path === path);
    if (method !== endpoint?.method) throw new Error(`expected no ${method} ${path}`);
    v.parse(endpoint.body, body);
    await this.#ready();
    const { action } = body as { action?: string };
    if (action !== 'list') this.sent.push(body);
    return v.parse(schema, this.#answer(path, body));
  }

  async json<T>(path: string, schema: v.GenericSchema<unknown, T>): Promise<T> {
    await this.#ready();
    const { pathname, searchParams } = new URL(path, 'https://service.test');
    if (pathname === STREAMS.overview.path) return v.parse(schema, this.streams);
    if (pathname === PLATFORM_CONNECTION.info.path) return v.parse(schema, this.connection);
    if (pathname === COLLECTIONS.list.path) {
      return v.parse(schema, {
        collections: this.collections,
        removed: this.#removed.map(({ id, name }) => ({ id, name, restorable_until: CREATED })),
      });
    }
    if (pathname === USAGE.bills.path) {
      const query = v.parse(USAGE.bills.query, Object.fromEntries(searchParams));
      return v.parse(schema, { data: this.bills.filter(({ id }) => id === query.app) });
    }
    if (pathname === DELIVERIES.path) return v.parse(schema, this.deliveries);
    if (pathname === STREAMS.subscriptions.path) {
      return v.parse(schema, this.#subscriptionPage(searchParams));
    }
    if (pathname !== STREAMS.rules.path) throw new Error(`expected no GET ${path}`);
    const { app, source, stream, after } = v.parse(
      STREAMS.rules.query,
      Object.fromEntries(searchParams),
    );
    const all = this.rules[`${stream} ${source} ${app}`] ?? [];
    const from = all.findIndex(({ id }) => id === after) + 1;
    const rules = all.slice(from, from + RULES_ON_PAGE);
    const last = rules.at(-1);
    return v.parse(schema, { rules, next: last === all.at(-1) ? null : (last?.id ?? null) });
  }

  /** Changes, removes or restores a collection. */
  async #collection(method: string, path: string, body: unknown): Promise<unknown> {
    await this.#ready();
    this.sent.push(`${method} ${path}`);
    const id = path.split('/')[2];
    const [found] = [...this.collections, ...this.#removed].filter(
      (collection) => collection.id === id,
    );
    if (!found) throw new Error(`expected no ${method} ${path}`);
    const others = this.collections.filter((collection) => collection.id !== id);
    if (method === 'DELETE') {
      this.collections = others;
      this.#removed = [found];
      return { deleted: true, restorable_until: CREATED };
    }
    this.#removed = this.#removed.filter((collection) => collection.id !== id);
    const change = method === 'PUT' ? v.parse(COLLECTIONS.change.body, body) : {};
    if (others.some(({ name }) => name === change.name)) {
      const message = `Another collection is named “${change.name ?? ''}”.`;
      throw plainProblem(409, 'Conflict', message);
    }
    this.collections = [...others, { ...found, ...change }].sort((a, b) => (a.id < b.id ? -1 : 1));
    return method === 'PUT' ? { changed: true } : { restored: true };
  }

  async #ready(): Promise<void> {
    await this.hold;
    const { fails } = this;
    this.fails = null;
    if (fails) throw fails;
  }

  /** Connects, checks or disconnects the platform. */
  async #connection(method: string, body: unknown): Promise<unknown> {
    await this.#ready();
    this.sent.push(method === 'DELETE' ? method : body);
    if (method === 'POST') return this.found;
    const from = method === 'PUT' ? 'settings' : null;
    this.connection = { ...this.connection, from, fault: null };
    return from ? this.found : this.connection;
  }

  #subscriptionPage(parameters: URLSearchParams) {
    const { query } = STREAMS.subscriptions;
    const { app, source, type, after = '0' } = v.parse(query, Object.fromEntries(parameters));
    const all = this.subscriptions[`${source} ${app}`] ?? [];
    const found = all.filter(
      (subscription) =>
        Number(subscription.id) > Number(after) &&
        (type === undefined || subscription.type === type),
    );
    const subscriptions = found.slice(0, SUBSCRIPTIONS_ON_PAGE);
    const names = [...new Set(all.map((subscription) => subscription.type))].sort();
    return {
      subscriptions,
      types: names.map((name) => ({
        type: name,
        count: all.filter((subscription) => subscription.type === name).length,
      })),
      next: found.length > subscriptions.length ? (subscriptions.at(-1)?.id ?? null) : null,
    };
  }

  /** Deletes a subscription, or restores it. */
  async #subscription(method: string, path: string): Promise<unknown> {
    await this.#ready();
    this.sent.push(`${method} ${path}`);
    const id = path.split('/')[3];
    const put = (key: string, change: (all: readonly SubscriptionInfo[]) => SubscriptionInfo[]) => {
      const all = change(this.subscriptions[key] ?? []);
      this.subscriptions = { ...this.subscriptions, [key]: all };
      const [source, app] = key.split(' ') as ['posts' | 'sample', string];
      const most = this.streams.apps.most.map((each) =>
        each.id === app
          ? { ...each, subscriptions: { ...each.subscriptions, [source]: all.length } }
          : each,
      );
      this.streams = { ...this.streams, apps: { ...this.streams.apps, most } };
    };
    if (method === 'POST') {
      const deleted = this.#deleted.find(({ one }) => one.id === id);
      if (!deleted) throw plainProblem(404, 'Not Found', 'It can no longer be restored.');
      put(deleted.key, (all) => [...all, deleted.one].sort((a, b) => Number(a.id) - Number(b.id)));
      return { restored: true };
    }
    for (const [key, all] of Object.entries(this.subscriptions)) {
      const subscription = all.find((other) => other.id === id);
      if (!subscription) continue;
      this.#deleted.push({ key, one: subscription });
      put(key, (others) => others.filter((other) => other !== subscription));
      return { deleted: true };
    }
    throw plainProblem(404, 'Not Found', `There is no subscription with the id [${id}].`);
  }

  async #end(path: string): Promise<unknown> {
    await this.#ready();
    const [, id] = /^\/streams\/connections\/([0-9a-f-]{36})$/.exec(path) ?? [];
    const { open, past } = this.streams;
    const found = open.newest.find((connection) => connection.id === id);
    if (!found) throw plainProblem(404, 'Not Found', `There is no open connection ${id}.`);
    this.sent.push(path);
    const disconnected_at = '2026-11-20T12:00:00.000Z';
    const ended: ConnectionInfo = { ...found, disconnected_at, reason: 'operator_disconnect' };
    const left = open.newest.filter((connection) => connection !== found);
    this.streams = {
      ...this.streams,
      open: { count: open.count - 1, newest: left },
      past: { count: past.count + 1, newest: [ended, ...past.newest] },
    };
    return { ended: true };
  }

  #answer(path: string, body: unknown): unknown {
    if (path === MANAGE.accounts.path) return { accounts: this.#account(body as UserOrder) };
    if (path === MANAGE.apps.path) return this.#app(body as AppOrder);
    const { username, oauth1 } = body as { username: string; oauth1?: boolean };
    const signing = { api_key: 'the key', access_token_secret: `second secret of ${username}` };
    return {
      ...(oauth1 && signing),
      access_token: `secret token of ${username}`,
      id: '1',
      username,
    };
  }

  #account(order: UserOrder): AccountInfo[] {
    if (order.action === 'list') return this.accounts;
    const before = this.accounts.find(({ username }) => username === order.username);
    if (order.action === 'add') {
      if (before) {
        const detail = `The account @${before.username} exists already.`;
        throw plainProblem(409, 'Conflict', detail);
      }
      const added = account(order.username, order.profile as Partial<AccountInfo>);
      this.accounts.push(added);
      return [added];
    }
    if (!before) throw plainProblem(404, 'Not Found', `There is no account @${order.username}.`);
    const rest = this.accounts.filter((each) => each !== before);
    if (order.action === 'remove') {
      this.accounts = rest;
      return [before];
    }
    const changed = { ...before, ...(order.profile as Partial<AccountInfo>) };
    this.accounts = this.accounts.map((each) => (each === before ? changed : each));
    return [changed];
  }

  #app(order: AppOrder): AppsAnswer {
    if (order.action === 'list') return { apps: this.apps };
    const before = this.apps.find(({ name }) => name === order.name);
    const number = ++this.#generation;
    const secrets = {
      api_key_secret: `secret key ${number}`,
      bearer_token: `secret bearer ${number}`,
      client_secret: `secret client ${number}`,
    };
    if (order.action === 'add') {
      const added = app(order.name, order.settings as Partial<AppInfo>);
      this.apps.push(added);
      return { apps: [added], secrets };
    }
    if (!before) throw plainProblem(404, 'Not Found', `There is no app named ${order.name}.`);
    if (order.action === 'remove') {
      this.apps = this.apps.filter((each) => each !== before);
      return { apps: [before] };
    }
    if (order.action === 'rotate') return { apps: [before], secrets };
    const changed = { ...before, ...(order.settings as Partial<AppInfo>) };
    this.apps = this.apps.map((each) => (each === before ? changed : each));
    return { apps: [changed] };
  }
}
