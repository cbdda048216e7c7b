import { plainProblem } from '#contract/fault.ts';
import { USAGE } from '#contract/accounts/usage.ts';
import { DASHBOARD_APP } from '#server/billing/billing.ts';
import { cycleOf, type Remaining } from '#server/billing/credits.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import { billsOf, cycleStart, firstOf, usageOf, type BilledApp } from './usage.ts';

const DASHBOARD = { id: DASHBOARD_APP, name: 'Dashboard', access: 'enterprise' } as const;

/** `GET /2/usage/tweets`: the Posts that an app read. `GET /usage`: what all apps paid. */
export function usage({ http, service, charges, credits, now }: ServiceContext): Route[] {
  const { bills, apps } = service;
  const since = (days: number, at: number): number => Math.min(firstOf(days, at), cycleStart(at));
  return [
    http.serve(USAGE.posts, ({ caller: { app }, query: { days, 'usage.fields': fields } }) => {
      // Every token belongs to an app.
      if (!app) throw plainProblem(403, 'Forbidden');
      const at = now();
      return usageOf(app.id, bills.of(app.id, since(days, at)), days, fields, at);
    }),
    http.serve(USAGE.bills, ({ query: { days } }) => {
      const at = now();
      const from = since(days, at);
      const of = (app: BilledApp, remaining: Remaining) =>
        billsOf(app, bills.of(app.id, from), charges(app.id, from), remaining, days, at);
      const listed = apps.all().map((app) => {
        const { id, name, settings } = app;
        const remaining = credits.remaining(app, cycleOf(at));
        return of({ id, name, access: settings.access }, remaining);
      });
      return { data: [...listed, of(DASHBOARD, { credits: null, limit: null })] };
    }),
  ];
}
