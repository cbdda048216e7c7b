import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import type { ActingAccount } from '#app/api/acting-account.svelte.ts';
import { breakdownApi } from '#app/api/breakdown-api.ts';
import type { Client } from '#app/api/client.ts';
import { rankPosts } from '#app/api/ranked-api.ts';
import type { PostSearch } from '#app/api/search-api.ts';
import { Drawer } from '#app/insight/drawer/drawer.svelte.ts';
import {
  findPeaksOf,
  peaksKnown,
  type PeaksFound,
  type SeriesPeak,
} from '#app/insight/peaks/peaks-found.ts';
import { searchHoursElsewhere } from '#app/insight/peaks/peak-search.ts';
import {
  bucketSubject,
  peakSubject,
  surroundings,
  timeOf,
  unknownSubject,
  type Subject,
} from '#app/insight/drawer/inspected.ts';
import { usd } from '#core/counts/price.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { bucketAt } from '#core/series/window.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import { boardPeaks } from './board-peaks.ts';
import { PeakCauses } from './peak-causes.svelte.ts';
import { pickSpan } from './pick-span.ts';
import { endsOf } from '#app/counts/source-policy.ts';
import { sourceReach } from '#core/time/range.ts';
import type { Board } from './board.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';

export interface InspectorDeps {
  readonly search: PostSearch;
  readonly client: Pick<Client, 'json'>;
  /** The account that searches: another one may find other Posts. */
  readonly acting: Pick<ActingAccount, 'id'>;
  /** Makes a separate run for the finest counts around the inspected span. */
  run(): Run;
  /** Runs something in a separate task, soon or after some ms. */
  later(act: () => void, ms?: number): void;
  /** Searches the hours of long curves; in a worker by default. */
  readonly searchHours?: typeof searchHoursElsewhere;
}

/** Above this many buckets, peaks are found in steps and in a worker: each curve takes up to some tenths of a second. */
const LONG = 500_000;

const UNCUT = { first: false, last: false };

/** True if a curve knows any count of a span. */
function knowsPartOf({ bounds, states }: Curve, span: Span): boolean {
  const at = bucketAt(bounds, span.start);
  return at >= 0 && (states[at] ?? 0) >= STATE.partial;
}

/** The causes of the moves of a board's curves: their peaks, and the details of one peak or bucket in the drawer. */
export class PeakInspector {
  readonly #board: Board;
  readonly #deps: InspectorDeps;
  readonly drawer: Drawer;
  readonly causes: PeakCauses;
  #run: Run | null = null;
  #round = 0;
  /** {@link due} at the last read of {@link follow}. */
  #read = '';
  /** The finest counts read so far, with the {@link #tag} they belong to; `curve` is null if none are known. */
  #around = $state.raw<{ readonly of: string; readonly curve: Curve | null } | null>(null);

  readonly #finding = new WeakSet<Curve>();
  /** The number of times a deferred search for peaks has finished; read so that {@link found} updates. */
  #later = $state(0);

