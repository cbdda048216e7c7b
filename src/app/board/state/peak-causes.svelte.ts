import type { ActingAccount } from '#app/api/acting-account.svelte.ts';
import type { OwnSource } from '#app/api/breakdown-api.ts';
import type { ShownCauses } from '#app/insight/breakdown/causes-text.ts';
import { peakSubject, type Subject } from '#app/insight/drawer/inspected.ts';
import type { KnownCauses, SeriesPeak } from '#app/insight/peaks/peaks-found.ts';
import type { Peak } from '#core/series/peaks.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { Board } from './board.svelte.ts';

interface CausesDeps {
  /** Reads the causes of a time of a source. */
  causes(source: OwnSource, about: Omit<Asked, 'count'>, signal: AbortSignal): Promise<ShownCauses>;
  readonly acting: Pick<ActingAccount, 'id'>;
  /** Runs something in a separate task, soon or after some ms. */
  later(act: () => void, ms?: number): void;
}

/** The time whose causes are read. */
type Asked = Pick<Subject, 'query' | 'span' | 'before' | 'count'>;

interface Known {
  /** The state of the source that was read. */
  readonly at: string;
  /** Posts of the time then. */
  readonly count: number;
  /** Null if they could not be read. */
  readonly causes: ShownCauses | null;
}

/** A read in the background. */
interface Reading {
  readonly key: string;
  readonly stop: AbortController;
}

/** More Posts take the service over a second to count: their causes are read only when the user asks. */
const MOST_POSTS = 500_000;

/** A peak of a bucket that Posts still arrive in is read again after this. */
const MOVING_MS = 10 * SECOND_MS;

/** The highest peak of each numbered moment, the largest moment first. */
function markedPeaks(peaks: readonly SeriesPeak[]): SeriesPeak[] {
  const highest = new Map<number, SeriesPeak>();
  for (const peak of peaks) {
    const { number, count } = peak;
    if (number !== null && count > (highest.get(number)?.count ?? -Infinity))
      highest.set(number, peak);
  }
  return [...highest].sort(([a], [b]) => a - b).map(([, peak]) => peak);
}

/**
 * The causes of the peaks of a board. Those that the chart marks are read in the background, one after the other, once
 * its figures are complete, and where that costs nothing. What the drawer reads is known too.
 */
export class PeakCauses implements KnownCauses {
  readonly #board: Board;
  readonly #deps: CausesDeps;
  readonly #known = new Map<string, Known>();
  /** Counts the changes of {@link #known}; read so that {@link of} updates. */
  #changes = $state(0);
  readonly #subjects = new WeakMap<Peak, Asked>();
  #wanted: readonly SeriesPeak[] = [];
  #reading: Reading | null = null;

  constructor(board: Board, deps: CausesDeps) {
    this.#board = board;
    this.#deps = deps;
  }

  of(peak: SeriesPeak): ShownCauses | null {
    void this.#changes;
    const about = this.#subjectOf(peak);
    const known = this.#known.get(this.#keyOf(about));
    // Those of other counts would have other shares.
    return known?.count === about.count ? known.causes : null;
  }

