import type { Resolution } from '#core/time/resolution.ts';
import { agreement, extraNeeds, type SideView } from './side-needs.ts';
import { EXTRA_ROUNDS, type ExtraNeed, type ExtraKind } from './side-run.svelte.ts';
import { sameTime, type ComparedPeriod } from './comparison.ts';
import type { BoardNeed } from './need-key.ts';
import { aboutBuckets } from '#core/time/range.ts';
import type { BoardSeries } from './series.svelte.ts';
import type { SeriesList } from './series-list.svelte.ts';
import type { TimeWindow } from './time-window.svelte.ts';
import type { Tab } from './view.ts';

/** The members of their board that the extra runs read. */
interface RunsContext extends Pick<SideView, 'periods' | 'comparing' | 'chart'> {
  readonly time: Pick<TimeWindow, 'now' | 'span' | 'zoom' | 'detail' | 'fine'>;
  readonly series: Pick<SeriesList, 'all' | 'visible'>;
  readonly tab: Tab;
  /** The need of a series, or of all. */
  need(series?: BoardSeries): BoardNeed | null;
}

/** Above this many buckets a tab gets no finer counts: they take seconds and megabytes. */
const MOST_FINE = 300_000;

const CUT_BY: Partial<Record<Tab, Resolution & ('hour' | 'day')>> = {
  heat: 'hour',
  calendar: 'day',
};

/** The extra runs of a board: a zoom in finer buckets, earlier periods, the buckets of a tab. */
export class SideRuns {
  readonly #board: RunsContext;
  /** The periods each series was compared with at its last load. */
  readonly #against = new WeakMap<BoardSeries, readonly ComparedPeriod[]>();
  /** The agreed need for finer counts, as text, and the ids of the series it applies to. */
  #agreed = { to: '', of: new Set<number>() };
  /** The buckets the open tab needs for the range, whatever the chart shows; null if none. */
  readonly fineResolution: 'hour' | 'day' | null = $derived.by(() => {
    const cut = CUT_BY[this.#board.tab];
    return cut && aboutBuckets(this.#board.time.span, cut) <= MOST_FINE ? cut : null;
  });

  constructor(board: RunsContext) {
    this.#board = board;
  }

  /** Fetches the finer counts of the open tab for the visible series, at any cost. */
  agreeFine(): void {
    const [need, resolution] = [this.#board.need(), this.fineResolution];
    if (!need || !resolution) return;
    const of = new Set(this.#board.series.visible.map(({ id }) => id));
    this.#agreed = { to: agreement({ ...need, resolution }), of };
    for (const series of this.#board.series.visible) this.at(series);
  }

  /** The extra needs that would be fetched with a series, not only read from the cache. */
  asked(series: BoardSeries, need: BoardNeed): { which: ExtraKind; need: BoardNeed }[] {
    return EXTRA_ROUNDS.flat().flatMap((which) =>
      this.#needs(which, series, need)
        .filter(({ ask }) => ask)
        .map((extra) => ({ which, need: extra.need })),
    );
  }

  #needs(which: ExtraKind, series: BoardSeries, need: BoardNeed): ExtraNeed[] {
    const {
      time: { now, zoom, detail, fine },
      periods,
      comparing,
      chart,
    } = this.#board;
    const { fineResolution } = this;
    const agreed = (fine: BoardNeed): boolean =>
      this.#agreed.to === agreement(fine) && this.#agreed.of.has(series.id);
    const view = { now, zoom, detail, fine, fineResolution, periods, comparing, chart, agreed };
    return extraNeeds(which, need, view);
  }

  /** Loads the extra needs of every series. */
  all(): void {
    for (const series of this.#board.series.all) this.at(series);
  }

  /** Loads the extra needs of a series. @param again - Retries what failed or was stopped. */
  at(series: BoardSeries, need = this.#board.need(series), again = false): void {
    if (!need) return;
    const needs = (which: ExtraKind): ExtraNeed[] => {
      if (which === 'earlier') this.#against.set(series, this.#board.periods);
      return this.#needs(which, series, need);
    };
    this.#against.set(series, this.#board.periods);
    void series.loadExtra(needs, again).then(() => {
      // When the last finer curve arrives, the earlier periods change for all series.
      for (const each of this.#board.series.all) {
        const was = this.#against.get(each);
        if (was !== undefined && !sameTime(was, this.#board.periods)) this.at(each);
      }
    });
  }
}
