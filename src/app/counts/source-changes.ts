import type { Client } from '#app/api/client.ts';
import { ofSource, SOURCES, type Coverage, type SourceInfo } from '#contract/counts/source.ts';
import { Fault } from '#contract/fault.ts';
import type { Span } from '#core/time/span.ts';
import { storeKey, type RevisionPoint, type StoreRow } from '#app/counts/cache/records.ts';
import { StoreMoved } from '#app/counts/fetch/faults.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';
import { samePoint } from '#app/counts/cache/store-row.ts';
import type { Tabs } from './tabs.ts';

type Source = Pick<SourceInfo, 'id' | 'store' | 'revision' | 'mark'>;

/** The current state of a store, and what changed; null if the store does not know the revision in question. */
interface Changed {
  readonly now: RevisionPoint;
  readonly spans: readonly Span[] | null;
  readonly coverage: Coverage;
}

/** The number of times to ask again because another tab noted a revision in the meantime. */
const ROUNDS = 4;

/** Keeps the cached counts up to date with the changes of their stores of Posts. */
export class SourceChanges {
  readonly #client: Client;
  readonly #store: StoreClient;
  readonly #tabs: Tabs;
  readonly #following = new Map<string, Promise<StoreRow>>();
  readonly #restored = new Set<(key: string) => void>();
  readonly #followed = new Set<(row: StoreRow) => void>();
  /** All series share one request: none of them aborts it. */
  readonly #signal = new AbortController().signal;

  constructor(client: Client, store: StoreClient, tabs: Tabs) {
    this.#client = client;
    this.#store = store;
    this.#tabs = tabs;
    tabs.listen(({ series }) => this.#notify(series));
  }

  /**
   * Calls back with the key of a store when this tab or another has dropped its counts because the store was restored
   * from a backup. @returns Unsubscribes.
   */
  onRestored(listener: (key: string) => void): () => void {
    this.#restored.add(listener);
    return () => this.#restored.delete(listener);
  }

  /** Calls back after every {@link follow} of this tab. @returns Unsubscribes. */
  onFollowed(listener: (row: StoreRow) => void): () => void {
    this.#followed.add(listener);
    return () => this.#followed.delete(listener);
  }

  /**
   * Fetches what changed in a store since the last call, and invalidates it. Drops all counts of the store if it does
   * not know the revision that they are from. Concurrent calls share one request.
   *
   * @throws {StoreMoved} if the source has another store now.
   * @throws {Fault} if the service cannot be reached (without retrying) or refuses.
   */
  async follow(source: Source): Promise<StoreRow> {
    const key = storeKey(source.id, source.store);
    let following = this.#following.get(key);
    if (!following) {
      following = this.#follow(key, source)
        .then((row) => {
          for (const listener of this.#followed) listener(row);
          return row;
        })
        .finally(() => this.#following.delete(key));
      this.#following.set(key, following);
    }
    return await following;
  }

  /**
   * True if the store still knows a revision that an answer named.
   *
   * @throws {StoreMoved} or {@link Fault}, as {@link follow}.
   */
  async knows(source: Source, point: RevisionPoint): Promise<boolean> {
    return (await this.#ask(source, point)).spans !== null;
  }

  /**
   * Fetches the spans that changed in a store since a revision; null if it does not know that revision, or if the
   * source has another store now.
   *
   * @throws {Fault} as {@link follow}.
   */
  async since(source: Source, point: RevisionPoint): Promise<readonly Span[] | null> {
    try {
      return (await this.#ask(source, point)).spans;
    } catch (error) {
      if (error instanceof StoreMoved) return null;
      throw error;
    }
  }

  async #follow(key: string, source: Source): Promise<StoreRow> {
    let row = await this.#store.storeRow(key, source);
    for (let round = 1; ; round += 1) {
      const before = row;
      const { now, spans, coverage } = await this.#askAll(source, before);
      if (spans) {
        if (spans.length === 0 && samePoint(now, before) && !before.named)
          return { ...before, coverage };
        row = await this.#store.noteChanges(before, now, spans);
      } else {
        row = await this.#store.resetStore(before, now);
        this.#notify(key);
        this.#tabs.send({ series: key, progress: null });
      }
      // Another tab may have been faster and noted another revision.
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

  #notify(key: string): void {
    for (const listener of this.#restored) listener(key);
  }
}
