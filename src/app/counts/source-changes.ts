import type { Client } from '#app/api/client.ts';
import type { Coverage, SourceInfo } from '#contract/source.ts';
import { ofSource, SOURCES } from '#contract/source.ts';
import { Fault } from '#contract/fault.ts';
import type { Span } from '#core/time/span.ts';
import type { RevisionPoint, StoreRow } from '#app/counts/cache/records.ts';
import { storeKey } from '#app/counts/cache/records.ts';
import { StoreMoved } from '#app/counts/fetch/faults.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';
import { samePoint } from '#app/counts/cache/store-row.ts';
import type { Tabs } from './tabs.ts';

type Source = Pick<SourceInfo, 'id' | 'store' | 'revision' | 'mark'>;

/** Where a store is, and what changed; null where it does not know the revision that it was asked about. */
interface Changed {
  readonly now: RevisionPoint;
  readonly spans: readonly Span[] | null;
  readonly coverage: Coverage | null;
}

/** How often what another tab noted meanwhile is asked about again. */
const ROUNDS = 4;

/** Follows what changed in the stores of posts. */
export class SourceChanges {
  readonly #client: Client;
  readonly #keeper: StoreClient;
  readonly #tabs: Tabs;
  readonly #asking = new Map<string, Promise<StoreRow>>();
  readonly #restored = new Set<(key: string) => void>();
  /** The question is shared by all series: none of them calls it off. */
  readonly #signal = new AbortController().signal;

  constructor(client: Client, keeper: StoreClient, tabs: Tabs) {
    this.#client = client;
    this.#keeper = keeper;
    this.#tabs = tabs;
    tabs.listen(({ series }) => this.#tell(series));
  }

  /**
   * Calls when the counts of a store, by its key, were dropped, in this tab or another: the store was put back from
   * a backup. @returns Stops that.
   */
  onRestored(hear: (key: string) => void): () => void {
    this.#restored.add(hear);
    return () => this.#restored.delete(hear);
  }

  /**
   * Asks what changed in a store since it was last asked, and raises the generation over that. Where the service
   * does not know what is known of the store, drops all its counts. Calls at the same time share one question.
   *
   * @throws {StoreMoved} where the source has another store by now.
   * @throws {Fault} where the service cannot be reached (at once) or refuses.
   */
  async follow(source: Source): Promise<StoreRow> {
    const key = storeKey(source.id, source.store);
    let asking = this.#asking.get(key);
    if (!asking) {
      asking = this.#follow(key, source).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return await asking;
  }

  /**
   * Whether the store still knows a revision that an answer named.
   *
   * @throws {StoreMoved} {@link Fault} as {@link follow}.
   */
  async knows(source: Source, point: RevisionPoint): Promise<boolean> {
    return (await this.#ask(source, point)).spans !== null;
  }

  async #follow(key: string, source: Source): Promise<StoreRow> {
    let row = await this.#keeper.store(key, source);
    for (let round = 1; ; round += 1) {
      const before = row;
      const { now, spans, coverage } = await this.#askAll(source, before);
      if (spans) {
        if (spans.length === 0 && samePoint(now, before) && !before.named)
          return { ...before, coverage };
        row = await this.#keeper.raise(before, now, spans);
      } else {
        row = await this.#keeper.restored(before, now);
        this.#tell(key);
        this.#tabs.tell({ series: key, progress: null });
      }
      // Another tab may have been faster, and know something else.
      if (samePoint(row, now) || round === ROUNDS) return { ...row, coverage };
    }
  }

  async #askAll(source: Source, row: StoreRow): Promise<Changed> {
    for (const point of row.named ?? []) {
      const changed = await this.#ask(source, point);
      if (!changed.spans) return changed;
    }
    return await this.#ask(source, row);
  }

  async #ask(source: Source, { revision, mark }: RevisionPoint): Promise<Changed> {
    const options = { signal: this.#signal, impatient: true };
    const search = new URLSearchParams({ since: String(revision), ...(mark && { mark }) });
    const changes = ofSource(SOURCES.changes, source.id);
    const path = `${changes.path}?${search.toString()}`;
    try {
      const answer = await this.#client.json(path, changes.answer, options);
      const now = { revision: answer.revision, mark: answer.mark };
      if (answer.store !== source.store) throw new StoreMoved(answer.store, now);
      const spans = answer.spans.map(({ start, end }) => ({
        start: Date.parse(start),
        end: Date.parse(end),
      }));
      return { now, spans, coverage: answer.coverage };
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 410) throw error;
      const { path, answer } = SOURCES.list;
      const { data } = await this.#client.json(path, answer, options);
      const now = data.find(({ id }) => id === source.id);
      if (!now) throw error;
      if (now.store !== source.store) throw new StoreMoved(now.store, now);
      return {
        now: { revision: now.revision, mark: now.mark },
        spans: null,
        coverage: now.coverage,
      };
    }
  }

  #tell(key: string): void {
    for (const hear of this.#restored) hear(key);
  }
}
