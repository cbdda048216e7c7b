import type { Client, Wait } from '#app/api/client.ts';
import { UNREACHABLE, unreachable } from '#app/api/client.ts';
import { Fault, invalidRequest } from '#contract/fault.ts';
import { freshness } from '#core/counts/head.ts';
import { RULES_VERSION, format } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import type { Pyramid } from '#core/series/pyramid.ts';
import type { Curve } from '#core/series/series.ts';
import { Asking } from './asking.ts';
import type { StoreRow } from './cache-port.ts';
import { seriesKey, storeKey } from './cache-port.ts';
import type { Changes } from './changes.ts';
import { StoreMoved } from './faults.ts';
import type { Keeping, Knowledge, Opening } from './keeper-port.ts';
import { POLICIES } from './policy.ts';
import type { Need, View } from './view.ts';
import { viewOf } from './view.ts';

export type { Need } from './view.ts';

/** Lets one fetcher of a name run at a time; the others wait, in this tab and in others. */
export type Lock = (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>;

export interface RunDeps {
  readonly keeper: Keeping;
  readonly client: Client;
  readonly changes: Changes;
  readonly lock: Lock;
  /** In `[0, 1)`. */
  readonly random: () => number;
}

/** How often a run looks again at a store that changes while it is read. */
const ROUNDS = 3;

/** Type of the {@link Fault} for what should not happen. */
const BROKEN_PAGE = 'groundswell:broken-page';

/** Number of the last desk opened. */
let desks = 0;

/** One series of the board: shows what is known at once, asks what is missing, redraws as pages arrive. */
export class SeriesRun {
  phase = $state<'idle' | 'reading' | 'fetching' | 'done' | 'cancelled' | 'failed'>('idle');
  /** Pages of this run. */
  progress = $state.raw({ done: 0, total: 0 });
  /** What is waited for, epoch ms; the longest where there are several. */
  wait = $state.raw<Wait | null>(null);
  /** Set with phase `failed`. */
  fault = $state.raw<Fault | null>(null);
  /** The service cannot be reached; what is cached is shown. */
  offline = $state(false);
  /** Replaced whole as pages arrive. */
  curve = $state.raw<Curve | null>(null);
  pyramid = $state.raw<Pyramid | null>(null);
  /** Counts requests sent by this run. */
  requests = $state(0);

  readonly #deps: RunDeps;
  readonly #waits = new Map<string, Wait>();
  #controller: AbortController | null = null;
  #series = '';
  #desk: number | null = null;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /** Shows a need and asks what of it is missing; replaces whatever the run was at. */
  async ask(need: Need): Promise<void> {
    await this.#begin(need, false);
  }

  /** As {@link ask}, and asks the newest counts again though they are fresh. */
  async refresh(need: Need): Promise<void> {
    await this.#begin(need, true);
  }

  /** Stops asking; what has arrived stays. */
  cancel(): void {
    if (this.phase !== 'reading' && this.phase !== 'fetching') return;
    this.#controller?.abort();
    this.phase = 'cancelled';
    this.wait = null;
  }

  /** Stops, and lets go of what it holds in memory; the run can be asked again. */
  dispose(): void {
    this.cancel();
    this.#controller?.abort();
    if (this.#desk !== null) void this.#deps.keeper.close(this.#desk).catch(() => undefined);
    this.#desk = null;
  }

  async #begin(need: Need, force: boolean): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const { signal } = controller;
    this.phase = 'reading';
    this.progress = { done: 0, total: 0 };
    this.wait = null;
    this.#waits.clear();
    this.fault = null;
    this.requests = 0;
    try {
      await this.#follow(need, force, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.wait = null;
      this.fault = faultFrom(error);
      this.offline = this.fault.body.type === UNREACHABLE;
      this.phase = 'failed';
    }
  }

  /** Goes along where the source has another store than was thought. */
  async #follow(need: Need, force: boolean, signal: AbortSignal): Promise<void> {
    let { source } = need;
    for (let round = 1; ; round += 1) {
      try {
        await this.#look({ ...need, source }, force, signal);
        return;
      } catch (error) {
        if (!(error instanceof StoreMoved) || round === ROUNDS) throw error;
        source = { ...source, store: error.store, revision: error.revision };
      }
    }
  }

  async #look(need: Need, force: boolean, signal: AbortSignal): Promise<void> {
    const { source, endpoint, resolution } = need;
    const { keeper, client, changes, lock, random } = this.#deps;
    const policy = POLICIES[source.id];
    const view = viewOf(need);
    const { granularity, span } = view;
    const series = seriesKey(source.id, source.store, canonical(need), RULES_VERSION);
    if (series !== this.#series) {
      this.#series = series;
      this.curve = null;
      this.pyramid = null;
    }
    let row = await keeper.store(storeKey(source.id, source.store), source.revision);
    let paid = 0;
    const open = async (): Promise<Asking> => {
      const { settleMs } = policy;
      const opening = { series, granularity, span, raised: row.raised, settleMs };
      const { desk, known } = await this.#open(opening, signal);
      const context = {
        desk,
        source,
        endpoint,
        query: need.query,
        granularity,
        span,
        policy,
        pageDays: row.pageDays,
        keeper,
        client,
        random,
        signal,
        freshMs: force ? 0 : freshness(resolution),
        onProgress: (done: number, total: number) => {
          if (!signal.aborted) this.progress = { done: paid + done, total: paid + total };
        },
        onSend: () => {
          if (!signal.aborted) this.requests += 1;
        },
        onWait: (id: string, wait: Wait | null) => {
          if (!signal.aborted) this.#noteWait(id, wait);
        },
        // A failure to draw shows again when the run ends.
        onArrival: () => void draw().catch(() => undefined),
      };
      return new Asking(context, known);
    };
    let asking = await open();
    const draw = this.#drawer(view, () => asking, signal);
    await draw();
    if (policy.tellsChanges) {
      const before = JSON.stringify(row.raised);
      row = await this.#changed(row, () => changes.follow(source), signal);
      if (JSON.stringify(row.raised) !== before) {
        asking = await open();
        await draw();
      }
    }
    const planned = asking.plan().length;
    if (planned > 0) {
      if (this.offline) throw unreachable('it could not be asked what changed');
      this.phase = 'fetching';
      this.progress = { done: 0, total: planned };
      await lock(`groundswell ${series}`, signal, async () => {
        for (let round = 1; ; round += 1) {
          asking = await open();
          // It goes on changing: what changed last is shown as provisional, and asked by the next look.
          if (round > ROUNDS) return;
          await asking.all();
          if (asking.failures.length > 0 || asking.revision <= row.revision) return;
          paid = this.progress.done;
          row = await changes.follow(source);
        }
      });
    }
    await draw();
    this.wait = null;
    const [failure] = asking.failures;
    if (failure) throw failure.fault;
    this.phase = 'done';
  }

  /** Opens a desk in place of the one before, so that a look called off cannot touch this one's. */
  async #open(
    opening: Omit<Opening, 'before'>,
    signal: AbortSignal,
  ): Promise<{ desk: number; known: Knowledge }> {
    const { keeper } = this.#deps;
    desks += 1;
    const desk = desks;
    const before = this.#desk;
    const known = await keeper.open(desk, { ...opening, before });
    if (signal.aborted) await keeper.close(desk);
    signal.throwIfAborted();
    this.#desk = desk;
    if (before !== null) await keeper.close(before);
    return { desk, known };
  }

  /** What changed in the store; where the service cannot be reached, what was known before. */
  async #changed(
    row: StoreRow,
    follow: () => Promise<StoreRow>,
    signal: AbortSignal,
  ): Promise<StoreRow> {
    try {
      const now = await follow();
      signal.throwIfAborted();
      this.offline = false;
      return now;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Fault) || error.body.type !== UNREACHABLE) throw error;
      this.offline = true;
      return row;
    }
  }

  #noteWait(id: string, wait: Wait | null): void {
    if (wait) this.#waits.set(id, wait);
    else this.#waits.delete(id);
    const all = [...this.#waits.values()];
    this.wait = all.reduce<Wait | null>((a, b) => (a && a.until >= b.until ? a : b), null);
  }

  /** Draws what the keeper has; calls while it draws are answered by one more drawing. */
  #drawer(view: View, asking: () => Asking, signal: AbortSignal): () => Promise<void> {
    let dirty = false;
    let drawing: Promise<void> | null = null;
    const all = async (): Promise<void> => {
      while (dirty && !signal.aborted) {
        dirty = false;
        const failed = asking().failures.map(({ span }) => span);
        const { bounds, cut } = view;
        const { desk, reach } = asking();
        const drawn = await this.#deps.keeper.draw(desk, { bounds, cut, reach, failed });
        if (signal.aborted) return;
        this.curve = drawn.curve;
        this.pyramid = drawn.pyramid;
      }
    };
    return async () => {
      dirty = true;
      drawing ??= all().finally(() => {
        drawing = null;
      });
      await drawing;
      signal.throwIfAborted();
    };
  }
}

/** The key's form of the query's text. */
function canonical({ query, endpoint }: Need): string {
  const parsed = parse(query, { product: endpoint });
  if (parsed.ok) return format(parsed.ast);
  const [diagnostic] = parsed.diagnostics;
  throw invalidRequest('query', query, diagnostic?.message ?? 'the query cannot be read');
}

function faultFrom(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new Fault(0, { title: 'This page could not go on', detail, type: BROKEN_PAGE });
}
