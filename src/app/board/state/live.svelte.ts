import { policyOf } from '#app/counts/source-policy.ts';
import type { LiveStream } from '#app/counts/live-stream.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { livePace, type SpendingAllowance } from '#core/counts/live-budget.ts';
import { usd } from '#core/counts/price.ts';
import { floorTo } from '#core/time/bucket.ts';
import { add, startOf } from '#core/time/calendar.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { LiveLine } from '#contract/counts/live.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import type { Board } from './board.svelte.ts';

/** The interval at which the user's own Posts refresh where no stream says what changed, and older ones load at most. */
const OWN_MS = 10 * SECOND_MS;

/** The interval at which a board that moves loads as usual, so that the cache gets what it shows. */
const STORE_MS = MINUTE_MS;

/** A load ends this long before now; what follows is counted live. */
const LOADED_MS = 15 * SECOND_MS;

/** The parts with which the counts of a board are followed. */
export interface LiveDeps {
  /** True if the page is in sight; a hidden page requests nothing. */
  visible(): boolean;
  /**
   * The spans that changed in a source of Posts since this description of it; null if all may have, because it was
   * restored or replaced.
   *
   * @throws {Fault} if the service cannot be reached or refuses.
   */
  changes(source: SourceInfo): Promise<readonly Span[] | null>;
  /** Connects with the stream of changes; nothing is sent before it listens. */
  stream(onLine: (line: LiveLine) => void): Pick<LiveStream, 'follows' | 'listen'>;
  /** See `countLive`. */
  count(runs: readonly Run[], from: number): Promise<(() => void) | null>;
  /** Resolves when the page has drawn, and had time for the user. */
  drawn(): Promise<void>;
}

/**
 * Refreshes the newest counts of a board: those of own Posts as the service's stream says that they changed, those of the
 * platform at the pace its budget allows. Loads older ones that changed.
 */
export class Live {
  readonly #board: Board;
  readonly #deps: LiveDeps;
  readonly #stream: Pick<LiveStream, 'follows' | 'listen'>;
  /** The time at which it last checked for changes, epoch ms. */
  #checkedAt = 0;
  /** True if Posts changed that are no news, and are not loaded yet. */
  #isOld = false;
  #loadingOld = false;
  /** The oldest change that is not counted yet, epoch ms; null if all are. */
  #from: number | null = null;
  #counting = false;
  /** True if counts were shown since {@link #storedAt} that the cache does not have. */
  #moved = false;
  #storedAt = 0;
  /** The loads whose last seconds were counted. */
  readonly #completed = new WeakSet<object>();
  /** True if the service says at once what changes. */
  streamed = $state(false);
  /** The times of the last and the next request for the newest counts, epoch ms; null before the first time. */
  last = $state<number | null>(null);
  next = $state<number | null>(null);

  /** Requests and money, in USD, that one refresh takes. */
  readonly cost = $derived.by(() => {
    const {
      series: { all: series },
      source: { id: sourceId, platform },
    } = this.#board;
    const asked = series.filter((each) => each.countable).length;
    const terms = policyOf(sourceId, platform).terms;
    return { requests: asked, money: terms ? usd(asked * terms.prices.recent) : 0 };
  });
  /** Time between two refreshes, ms; null if the budget allows none. */
  readonly every: number | null = $derived.by(() => {
    const {
      source: { id: sourceId, platform },
      loadedAt,
    } = this.#board;
    const terms = policyOf(sourceId, platform).terms;
    if (!terms) return OWN_MS;
    const limit = platform?.settings.limits.recent ?? { requests: 300, windowSeconds: 900 };
    return livePace({ ...this.cost, limit }, this.#allowances(loadedAt));
  });
  /** True if the range ends now, so that there is anything to refresh. */
  readonly possible = $derived.by(() => this.#board.time.span.end > this.#board.time.now - HOUR_MS);

  constructor(board: Board, deps: LiveDeps) {
    this.#board = board;
    this.#deps = deps;
    this.#stream = deps.stream((line) => void this.#take(line));
  }

  /** True if its newest counts are to be refreshed. */
  get #moves(): boolean {
    const { live, foreign } = this.#board;
    return live && !foreign && this.possible && this.every !== null;
  }

  /** The amounts that may still be spent in this UTC day and month, the periods the platform bills by. */
  #allowances(now: number): SpendingAllowance[] {
    const {
      source: { platform },
    } = this.#board;
    if (!platform) return [];
    const { settings, today, month } = platform;
    const end = (scope: 'day' | 'month'): number => add(scope, startOf(scope, now), 1);
    const remaining = (cap: number | null, spent: number): number | null =>
      cap === null ? null : Math.max(0, cap - spent);
    return (
      [
        [settings.caps.day, today, end('day') - now],
        [settings.caps.month, month, end('month') - now],
      ] as const
    ).map(([cap, spent, remainingMs]) => ({
      requests: remaining(cap.requests, spent.requests),
      money: remaining(cap.money, spent.money),
      remainingMs,
    }));
  }

  /** Asks for changes, where no stream tells of them. */
  async #checkChanges(now: number): Promise<void> {
    const { info, offline } = this.#board.source;
    // The platform has no revisions.
    if (!info || info.id === 'platform' || offline) return;
    if (now < this.#checkedAt + OWN_MS || !this.#deps.visible()) return;
    this.#checkedAt = now;
    await this.#see(info, await this.#deps.changes(info).catch(() => []));
  }

