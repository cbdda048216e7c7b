import { DEFAULT_PLATFORM_SETTINGS } from '#contract/platform-terms.ts';
import type { PostSearch } from '#app/api/search-api.ts';
import { Drawer } from '#app/insight/drawer.svelte.ts';
import {
  peaksFound,
  peaksKnown,
  peaksOf,
  type PeaksFound,
  type SeriesPeak,
} from '#app/insight/peaks-found.ts';
import {
  bucketSubject,
  peakSubject,
  surroundings,
  unknownSubject,
  type Subject,
} from '#app/insight/inspected.ts';
import { usd } from '#core/counts/price.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { bucketAt, bucketsIn } from '#core/series/window.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import { reachOf } from './range.ts';
import type { Board } from './board.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';

const NO_PEAKS: PeaksFound = { peaks: [], more: 0, unknown: [], least: 0 };

export interface InquiryDeps {
  readonly search: PostSearch;
  /** A run of its own, for the finest counts around what is looked into. */
  run(): Run;
  /** Does something in a task of its own, soon. */
  later(act: () => void): void;
}

/** Curves so long have their peaks found one at a time: for each it takes up to some tenths of a second. */
const LONG = 500_000;

const UNCUT = { first: false, last: false };

/** Whether anything of a span is known. */
function tellsOf({ bounds, states }: Curve, span: Span): boolean {
  const at = bucketAt(bounds, span.start);
  return at >= 0 && (states[at] ?? 0) >= STATE.partial;
}

/** What moved the curves of a board: their peaks, and what is told of one of them, or of a bucket, in the drawer. */
export class PeakInspector {
  readonly #board: Board;
  readonly #deps: InquiryDeps;
  readonly drawer: Drawer;
  #run: Run | null = null;
  #round = 0;
  /** {@link due} when {@link follow} read last. */
  #read = '';
  /** The finest counts that were read, and around which subject of which query; `curve` null where none are known. */
  #around = $state.raw<{ readonly of: string; readonly curve: Curve | null } | null>(null);

  readonly #finding = new WeakSet<Curve>();
  /** How often peaks were found since they were asked for. */
  #later = $state(0);

