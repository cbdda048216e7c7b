import { ALERTS, PAGE_MESSAGES, type AlertSettings } from '#contract/alerts/alerts.ts';
import { plainProblem } from '#contract/fault.ts';
import { alertInfo, backTestInfo, messageInfos } from '#server/alerts/alert-info.ts';
import { AlertError } from '#server/alerts/alerts.ts';
import { PlatformStop } from '#server/counting/platform-stop.ts';
import { WrongQueryError } from '#server/counting/wrong-query.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import { explained } from '#server/http/explained.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Caller } from '#server/auth/caller.ts';

/** A mistake keeps its sentence. */
const MISTAKES = [AlertError, FetchError, WrongQueryError, PlatformStop];

/** `/alerts`: the alerts of the caller's login, or, where nobody signs in, of this machine, and their messages. */
export function alertRoutes({ http, alerts }: ServiceContext): Route[] {
  const loginOf = ({ login }: Caller): string => login?.id ?? '';
  const checkChannels = ({ login }: Caller, { channels }: AlertSettings): void => {
    if (login?.role !== 'member' || channels.length === 0) return;
    const detail = `Only an administrator may send alerts to channels; ${login.name} is a member, whose alerts are on the page.`;
    throw plainProblem(403, 'Forbidden', detail);
  };
  return [
    http.serve(ALERTS.list, ({ caller }) => ({
      alerts: alerts.list(loginOf(caller)).map((alert) => alertInfo(alert, alerts)),
      kinds: caller.login?.role === 'member' ? [] : alerts.kinds,
    })),
    http.serve(ALERTS.add, async ({ caller, body }) => {
      checkChannels(caller, body);
      const added = await explained(MISTAKES, () => alerts.add(loginOf(caller), body));
      return { alert: alertInfo(added, alerts) };
    }),
    http.serve(ALERTS.backTest, async ({ caller, body }) =>
      backTestInfo(body, await explained(MISTAKES, () => alerts.backTest(loginOf(caller), body))),
    ),
    http.serve(ALERTS.test, async ({ caller, params: { id } }) => ({
      alert: alertInfo(await explained(MISTAKES, () => alerts.test(loginOf(caller), id)), alerts),
    })),
    http.serve(ALERTS.remove, ({ caller, params: { id } }) => ({
      removed: alerts.remove(loginOf(caller), id),
    })),
    http.serve(ALERTS.restore, async ({ caller, params: { id } }) => ({
      restored: await explained(MISTAKES, () => alerts.restore(loginOf(caller), id)),
    })),
    http.serve(ALERTS.messages, ({ caller, query: { mark: known, before } }) => {
      const login = loginOf(caller);
      const mark = alerts.mark(login);
      const isKnown = known === mark && before === undefined;
      const messages = isKnown ? null : messageInfos(alerts, login, PAGE_MESSAGES, before);
      return { messages, unread: alerts.unread(login), mark };
    }),
    http.serve(ALERTS.read, ({ caller, body: { until } }) => ({
      unread: alerts.read(loginOf(caller), Date.parse(until)),
    })),
  ];
}
