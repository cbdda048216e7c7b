import { Allowance } from '#core/counts/allowance.ts';
import type { ExportSeries } from '#core/export/csv.ts';
import { grouped } from '#core/format/number-text.ts';
import { PlatformStop } from '#server/counting/platform-stop.ts';
import type { Buying } from '#server/counting/platform-series.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import type { CountsLayout, CountsOrder } from './counts-layout.ts';
import { printCounts } from './counts-output.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { UNCONNECTED, withPlatform } from '#server/cli/open-platform.ts';
import { UsageError } from '#server/cli/options.ts';
import { dollars, planText, type PricedPlan } from './priced-plan.ts';
import { quotedSeries } from './plan.ts';
import { lasting, progressLine } from '#server/cli/progress.ts';
import { SpendingTally } from './spending-tally.ts';
import { CommandError } from '#server/command-error.ts';

/**
 * Asks whether to spend, unless that was said.
 *
 * @param money - USD, in words.
 * @throws {@link UsageError} if no one can answer.
 */
export async function maySpend(deps: CommandDeps, yes: boolean, money: string): Promise<boolean> {
  if (yes) return true;
  if (deps.confirm) return await deps.confirm(`Spend ${money}?`);
  throw new UsageError(`This costs ${money}: give --yes to spend it.`);
}

/** Buys what a plan needs, with a line of progress. Says what it cost, and why it ended early. */
async function buyAll(deps: CommandDeps, plan: PricedPlan, tally: SpendingTally): Promise<void> {
  const line = progressLine(deps);
  const { stopping: signal } = deps;
  const allowance = new Allowance(plan.requests + plan.spare);
  let answers = 0;
  const onProgress: Buying['onProgress'] = ({ waitMs }) => {
    if (waitMs === 0) answers += 1;
    const waiting = waitMs > 0 ? `, waiting ${lasting(waitMs / 1000)}` : '';
    const done = `${grouped(answers)} of ${grouped(plan.requests)} requests`;
    line.show(`Buying counts: ${done}, ${dollars(tally.spent)} spent${waiting}`);
  };
  let stop: string | null = null;
  try {
    for (const { series } of plan.series) await series.buy({ allowance, onProgress, signal });
  } catch (error) {
    if (error instanceof PlatformStop) stop = error.message;
    else if (!signal.aborted) throw error;
  } finally {
    line.clear();
    deps.err(`${tally.text}.\n`);
  }
  if (stop !== null) deps.err(`${stop}\n`);
  if (signal.aborted) {
    deps.err(
      'Interrupted. What was bought is stored: settled counts cost nothing when you run it again.\n',
    );
  }
}

/** The series of a plan as they are now, in the rows of a file. */
function boughtSeries(
  { series }: PricedPlan,
  { rows: { from, to } }: CountsLayout,
): ExportSeries[] {
  return series.map(({ query, series: planned }) => {
    const { counts, states, fetchedAt } = planned.curve();
    return {
      query,
      label: query,
      source: 'platform',
      counts: counts.slice(from, to),
      states: states.slice(from, to),
      fetchedAt: fetchedAt.slice(from, to),
    };
  });
}

/**
 * `groundswell counts --source platform`: prints the plan and its price, buys it if that is approved, and prints the
 * counts. Where a cap, the platform or its answers end that early, the missing counts are empty.
 *
 * @returns The exit code: 1 if it was not approved.
 * @throws {@link UsageError} if no one can approve; {@link CommandError} if the platform is not connected; what
 *   {@link withPlatform} throws.
 */
export async function runPlatformCounts(
  deps: CommandDeps,
  folder: DataFolder,
  order: CountsOrder,
): Promise<number> {
  return await withPlatform(deps, folder, async (pages) => {
    if (!pages) throw new CommandError(UNCONNECTED);
    const tally = new SpendingTally();
    const { layout, plan, spending } = await quotedSeries(deps, tally.over(pages), order);
    deps.err(`${planText(plan)}${spending}`);
    if (plan.requests > 0) {
      if (!(await maySpend(deps, order.yes, dollars(plan.money)))) {
        deps.err('Nothing was spent.\n');
        return deps.stopping.aborted ? 130 : 1;
      }
      await buyAll(deps, plan, tally);
    }
    if (deps.stopping.aborted) return 130;
    return printCounts(deps, order, layout, boughtSeries(plan, layout));
  });
}
