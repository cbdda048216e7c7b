import { DEFAULT_PLATFORM_SETTINGS, hasArchive } from '#contract/counts/platform-terms.ts';
import type { PlatformPages } from '#server/counting/platform-pages.ts';
import { PlatformSeries } from '#server/counting/platform-series.ts';
import { platformTerms } from '#server/counting/platform-terms.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { layoutOf, USUAL, type CountsLayout } from './counts-layout.ts';
import type { SeriesOrder } from './series-options.ts';
import { DataFolder } from '#server/data-folder.ts';
import { UNCONNECTED, withPlatform } from '#server/cli/open-platform.ts';
import { planJson, planText, pricedPlan, spendingLine, type PricedPlan } from './priced-plan.ts';

interface PlanOrder extends SeriesOrder {
  readonly json: boolean;
}

/** The figures without a token for the platform: its public prices, and nothing bought. */
const PUBLIC_FIGURES: PlatformPages = {
  settings: () => Promise.reject(new RangeError('expected a connected platform')),
  held: async () => [],
  page: async () => null,
};

/** The series of an order with what was bought before, and the plan for the rest. */
export async function quotedSeries(
  deps: CommandDeps,
  pages: PlatformPages | null,
  order: SeriesOrder,
): Promise<{
  readonly layout: CountsLayout;
  readonly plan: PricedPlan;
  readonly spending: string;
}> {
  const answer = pages && (await pages.settings());
  const settings = answer?.settings ?? DEFAULT_PLATFORM_SETTINGS;
  // Without the archive, the platform reaches seven days back.
  const usual = hasArchive(settings.access) ? USUAL.platform : '7d';
  const layout = layoutOf(order, usual, null, deps.now());
  const view = { ...layout, span: { start: layout.edges.start, end: layout.edges.end } };
  const series = [];
  for (const query of order.queries) {
    const terms = platformTerms({ settings, clockAheadMs: answer?.clockAheadMs ?? null }, query);
    const { now, random, platform } = deps;
    const given = { pages: pages ?? PUBLIC_FIGURES, terms, now, random, sleep: platform.sleep };
    const planned = new PlatformSeries(given, query, view);
    await planned.takeHeld(deps.stopping);
    series.push({ query, series: planned });
  }
  const plan = pricedPlan(series, settings.prices);
  return { layout, plan, spending: answer ? spendingLine(answer) : '' };
}

/**
 * `groundswell plan`: prints which requests counts of the platform would take, and their price. Sends and spends
 * nothing; without a connected platform, by its public prices.
 *
 * @returns The exit code: 130 if it was interrupted.
 * @throws {@link UsageError} for a range that cannot be counted; what {@link withPlatform} throws.
 */
export async function runPlan(
  deps: CommandDeps,
  { data, plan: order }: { readonly data: string; readonly plan: PlanOrder },
): Promise<number> {
  return await withPlatform(deps, new DataFolder(data), async (pages) => {
    const { plan, spending } = await quotedSeries(deps, pages, order);
    if (!pages) deps.err(`${UNCONNECTED} The plan has its public prices.\n`);
    deps.out(order.json ? planJson(plan) : `${planText(plan)}${spending}`);
    return 0;
  });
}
