import { DEFAULT_PLATFORM_SETTINGS } from '#contract/platform-terms.ts';
import type { PostSearch } from '#app/api/search.ts';
import { Drawer } from '#app/insight/drawer.svelte.ts';
import { peaksFound, peaksKnown, peaksOf, type PeaksFound } from '#app/insight/peaks-found.ts';
import { bucketSubject, peakSubject, surroundings, type Subject } from '#app/insight/subject.ts';
import { usd } from '#core/counts/price.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { bucketAt, bucketsIn } from '#core/series/window.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import { reachOf } from './range.ts';
import type { Board } from './board.svelte.ts';
import type { BoardSeries, Run } from './series.svelte.ts';

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

/** Whether anything of a span is known. */
function tellsOf({ bounds, states }: Curve, span: Span): boolean {
  const at = bucketAt(bounds, span.start);
  return at >= 0 && (states[at] ?? 0) >= STATE.partial;
}

/** What moved the curves of a board: their peaks, and what is told of one of them, or of a bucket, in the drawer. */
export class Inquiry {
  readonly #board: Board;
  readonly #deps: InquiryDeps;
  readonly drawer: Drawer;
  #run: Run | null = null;
  #round = 0;
  /** The finest counts around the subject; null while they are read. */
  fine = $state.raw<Curve | null>(null);

  readonly #finding = new WeakSet<Curve>();
  /** How often peaks were found since they were asked for. */
  #later = $state(0);

  /** Peaks of the queries in sight, asked here or told by a file; of long curves as they are found. */
  readonly found: PeaksFound = $derived.by(() => {
    const { picture, visible, zone, zoom } = this.#board;
    if (!picture.peaks) return NO_PEAKS;
    void this.#later;
    const queries = visible.filter((one) => one.queried && this.#ready(one, zone));
    return peaksFound(queries, zone, zoom);
  });

  /** What is picked on the board; null where nothing is, or its counts are not there yet. */
  readonly subject: Subject | null = $derived.by(() => {
    const { picked, zone, series, sourceId } = this.#board;
    const one = picked && series.find(({ id, queried }) => id === picked.of && queried);
    if (!picked || !one) return null;
    const { span, of } = picked;
    const keyed = (subject: Subject): Subject => ({
      ...subject,
      // Posts of what a file tells are not here to be searched.
      query: one.kind === 'file' ? '' : subject.query,
      key: `${sourceId} ${subject.key}`,
    });
    const peak = this.found.peaks.find(
      (each) =>
        each.seriesId === of && each.span.start === span.start && each.span.end === span.end,
    );
    if (peak) return keyed(peakSubject(peak));
    // By the buckets of the range, or of the zoom that it was picked in: whichever tell all of it and no more.
    for (const curve of [one.run.curve, one.curve]) {
      const [from, to] = curve
        ? [bucketAt(curve.bounds, span.start), bucketAt(curve.bounds, span.end - 1) + 1]
        : [-1, 0];
      const whole = curve?.bounds[from] === span.start && curve.bounds[to] === span.end;
      if (curve && whole) return keyed(bucketSubject(one, curve, from, to, zone));
    }
    return null;
  });
  /** Key of the peak that is picked, as the list of them has it. */
  readonly chosen: string | null = $derived.by(
    () => this.subject?.key.slice(this.#board.sourceId.length + 1) ?? null,
  );

  constructor(board: Board, deps: InquiryDeps) {
    this.#board = board;
    this.#deps = deps;
    this.drawer = new Drawer(
      () => {
        // Of one source for as long as something is read: another may be chosen meanwhile.
        const { sourceId, endpoint, platform } = board;
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
    for (const { id, queried, curve } of this.#board.visible) {
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
    if (!subject) {
      if (!this.#board.picked && drawer.subject) drawer.close();
      return;
    }
    const same = drawer.subject?.key === subject.key && drawer.subject.query === subject.query;
    drawer.open(subject);
    if (!same) void this.#readAround(subject);
  }

  /** Minutes, or what else is known; nothing is bought for it. */
  async #readAround({ span, query }: Subject): Promise<void> {
    const round = ++this.#round;
    const board = this.#board;
    const need = board.need();
    const shown = board.series.find(({ id }) => id === board.picked?.of)?.curve ?? null;
    this.fine = query === '' ? shown : null;
    if (!need || query === '') return;
    const wide = surroundings(span);
    const around = {
      start: Math.max(
        ARCHIVE_START,
        reachOf(board.source, board.now, board.table).start,
        wide.start,
      ),
      end: Math.min(board.now, wide.end),
    };
    this.#run ??= this.#deps.run();
    for (const resolution of ['minute', 'hour'] satisfies Resolution[]) {
      const wanted = { ...need, query, span: around, resolution };
      await (need.policy.terms ? this.#run.peek(wanted) : this.#run.ask(wanted));
      if (round !== this.#round) return;
      const { curve } = this.#run;
      if (curve && tellsOf(curve, span)) {
        this.fine = curve;
        return;
      }
    }
    this.fine = shown;
  }
}
