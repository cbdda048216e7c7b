import { mostSubscriptions } from '#contract/streams/activity.ts';
import { POWER_LIMITS } from '#contract/streams/powerstream.ts';
import { ruleLimits } from '#contract/streams/stream.ts';
import type { StreamApp, StreamSource } from '#contract/streams/streams.ts';
import type { Service } from '#server/auth/store.ts';
import type { RuleOwner } from '#server/streams/rules/rule-table.ts';

type Counts = Record<StreamSource, number>;

function countsByApp(counts: readonly (RuleOwner & { readonly count: number })[]) {
  const all = new Map<string, Counts>();
  for (const { stream, app, count } of counts) {
    all.set(app, { ...(all.get(app) ?? { posts: 0, sample: 0 }), [stream]: count });
  }
  return all;
}

const total = ({ filtered_stream, powerstream, subscriptions }: StreamApp): number =>
  [filtered_stream, powerstream, subscriptions].reduce((sum, of) => sum + of.posts + of.sample, 0);

/** Apps that have rules, subscriptions, webhooks or connections; those with the most rules and subscriptions first. */
export function streamApps({
  apps,
  rules,
  powerRules,
  subscriptions,
  webhooks,
  connections,
}: Pick<
  Service,
  'apps' | 'rules' | 'powerRules' | 'subscriptions' | 'webhooks' | 'connections'
>): StreamApp[] {
  const ruleCounts = countsByApp(rules.counts());
  const powerCounts = countsByApp(powerRules.counts());
  const subscriptionCounts = countsByApp(subscriptions.counts());
  const ids = new Set([
    ...ruleCounts.keys(),
    ...powerCounts.keys(),
    ...subscriptionCounts.keys(),
    ...webhooks.all().map(({ app }) => app),
    ...connections.apps(),
  ]);
  const none: Counts = { posts: 0, sample: 0 };
  return [...ids]
    .flatMap((id): StreamApp[] => {
      const app = apps.byId(id);
      if (!app) return [];
      const { access, stream_rules } = app.settings;
      return [
        {
          id,
          name: app.name,
          access,
          filtered_stream: {
            limit: ruleLimits(access, stream_rules).rules,
            ...(ruleCounts.get(id) ?? none),
          },
          powerstream: { limit: POWER_LIMITS.rules, ...(powerCounts.get(id) ?? none) },
          subscriptions: {
            limit: mostSubscriptions(access),
            ...(subscriptionCounts.get(id) ?? none),
          },
        },
      ];
    })
    .sort((a, b) => total(b) - total(a) || a.name.localeCompare(b.name, 'en'));
}