  /** Peaks of the queries in sight, asked here or told by a file; of long curves as they are found. */
  readonly found: PeaksFound = $derived.by(() => {
    const {
      series: { visible },
      time: { zone, zoom },
      chart: picture,
    } = this.#board;
    if (!picture.peaks) return NO_PEAKS;
    void this.#later;
    const queries = visible.filter((one) => one.queried && this.#ready(one, zone));
    return peaksFound(queries, zone, zoom);
  });

  /** The series that is picked on the board; null where there is none, or it has no counts of a query. */
  readonly #one: BoardSeries | null = $derived.by(() => {
    const {
      series: { all: series },
      picked,
    } = this.#board;
    return (picked && series.find(({ id, queried }) => id === picked.of && queried)) ?? null;
  });
  /** The peak that is picked; null where it is none of those found now. */
  readonly #peak: SeriesPeak | null = $derived.by(() => {
    const { picked } = this.#board;
    const is = ({ seriesId, span }: SeriesPeak): boolean =>
      seriesId === picked?.of && span.start === picked.span.start && span.end === picked.span.end;
    return this.found.peaks.find(is) ?? null;
  });
  /** Of what the counts around are read, as text: another query or source has others. */
  readonly #tag: string = $derived.by(() => {
    const {
      source: { id: sourceId },
      picked,
    } = this.#board;
    return JSON.stringify([sourceId, picked, this.#one?.shown]);
  });
  /** The finest counts known around what is picked, else those shown; null while they are read. */
  readonly fine: Curve | null = $derived.by(() => {
    const one = this.#one;
    if (one?.kind === 'file') return one.curve;
    return this.#around?.of === this.#tag ? (this.#around.curve ?? one?.curve ?? null) : null;
  });

  /** What is picked on the board, with what is known of exactly its span; null where nothing is, or nothing was counted yet. */
  readonly subject: Subject | null = $derived.by(() => {
    const {
      time: { zone },
      source: { id: sourceId },
      picked,
    } = this.#board;
    const one = this.#one;
    if (!picked || !one) return null;
    const subject = this.#peak ? peakSubject(this.#peak) : this.#counted(one, picked.span, zone);
    return {
      ...subject,
      // Posts of what a file tells are not here to be searched.
      query: one.kind === 'file' ? '' : subject.query,
      key: `${sourceId} ${subject.key}`,
    };
  });
  /** What the counts around are to be read for, as text: again with every look of the board, and once its counts are there. */
  readonly due: string = $derived.by(() => {
    const {
      time: { zone, now },
      source: { info: source },
    } = this.#board;
    return JSON.stringify([this.#tag, zone, now, source?.revision, this.#one?.busy]);
  });
  /** Key of the peak that is picked, as the list of them has it. */
  readonly chosen: string | null = $derived.by(() => this.#peak?.key ?? null);

  constructor(board: Board, deps: InquiryDeps) {
    this.#board = board;
    this.#deps = deps;
    this.drawer = new Drawer(
      () => {
        // Of one source for as long as something is read: another may be chosen meanwhile.
        const {
          source: { id: sourceId, endpoint, platform },
        } = board;
        const { prices } = platform?.settings ?? DEFAULT_PLATFORM_SETTINGS;
        return {
          find: (ask, signal) => this.#deps.search(sourceId, endpoint, ask, signal),
          price: (most) =>
            sourceId === 'platform' ? { posts: most, money: usd(most * prices.post) } : null,
        };
      },
      () => (board.picked = null),
    );
  }

  /** A span by whichever buckets tell all of it and no more: of the range, of the zoom, of a file, else the finest around. */
  #counted(one: BoardSeries, span: Span, zone: string): Subject {
    const exact =
      one.kind === 'file' ? one.curveBy(Float64Array.of(span.start, span.end), UNCUT) : null;
    // What is usual is not worked out for the sake of one long curve around.
    const around = this.fine && this.fine.counts.length < LONG ? this.fine : null;
    for (const curve of [one.run.curve, one.curve, exact, around]) {
      if (!curve) continue;
      const from = bucketAt(curve.bounds, span.start);
      const to = bucketAt(curve.bounds, span.end - 1) + 1;
      const whole = curve.bounds[from] === span.start && curve.bounds[to] === span.end;
      if (whole) return bucketSubject(one, curve, from, to, zone);
    }
    return unknownSubject(one, span, one.busy || (one.kind === 'query' && !this.fine));
  }

  /** Whether the peaks of a series can be told at once; else they are found soon, those of a long one once it is all there. */
  #ready({ curve, busy }: BoardSeries, zone: string): boolean {
    if (!curve || curve.counts.length < LONG || peaksKnown(curve, zone)) return true;
    if (busy || this.#finding.has(curve)) return false;
    this.#finding.add(curve);
    this.#deps.later(() => {
      peaksOf(curve, zone);
      this.#finding.delete(curve);
      this.#later += 1;
    });
    return false;
  }

  /** Looks into a bucket: of the series with most Posts in it. */
  pick(span: Span): void {
    let most = -1;
    let of: number | null = null;
    for (const { id, queried, curve } of this.#board.series.visible) {
      if (!queried || !curve) continue;
      const { first, end } = bucketsIn(curve.bounds, span.start, span.end);
      const count = curve.counts.subarray(first, end).reduce((sum, one) => sum + (one || 0), 0);
      if (count > most) [most, of] = [count, id];
    }
    if (of !== null) this.#board.picked = { span, of };
  }

  /** Looks into a peak by its number. */
  pickPeak(number: number): void {
    const peak = this.found.peaks.find((one) => one.number === number);
    if (peak) this.#board.picked = { span: peak.span, of: peak.seriesId };
  }

  /** Has the drawer tell of what is picked, and reads the counts around it. */
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

  /** Minutes, or what else is known; nothing is bought for it. */
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
        reachOf(board.source.info, board.time.now, board.time.table).start,
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
      if (curve && tellsOf(curve, span)) {
        this.#around = { of, curve };
        return;
      }
    }
    this.#around = { of, curve: null };
  }
}
