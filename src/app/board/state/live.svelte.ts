import { policyOf } from '#app/counts/source-policy.ts';
import { livePace, type Allowance } from '#core/counts/live-budget.ts';
import { usd } from '#core/counts/price.ts';
import { add, startOf } from '#core/time/calendar.ts';
import { HOUR_MS, SECOND_MS } from '#core/time/span.ts';
import type { Board } from './board.svelte.ts';

/** How often the user's own posts refresh: that costs nothing. */
const OWN_MS = 10 * SECOND_MS;

/** Refreshes the newest counts of a board at the pace its budget allows. */
export class Live {
  readonly #board: Board;
  readonly #visible: () => boolean;
  /** When the newest counts were last requested and when they are next, epoch ms; null before the first time. */
  last = $state<number | null>(null);
  next = $state<number | null>(null);

  /** Requests and money, in USD, that one refresh takes. */
  readonly cost = $derived.by(() => {
    const {
      series: { all: series },
      source: { id: sourceId, platform },
    } = this.#board;
    const asked = series.filter((one) => one.countable).length;
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
  /** Whether the range ends now, so that there is anything to refresh. */
  readonly possible = $derived.by(() => this.#board.time.span.end > this.#board.time.now - HOUR_MS);

  /** @param visible - Whether the page is in sight; a hidden page refreshes nothing. */
  constructor(board: Board, visible: () => boolean) {
    this.#board = board;
    this.#visible = visible;
  }

  /** What may still be spent in this UTC day and month, the periods the platform bills by. */
  #allowances(now: number): Allowance[] {
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

  /** Refreshes what is due. Call it about every second. */
  async tick(now: number): Promise<void> {
    const board = this.#board;
    if (!board.live || board.foreign || !this.possible || this.every === null) {
      this.next = null;
      return;
    }
    this.next ??= (this.last ?? now) + this.every;
    const busy = board.series.all.some((one) => one.busy || one.run.phase === 'planned');
    if (now < this.next || busy || !this.#visible() || board.offline) return;
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