  /** Takes a line of the stream. */
  async #take({ source, store, revision, mark, spans }: LiveLine): Promise<void> {
    const { info } = this.#board.source;
    if (info?.id !== source || !this.#deps.visible()) return;
    if (spans) {
      const at = ({ start, end }: (typeof spans)[number]): Span => ({
        start: Date.parse(start),
        end: Date.parse(end),
      });
      return await this.#see(info, spans.map(at));
    }
    if (info.store === store && info.revision === revision && info.mark === mark) return;
    await this.#see(info, await this.#deps.changes(info).catch(() => []));
  }

  /**
   * Loads the board again if Posts changed that are no news: an import, a collection that was switched, a restored
   * store. Posts of the last hour are counted live, or wait for a refresh.
   */
  async #see(info: SourceInfo, spans: readonly Span[] | null): Promise<void> {
    const board = this.#board;
    if (board.source.info !== info) return;
    const now = board.clock;
    const isNew = ({ start, end }: Span): boolean => start >= now - HOUR_MS && end < now + DAY_MS;
    const news = spans?.filter(isNew) ?? [];
    const { range, span } = board.time;
    const whole = 'preset' in range && range.preset === 'all';
    const isBeyond = whole && news.some(({ end }) => end > span.end);
    if (isBeyond || !spans || news.length < spans.length) {
      this.#isOld = true;
      await this.#loadOld(now);
    } else if (news.length > 0 && this.#moves) {
      await this.#count(Math.min(...news.map(({ start }) => start)));
    }
  }

  async #loadOld(now: number): Promise<void> {
    if (!this.#isOld || this.#loadingOld || now < this.#storedAt + OWN_MS) return;
    [this.#isOld, this.#loadingOld, this.#storedAt] = [false, true, now];
    try {
      await this.#board.loadSources();
    } finally {
      this.#loadingOld = false;
    }
  }

  /** Counts what changed from an instant on, and again while more changes; the curves move together. */
  async #count(from: number): Promise<void> {
    this.#from = Math.min(from, this.#from ?? Infinity);
    if (this.#counting) return;
    this.#counting = true;
    const { series, time } = this.#board;
    let first = from;
    try {
      while (this.#from !== null && this.#moves && this.#deps.visible()) {
        first = this.#from;
        this.#from = null;
        const runs = series.all.flatMap((each) => (each.kind === 'query' ? each.runs : []));
        const show = await this.#deps.count(runs, first);
        const now = this.#board.clock;
        // Every figure that depends on it is computed again, so it moves when a bucket can begin.
        if (floorTo(now, 'minute') > time.now) time.now = now;
        show?.();
        this.#moved = true;
        if (this.last === null || now >= this.last + SECOND_MS) this.last = now;
        this.#isOld ||= show === null;
        await this.#deps.drawn();
      }
    } catch {
      // The next line or the next tick tries again.
      this.#from = Math.min(first, this.#from ?? Infinity);
    } finally {
      this.#counting = false;
    }
  }

  /** Refreshes what is due. Call it about every second. */
  async tick(now: number): Promise<void> {
    const board = this.#board;
    const { id, info, signedOut } = board.source;
    const visible = this.#deps.visible();
    this.#stream.listen(visible && id !== 'platform' && !!info && !info.cluster && !signedOut);
    this.streamed = this.#stream.follows(id);
    if (this.streamed) {
      await this.#loadOld(now);
      if (this.#moves && visible) await this.#keep(now);
      else this.next = null;
      return;
    }
    if (!this.#moves || this.every === null) {
      this.next = null;
      await this.#checkChanges(now);
      return;
    }
    this.next ??= (this.last ?? now) + this.every;
    if (now < this.next || !visible) return;
    await this.#refresh(now);
  }

  /** Completes loads by what they lack up to now, and now and then loads what was only counted. */
  async #keep(now: number): Promise<void> {
    const runs = this.#board.series.all.flatMap((each) => (each.kind === 'query' ? each.runs : []));
    const loads = runs.flatMap(({ loaded }) =>
      loaded && !this.#completed.has(loaded) ? [loaded] : [],
    );
    for (const load of loads) this.#completed.add(load);
    const isDue = this.#moved && now >= this.#storedAt + STORE_MS;
    if (isDue || this.next !== null) await this.#refresh(now);
    else if (loads.length > 0) await this.#count(now - LOADED_MS);
    else if (this.#from !== null) await this.#count(this.#from);
  }

  /** Loads the newest counts as usual. */
  async #refresh(now: number): Promise<void> {
    const board = this.#board;
    const busy = board.series.all.some((series) => series.busy || series.run.phase === 'planned');
    if (busy || board.offline) return;
    this.last = now;
    this.next = this.streamed || this.every === null ? null : now + this.every;
    [this.#storedAt, this.#moved] = [now, false];
    const {
      source: { id: sourceId },
    } = board;
    if (sourceId === 'platform') await board.source.loadPlatform();
    else await board.loadSources();
    // Meanwhile it may have been turned off, or the source changed.
    if (!board.live || board.source.id !== sourceId || this.every === null) return;
    board.series.approval.live = true;
    await board.refreshDone();
    board.series.approval.live = false;
  }

  /** Turns it on, with a refresh at once, or off. */
  async toggle(now: number): Promise<void> {
    this.#board.live = !this.#board.live;
    this.next = this.#board.live ? now : null;
    await this.tick(now);
  }
}