  /**
   * Reads the causes of a time, unless they are known.
   *
   * @throws {RangeError} if the service does not break the source down; else as the reader of causes.
   */
  async read(about: Asked, signal: AbortSignal): Promise<ShownCauses> {
    const { analysed } = this.#board.source;
    if (!analysed) throw new RangeError('expected a source of the service');
    const [key, at] = [this.#keyOf(about), this.#state()];
    const known = this.#known.get(key);
    if (known?.causes && known.at === at && known.count === about.count) return known.causes;
    const causes = await this.#deps.causes(analysed, about, signal);
    this.#learn(key, { at, count: about.count, causes });
    return causes;
  }

  /** Takes the causes of a time whose Posts the user has read. */
  take(about: Asked, causes: ShownCauses): void {
    this.#learn(this.#keyOf(about), { at: this.#state(), count: about.count, causes });
  }

  /** Reads the causes of all peaks of a list. Those that cannot be read stay unknown. */
  async readAll(peaks: readonly SeriesPeak[], signal: AbortSignal): Promise<void> {
    if (!this.#board.source.analysed) return;
    for (const peak of peaks) {
      if (this.#isQueried(peak)) {
        await this.read(this.#subjectOf(peak), signal).catch(() => signal.throwIfAborted());
      }
    }
  }

  /**
   * Reads the causes of the peaks that a chart marks, once the board is at rest.
   *
   * @param named - The keys of peaks that the finding names, which come first.
   */
  follow(peaks: readonly SeriesPeak[], named: readonly string[] = []): void {
    this.#wanted = this.#isComplete()
      ? [...peaks.filter(({ key }) => named.includes(key)), ...markedPeaks(peaks)].filter(
          (peak) => this.#isQueried(peak) && this.#subjectOf(peak).count <= MOST_POSTS,
        )
      : [];
    const keys = this.#wanted.map((peak) => this.#keyOf(this.#subjectOf(peak)));
    if (this.#reading && !keys.includes(this.#reading.key)) this.#reading.stop.abort();
    if (!this.#reading) this.#next();
  }

  #next(): void {
    const at = this.#state();
    const due = this.#wanted.flatMap((peak) => {
      const about = this.#subjectOf(peak);
      const key = this.#keyOf(about);
      const known = this.#known.get(key);
      if (known?.at !== at) return [{ key, moves: false }];
      return known.count === about.count ? [] : [{ key, moves: true }];
    });
    const next = due.find(({ moves }) => !moves) ?? due[0];
    if (!next) return;
    const reading = { key: next.key, stop: new AbortController() };
    this.#reading = reading;
    this.#deps.later(() => void this.#readNext(reading), next.moves ? MOVING_MS : 0);
  }

  async #readNext({ key, stop: { signal } }: Reading): Promise<void> {
    const at = this.#state();
    // As it is counted by now.
    const about = this.#wanted
      .map((peak) => this.#subjectOf(peak))
      .find((each) => this.#keyOf(each) === key);
    try {
      if (about && !signal.aborted) await this.read(about, signal);
    } catch {
      // Not again until the source changes; the drawer says why.
      if (about && !signal.aborted) this.#learn(key, { at, count: about.count, causes: null });
    }
    this.#reading = null;
    this.#next();
  }

  #learn(key: string, known: Known): void {
    this.#known.set(key, known);
    this.#changes += 1;
  }

  /** True if the curves and figures are complete, and reading costs nothing. */
  #isComplete(): boolean {
    const { source, offline, compared, series, time } = this.#board;
    if (!source.analysed || source.info?.making !== undefined || offline) return false;
    const { zoom, rested } = time;
    if (zoom?.start !== rested?.start || zoom?.end !== rested?.end) return false;
    return series.visible.every(
      ({ kind, blank, busy, pending, earlier, noise }) =>
        kind !== 'query' ||
        blank ||
        (!busy && !pending && (!compared || (earlier?.phase === 'done' && noise !== null))),
    );
  }

  /** True if the Posts of a peak can be found: those behind the counts of a file cannot. */
  #isQueried({ seriesId }: SeriesPeak): boolean {
    return this.#board.series.all.some(({ id, kind }) => id === seriesId && kind === 'query');
  }

  #subjectOf(given: SeriesPeak): Asked {
    const { peak } = given;
    const known = this.#subjects.get(peak);
    if (known) return known;
    const subject = peakSubject(given);
    this.#subjects.set(peak, subject);
    return subject;
  }

  #keyOf({ query, span, before }: Asked): string {
    const { id, info } = this.#board.source;
    return JSON.stringify([id, info?.store, this.#deps.acting.id, query, span, before]);
  }

  #state(): string {
    const { revision, mark } = this.#board.source.info ?? {};
    return `${revision} ${mark}`;
  }
}
