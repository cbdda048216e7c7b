import type { Resolution } from '#core/time/resolution.ts';
import { agreement, besideNeed, type SideView } from './side-needs.ts';
import { BESIDE, type Beside, type BesideKind } from './side-run.svelte.ts';
import { sameTime, type ComparedPeriod } from './comparison.ts';
import type { BoardNeed } from './need-key.ts';
import { aboutBuckets } from './range.ts';
import type { BoardSeries } from './series.svelte.ts';
import type { SeriesList } from './series-list.svelte.ts';
import type { TimeWindow } from './time-window.svelte.ts';
import type { Tab } from './view.ts';

/** What the runs read of their board. */
interface RunsContext extends Pick<SideView, 'compared' | 'chart'> {
  readonly time: Pick<TimeWindow, 'span' | 'zoom' | 'detail' | 'fine'>;
  readonly series: Pick<SeriesList, 'all' | 'visible'>;
  readonly tab: Tab;
  need(): BoardNeed | null;
}

/** More buckets than this are not counted for a tab: some seconds and megabytes. */
const MOST_FINE = 300_000;

const CUT_BY: Partial<Record<Tab, Resolution & ('hour' | 'day')>> = {
  heat: 'hour',
  calendar: 'day',
};

/** What a board has counted beside its range: a zoom cut finer, an earlier time, the buckets of a tab. */
export class SideRuns {
  readonly #board: RunsContext;
  /** What each series was held against when it was looked at last. */
  readonly #against = new WeakMap<BoardSeries, ComparedPeriod | null>();
  /** What the finer counts that were agreed to are of, as text. */
  #agreed = { to: '', of: new Set<number>() };
  /** What the open tab needs the whole range cut into, whatever the chart shows; null where nothing. */
  readonly fineResolution: 'hour' | 'day' | null = $derived.by(() => {
    const cut = CUT_BY[this.#board.tab];
    return cut && aboutBuckets(this.#board.time.span, cut) <= MOST_FINE ? cut : null;
  });

  constructor(board: RunsContext) {
    this.#board = board;
  }

  /** Has the finer counts that the open tab shows asked of the visible series, whatever they cost. */
  agreeFine(): void {
    const [need, resolution] = [this.#board.need(), this.fineResolution];
    if (!need || !resolution) return;
    const of = new Set(this.#board.series.visible.map(({ id }) => id));
    this.#agreed = { to: agreement({ ...need, resolution }), of };
    for (const one of this.#board.series.visible) this.at(one, need);
  }

  /** What lies beside a series and would be asked with it, not only looked up. */
  asked(one: BoardSeries, need: BoardNeed): BoardNeed[] {
    return BESIDE.flatMap((which) => {
      const beside = this.#need(which, one, need);
      return beside?.ask ? [beside.need] : [];
    });
  }

  #need(which: BesideKind, one: BoardSeries, need: BoardNeed): Beside | null {
    const {
      time: { zoom, detail, fine },
      compared,
      chart,
    } = this.#board;
    const { fineResolution } = this;
    const agreed = (fine: BoardNeed): boolean =>
      this.#agreed.to === agreement(fine) && this.#agreed.of.has(one.id);
    const view = { zoom, detail, fine, fineResolution, compared, chart, agreed };
    return besideNeed(which, need, view);
  }

  /** SideRuns at what lies beside every series. */
  all(): void {
    for (const one of this.#board.series.all) this.at(one);
  }

  /** SideRuns at what lies beside a series. @param again - What failed or was stopped is asked again. */
  at(one: BoardSeries, need = this.#board.need(), again = false): void {
    if (!need) return;
    const needs = (which: BesideKind): Beside | null => {
      if (which === 'earlier') this.#against.set(one, this.#board.compared);
      return this.#need(which, one, need);
    };
    this.#against.set(one, this.#board.compared);
    void one.lookBeside(needs, again).then(() => {
      // With the last of the finer curves all series are held against another time.
      for (const each of this.#board.series.all) {
        const was = this.#against.get(each);
        if (was !== undefined && !sameTime(was, this.#board.compared)) this.at(each);
      }
    });
  }
}
