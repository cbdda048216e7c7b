import type { Client } from '#app/api/client.ts';
import { isAway } from '#app/api/answer-fault.ts';
import { BOARD_CHANGED, BOARDS, NO_ROOM_FOR_BOARD } from '#contract/accounts/boards.ts';
import { Fault } from '#contract/fault.ts';
import type { BoardSyncClient } from './worker/client.ts';

/** Most rounds of storing what other browsers change at the same time. */
const MOST_ROUNDS = 5;

export interface BoardSyncDeps {
  readonly client: Pick<Client, 'json' | 'send'>;
  readonly sync: BoardSyncClient;
  /** Reports why a board could not be stored or read; each reason once. */
  report(problem: string): void;
  /** Does work while no other tab of this browser does: the boards of both are the same, and would be stored twice. */
  alone(work: () => Promise<void>): Promise<void>;
}

/** Exchanges the saved boards of this browser with those that the service stores. */
export class BoardExchange {
  readonly #deps: BoardSyncDeps;
  readonly #reported = new Set<string>();
  /** True if boards may have changed here since all of them were compared. */
  #mayDiffer = true;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(deps: BoardSyncDeps) {
    this.#deps = deps;
  }

  /** Notes that a tab of this browser has written boards. */
  written(): void {
    this.#mayDiffer = true;
  }

  /** As {@link run}, also for a board that was just saved here and not announced yet. */
  runAll(): Promise<void> {
    this.written();
    return this.run();
  }

  /**
   * Reads what other browsers stored, merges it with what is here, and stores the result. Calls during a run share one
   * that begins after it. Without an answer of the service, the next call does it.
   */
  run(): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    const { alone } = this.#deps;
    this.#running = alone(() => this.#all()).finally(() => (this.#running = null));
    return this.#running;
  }

  async #all(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#once();
      } catch (error) {
        this.#mayDiffer = true;
        if (!isAway(error)) this.#report(error, 'Boards could not be exchanged with the service.');
        return;
      }
    } while (this.#again);
  }

  async #once(): Promise<void> {
    const { client, sync } = this.#deps;
    const { signal } = new AbortController();
    const { path, answer } = BOARDS.list;
    const { boards } = await client.json(path, answer, { signal, impatient: true });
    const { ids, lost } = await sync.changed(boards);
    for (const id of ids) await this.#take(id);
    if (!this.#mayDiffer && !lost && ids.length === 0) return;
    this.#mayDiffer = false;
    const there = new Set(boards.map(({ id }) => id));
    const unfit = new Set<string>();
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const pending = (await sync.pending([...there])).filter((id) => !unfit.has(id));
      if (pending.length === 0) return;
      for (const id of pending) {
        if (await this.#store(id)) there.add(id);
        else unfit.add(id);
      }
    }
    this.#mayDiffer = true;
  }

  /** Stores a board, or reads what another browser has stored since. @returns False if the service refuses it. */
  async #store(id: string): Promise<boolean> {
    const { client, sync } = this.#deps;
    const board = await sync.toSend(id);
    if (!board) return true;
    const { after, version } = board;
    const { method, answer } = BOARDS.store;
    const { signal } = new AbortController();
    try {
      const { revision } = await client.send(method, pathOf(id), { after, version }, answer, {
        signal,
      });
      await sync.sent(board, revision);
      return true;
    } catch (error) {
      if (isAway(error) || !(error instanceof Fault)) throw error;
      if (error.body.type === BOARD_CHANGED) {
        await this.#take(id);
        return true;
      }
      const full = error.body.type === NO_ROOM_FOR_BOARD || error.status === 413;
      if (!full) throw error;
      this.#report(error, `${board.name} is stored only in this browser.`);
      return false;
    }
  }

  /** Merges the version of the service. One that cannot be read stays there as it is. */
  async #take(id: string): Promise<void> {
    const { client, sync } = this.#deps;
    const { signal } = new AbortController();
    try {
      const { answer } = BOARDS.read;
      const options = { signal, impatient: true };
      const { revision, version } = await client.json(pathOf(id), answer, options);
      await sync.take(id, revision, version);
    } catch (error) {
      if (isAway(error)) throw error;
      this.#report(error, 'A board that another browser stored cannot be read here.');
    }
  }

  #report(error: unknown, what: string): void {
    const why = error instanceof Fault ? (error.body.detail ?? error.message) : String(error);
    const problem = `${what} ${why}`;
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#deps.report(problem);
  }
}

const pathOf = (id: string): string => `${BOARDS.read.path}?${new URLSearchParams({ id })}`;

/** The interval at which a visible page looks for boards of other browsers, ms. */
const EVERY_MS = 30_000;

export interface Follower extends Omit<BoardSyncDeps, 'alone'> {
  /** Calls back when any tab of this browser has written boards. */
  onBoards(written: () => void): void;
  /** `setInterval`. */
  every(act: () => void, ms: number): unknown;
  visible(): boolean;
  /** For `visibilitychange` and `online`. */
  readonly window: Window;
}

/** Exchanges boards now, after each change here, and regularly while the page is visible. */
export function followBoards(deps: Follower): BoardExchange {
  // Outside a secure context there are no locks.
  const alone: BoardSyncDeps['alone'] = async (work) =>
    'locks' in navigator ? await navigator.locks.request('groundswell-boards', work) : await work();
  const exchange = new BoardExchange({ ...deps, alone });
  const run = (): void => {
    if (deps.visible()) void exchange.run();
  };
  deps.onBoards(() => {
    exchange.written();
    run();
  });
  deps.every(run, EVERY_MS);
  deps.window.addEventListener('online', run);
  deps.window.document.addEventListener('visibilitychange', run);
  run();
  return exchange;
}
