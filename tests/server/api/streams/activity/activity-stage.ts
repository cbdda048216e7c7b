import type { AppSettings } from '#contract/accounts/apps.ts';
import type { Scope } from '#contract/accounts/scopes.ts';
import { bearer, person, program, type Caller } from '#tests/support/service/callers.ts';
import type { TestService } from '#tests/support/service/service.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';

export const SUBSCRIPTIONS = '/2/activity/subscriptions';

/** A caller that subscribes to events and receives them. */
const subscriber = <T extends Caller>(service: TestService, token: string, caller: T) => ({
  ...caller,
  subscribe: (event_type: string, filter: object, more: object = {}, prefix = '') =>
    caller.post(prefix + SUBSCRIPTIONS, { event_type, filter, ...more }),
  /** A connection to the stream. */
  connect: async (parameters = '', prefix = '') => {
    const path = `${prefix}/2/activity/stream${parameters}`;
    const answer = await service.request(path, { headers: bearer(token) });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    return linesOf(answer);
  },
});

/** An app of a service, with an app-only token, and its users' tokens. */
export function activityApp(service: TestService, settings: Partial<AppSettings> = {}) {
  const app = program(service, settings);
  return {
    ...subscriber(service, app.bearer_token, app),
    /** Revokes one of its tokens. */
    revoke: async (token: string) => {
      const { client_id, client_secret = '' } = app;
      const answer = await service.request('/2/oauth2/revoke', {
        method: 'POST',
        headers: { cookie: '' },
        body: new URLSearchParams({ token, client_id, client_secret }),
      });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    },
    /** A user of the app. */
    user: (username: string, scopes?: readonly Scope[]) => {
      const user = person(service, username, { app: app.name, ...(scopes && { scopes }) });
      return subscriber(service, user.token, user);
    },
  };
}