  /** Peaks of the visible queries, loaded or from a file; those of long curves follow as they are found. */
  readonly found: PeaksFound = $derived.by(() => {
    void this.#later;
    return boardPeaks(this.#board, (series) => this.#ready(series, this.#board.time.zone));
  });

  /** The picked series; null if there is none or it does not count a query. */
  readonly #picked: BoardSeries | null = $derived.by(() => {
    const {
      series: { all: series },
      picked,
    } = this.#board;
    return (picked && series.find(({ id, queried }) => id === picked.of && queried)) ?? null;
  });
  /** The picked peak; null if it is not among those found now. */
  readonly #peak: SeriesPeak | null = $derived.by(() => {
    const { picked } = this.#board;
    const is = ({ seriesId, span }: SeriesPeak): boolean =>
      seriesId === picked?.of && span.start === picked.span.start && span.end === picked.span.end;
    return this.found.peaks.find(is) ?? null;
  });
  /** Identifies the surrounding counts: another query or source has others. */
  readonly #tag: string = $derived.by(() => {
    const {
      source: { id: sourceId },
      picked,
    } = this.#board;
    return JSON.stringify([sourceId, picked, this.#picked?.shown]);
  });
  /** The finest counts known around the picked span, otherwise those shown; null while they load. */
  readonly fine: Curve | null = $derived.by(() => {
    const series = this.#picked;
    if (series?.kind === 'file') return series.curve;
    return this.#around?.of === this.#tag ? (this.#around.curve ?? series?.curve ?? null) : null;
  });

  /** The subject that is picked, with the figures of exactly its span; null if nothing is picked or counted yet. */
  readonly subject: Subject | null = $derived.by(() => {
    const {
      time: { zone },
      source: { id: sourceId },
      picked,
    } = this.#board;
    const series = this.#picked;
    if (!picked || !series) return null;
    const subject = this.#peak ? peakSubject(this.#peak) : this.#counted(series, picked.span, zone);
    const time = timeOf(picked.span, this.#board.clock);
    return {
      ...subject,
      time,
      // Posts behind a file's counts cannot be searched, and there are none of a time to come.
      query: series.kind === 'file' || time === 'to come' ? '' : subject.query,
      key: `${sourceId} ${this.#deps.acting.id} ${subject.key}`,
    };
  });
  /** Changes whenever the surrounding counts must be read again: on every load, and when the series is done. */
  readonly due: string = $derived.by(() => {
    const {
      time: { zone, now },
      source: { info: source },
    } = this.#board;
    return JSON.stringify([this.#tag, zone, now, source?.revision, this.#picked?.busy]);
  });
  /** Key of the picked peak, as in the list of peaks. */
  readonly chosen: string | null = $derived.by(() => this.#peak?.key ?? null);

  constructor(board: Board, deps: InspectorDeps) {
    this.#board = board;
    this.#deps = deps;
    this.causes = new PeakCauses(board, {
      ...deps,
      causes: (source, about, signal) => breakdownApi(deps.client, source).causes(about, signal),
    });
    board.causes = this.causes;
    this.drawer = new Drawer(
      () => {
        // Fixed for one read: another source may be chosen meanwhile.
        const {
          source: { id: sourceId, analysed, endpoint, platform },
        } = board;
        const { prices } = platform?.settings ?? DEFAULT_PLATFORM_SETTINGS;
        return {
          find: async (ask, signal) => {
            try {
              return await this.#deps.search(sourceId, endpoint, ask, signal);
            } finally {
              // The cost of the Posts is in the header at once.
              if (sourceId === 'platform') void board.source.loadPlatform();
            }
          },
          price: (most) =>
            sourceId === 'platform' ? { posts: most, money: usd(most * prices.post) } : null,
          rank: analysed && rankPosts(this.#deps.client, analysed),
        };
      },
      () => (board.picked = null),
    );
  }

  /** A span by the first buckets that match it exactly: of the range, the zoom, the file, or the finest around. */
  #counted(series: BoardSeries, span: Span, zone: string): Omit<Subject, 'time'> {
    const exact =
      series.kind === 'file' ? series.curveBy(Float64Array.of(span.start, span.end), UNCUT) : null;
    // Computing what is usual over a long curve is too slow for one bucket.
    const around = this.fine && this.fine.counts.length < LONG ? this.fine : null;
    for (const curve of [series.run.curve, series.curve, exact, around]) {
      if (!curve) continue;
      const from = bucketAt(curve.bounds, span.start);
      const to = bucketAt(curve.bounds, span.end - 1) + 1;
      const whole = curve.bounds[from] === span.start && curve.bounds[to] === span.end;
      if (whole) return bucketSubject(series, curve, from, to, zone);
    }
    return unknownSubject(series, span, series.busy || (series.kind === 'query' && !this.fine));
  }

  /** True if the peaks of a series are available now; otherwise schedules the search, once a long curve is complete. */
  #ready({ curve, busy, pending }: BoardSeries, zone: string): boolean {
    // Half the pages make a peak of where they end.
    if (pending && curve && !peaksKnown(curve, zone)) return false;
    if (!curve || curve.counts.length < LONG || peaksKnown(curve, zone)) return true;
    if (busy || this.#finding.has(curve)) return false;
    this.#finding.add(curve);
    void this.#find(curve, zone);
    return false;
  }

  async #find(curve: Curve, zone: string): Promise<void> {
    const { later, searchHours: search = searchHoursElsewhere } = this.#deps;
    const pause = (): Promise<void> => new Promise((resolve) => later(resolve));
    await pause();
    await findPeaksOf(curve, zone, { pause, search });
    this.#finding.delete(curve);
    this.#later += 1;
  }

  /** Makes a run for counts that the board does not show. */
  makeRun(): Run {
    return this.#deps.run();
  }

  /** Inspects a span of the series with the most Posts in it. */
  pick(span: Span): void {
    pickSpan(this.#board, span);
  }

  /** Inspects the peak of a key. */
  pickPeak(key: string): void {
    const peak = this.found.peaks.find((each) => each.key === key);
    if (peak) this.#board.picked = { span: peak.span, of: peak.seriesId };
  }

  /** Shows what is picked in the drawer, and reads the counts around it. */
  follow(): void {
    const { subject, drawer } = this;
    const {
      series: { all: series },
      picked,
    } = this.#board;
    if (!subject) {
      this.#read = '';
      const gone = picked && !series.some(({ id }) => id === picked.of);
      if (drawer.subject || gone) drawer.close();
      return;
    }
    drawer.open(subject);
    if (this.due === this.#read) return;
    this.#read = this.due;
    void this.#readAround(subject, this.#tag);
  }

  /** Reads minutes, otherwise hours, around a subject; never buys any. */
  async #readAround({ span, query }: Subject, of: string): Promise<void> {
    const round = ++this.#round;
    const board = this.#board;
    const need = board.need();
    if (!need || query === '') {
      this.#around = { of, curve: null };
      return;
    }
    const wide = surroundings(span);
    const around = {
      start: Math.max(
        ARCHIVE_START,
        sourceReach(endsOf(board.source.info), board.time.now, board.time.table).start,
        wide.start,
      ),
      end: Math.min(board.time.now, wide.end),
    };
    this.#run ??= this.#deps.run();
    for (const resolution of ['minute', 'hour'] satisfies Resolution[]) {
      const wanted = { ...need, query, span: around, resolution };
      await (need.policy.terms ? this.#run.peek(wanted) : this.#run.ask(wanted));
      if (round !== this.#round) return;
      const { curve } = this.#run;
      if (curve && knowsPartOf(curve, span)) {
        this.#around = { of, curve };
        return;
      }
    }
    this.#around = { of, curve: null };
  }
}
