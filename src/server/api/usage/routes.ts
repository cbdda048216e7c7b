import { plainProblem } from '#contract/fault.ts';
import { USAGE } from '#contract/accounts/usage.ts';
import { appBills, cycleStart, DASHBOARD, firstOf } from '#server/billing/app-bill.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import { usageOf } from './usage.ts';

/** `GET /2/usage/tweets`: the Posts that an app read. `GET /usage`: what apps paid. */
export function usage({ http, service, charges, credits, now }: ServiceContext): Route[] {
  const { bills, apps } = service;
  const billOf = appBills({ service, charges, credits });
  return [
    http.serve(USAGE.posts, ({ caller: { app }, query: { days, 'usage.fields': fields } }) => {
      // Every token belongs to an app.
      if (!app) throw plainProblem(403, 'Forbidden');
      const at = now();
      const since = Math.min(firstOf(days, at), cycleStart(at));
      return usageOf(app.id, bills.of(app.id, since), days, fields, at);
    }),
    http.serve(USAGE.bills, ({ query: { days, app: id } }) => {
      const billed = [...apps.all(), DASHBOARD].filter((app) => id === undefined || app.id === id);
      if (billed.length === 0) throw plainProblem(404, 'Not Found', `There is no app ${id}.`);
      return { data: billed.map((app) => billOf(app, days, now())) };
    }),
  ];
}
