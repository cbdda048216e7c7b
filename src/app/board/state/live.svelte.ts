import { policyOf } from '#app/counts/source-policy.ts';
import { livePace, type SpendingAllowance } from '#core/counts/live-budget.ts';
import { usd } from '#core/counts/price.ts';
import { add, startOf } from '#core/time/calendar.ts';
import { HOUR_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import type { Board } from './board.svelte.ts';

/** The interval at which the user's own posts refresh, and a board looks for changes: that costs nothing. */
const OWN_MS = 10 * SECOND_MS;

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
}

/** Refreshes the newest counts of a board at the pace its budget allows, and loads older ones that changed. */
export class Live {
  readonly #board: Board;
  readonly #deps: LiveDeps;
  /** The time at which it last checked for changes, epoch ms. */
  #checkedAt = 0;
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

  /**
   * Loads the board again if Posts changed that are no news: an import, a collection that was switched, a restored
   * store. Posts of the last hour wait for a refresh.
   */
  async #checkChanges(now: number): Promise<void> {
    const board = this.#board;
    const { info, offline } = board.source;
    // The platform has no revisions.
    if (!info || info.id === 'platform' || offline) return;
    if (now < this.#checkedAt + OWN_MS || !this.#deps.visible()) return;
    this.#checkedAt = now;
    const spans = await this.#deps.changes(info).catch(() => []);
    const changed = spans === null || spans.some(({ start }) => start < now - HOUR_MS);
    if (changed && board.source.info === info) await board.loadSources();
  }

  /** Refreshes what is due. Call it about every second. */
  async tick(now: number): Promise<void> {
    const board = this.#board;
    if (!board.live || board.foreign || !this.possible || this.every === null) {
      this.next = null;
      await this.#checkChanges(now);
      return;
    }
    this.next ??= (this.last ?? now) + this.every;
    const busy = board.series.all.some((series) => series.busy || series.run.phase === 'planned');
    if (now < this.next || busy || !this.#deps.visible() || board.offline) return;
    this.last = now;
    this.next = now + this.every;
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
