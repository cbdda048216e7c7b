import type { SubscriptionObject } from '#contract/streams/activity.ts';
import type { AppSettings } from '#contract/accounts/apps.ts';
import type { Scope } from '#contract/accounts/scopes.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';
import type { TestService } from '#tests/support/service/service.ts';

export const SUBSCRIPTIONS = '/2/activity/subscriptions';

/** Members of the answers that tests read. */
interface Answer {
  readonly data: SubscriptionObject & {
    readonly subscription: SubscriptionObject;
    readonly id: string;
    readonly retweeted: boolean;
  };
  readonly meta: { readonly total_subscriptions: number };
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly { readonly message: string }[];
}

/** A page of subscriptions. */
export interface Listed {
  readonly data: readonly SubscriptionObject[];
  readonly meta: { readonly total_subscriptions: number; readonly next_token?: string };
}

type Headers = Readonly<Record<string, string>>;

/** Sends requests with a token, or signed in some other way. */
function client(service: TestService, headers: Headers) {
  const send = async <A = Answer>(method: string, path: string, body?: object) => {
    const answer = await service.request(path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: (await answer.json()) as A };
  };
  return {
    send,
    subscribe: (event_type: string, filter: object, more: object = {}, prefix = '') =>
      send('POST', prefix + SUBSCRIPTIONS, { event_type, filter, ...more }),
    /** A connection to the stream. */
    connect: async (parameters = '', prefix = '') => {
      const answer = await service.request(`${prefix}/2/activity/stream${parameters}`, { headers });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return linesOf(answer);
    },
  };
}
export type Client = ReturnType<typeof client>;

let apps = 0;

/** An app of a service, with an app-only token, and its users' tokens. */
export function activityApp(service: TestService, settings: Partial<AppSettings> = {}) {
  const name = `App ${apps++}`;
  const { secrets, apps: added } = service.auth.apps({
    action: 'add',
    name,
    settings: { access: 'enterprise', limited: false, ...settings },
  });
  const bearer = (token: string): Headers => ({ cookie: '', authorization: `Bearer ${token}` });
  return {
    id: added[0]?.id ?? '',
    name,
    secret: secrets?.api_key_secret ?? '',
    token: secrets?.bearer_token ?? '',
    ...client(service, bearer(String(secrets?.bearer_token))),
    /** Revokes one of its tokens. */
    revoke: async (token: string) => {
      const client_id = added[0]?.client_id ?? '';
      const client_secret = secrets?.client_secret ?? '';
      const answer = await service.request('/2/oauth2/revoke', {
        method: 'POST',
        headers: { cookie: '', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token, client_id, client_secret }).toString(),
      });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    },
    /** A user of the app. */
    user: (username: string, scopes?: readonly Scope[]) => {
      const { token, account } = service.auth.issueUserToken({
        name: username,
        app: name,
        limited: false,
        ...(scopes && { scopes }),
      });
      return { id: account.id, token, ...client(service, bearer(token)) };
    },
  };
}
