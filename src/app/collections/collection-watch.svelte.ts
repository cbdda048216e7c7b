import { call, type EndpointClient } from '#app/api/endpoint-call.ts';
import { offerCollections } from '#app/editor/collection-names.ts';
import { COLLECTIONS, type CollectionInfo } from '#contract/posts/collections.ts';
import { Fault } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Span } from '#core/time/span.ts';

/** A collection that is new on the board, or has more Posts. */
export interface Arrival {
  readonly id: string;
  readonly name: string;
  readonly isNew: boolean;
  /** The Posts that it adds to the board's range; null until they are counted. */
  readonly adds: Added | null;
}

/** Posts of a range that count because of a collection. */
export interface Added {
  readonly posts: number;
  /** Those of each series of the board. */
  readonly series: readonly { readonly name: string; readonly posts: number }[];
}

interface WatchDeps {
  readonly client: EndpointClient;
  /** The range of the board. */
  readonly span: () => Span;
  /** Its series. */
  readonly series: () => readonly { readonly name: string; readonly query: string }[];
  /** Called when other Posts count than the board shows. */
  readonly onchanged: () => void;
}

/** Posts that nothing imported, which arrive one by one. */
const isImport = ({ source }: CollectionInfo): boolean => source !== null;

/** Notices collections that an import brings while the board is open, whichever tab or command runs it. */
export class CollectionWatch {
  readonly #deps: WatchDeps;
  #known: ReadonlyMap<string, CollectionInfo> | null = null;
  #loading = false;
  /** The arrivals, oldest first, until the user decides. */
  arrivals = $state.raw<readonly Arrival[]>([]);

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** Looks for changes; the first call learns what there is. Without an answer nothing changes. */
  async look(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    try {
      const { collections: all } = await call(this.#deps.client, COLLECTIONS.list);
      offerCollections(all.map(({ name }) => name));
      const known = this.#known;
      // A removed collection stays known, so that its restoration is no arrival.
      this.#known = new Map([
        ...(known ?? []),
        ...all.map((collection) => [collection.id, collection] as const),
      ]);
      const there = new Set(all.map(({ id }) => id));
      if (this.arrivals.some(({ id }) => !there.has(id)))
        this.arrivals = this.arrivals.filter(({ id }) => there.has(id));
      const came = known
        ? all.filter(
            (collection) =>
              isImport(collection) &&
              collection.included &&
              collection.posts > (known.get(collection.id)?.posts ?? 0),
          )
        : [];
      if (!known || came.length === 0) return;
      // The first Posts of all change no number that anybody has seen.
      if ([...known.values()].every(({ posts }) => posts === 0)) this.#deps.onchanged();
      else await this.#announce(came, known);
    } catch {
      // The page says elsewhere that the service does not answer; the next look tries again.
    } finally {
      this.#loading = false;
    }
  }

  async #announce(
    came: readonly CollectionInfo[],
    known: ReadonlyMap<string, CollectionInfo>,
  ): Promise<void> {
    const shown = new Map(this.arrivals.map((arrival) => [arrival.id, arrival]));
    for (const { id, name } of came) {
      const isNew = shown.get(id)?.isNew ?? !known.has(id);
      shown.set(id, { id, name, isNew, adds: null });
    }
    this.arrivals = [...shown.values()];
    this.#deps.onchanged();
    await this.#count(came);
  }

  async #count(collections: readonly Pick<CollectionInfo, 'id'>[]): Promise<void> {
    const { span, series } = this.#deps;
    for (const { id } of collections) {
      const posts = await this.#added(id, span());
      const each: { name: string; posts: number }[] = [];
      for (const { name, query } of posts === 0 ? [] : series()) {
        // A query that the service refuses has its fault at the series.
        const own = await this.#added(id, span(), query).catch((error: unknown) => {
          if (error instanceof Fault && error.status === 400) return null;
          throw error;
        });
        if (own !== null) each.push({ name, posts: own });
      }
      const adds = { posts, series: each };
      this.arrivals = this.arrivals.map((arrival) =>
        arrival.id === id ? { ...arrival, adds } : arrival,
      );
    }
  }

  /** Posts of a span, or those that match a query, that count only because of a collection. */
  async #added(id: string, { start, end }: Span, query?: string): Promise<number> {
    const times = { start_time: formatInstant(start), end_time: formatInstant(end) };
    const input = { params: { id }, query: { ...times, query } };
    return (await call(this.#deps.client, COLLECTIONS.added, input)).posts;
  }

  /** Counts again what arrived, for another range. */
  async recount(): Promise<void> {
    try {
      await this.#count(this.arrivals);
    } catch {
      // The notice keeps the count of the range before.
    }
  }

  /** Keeps a collection in: its notice goes. */
  keep(id: string): void {
    this.arrivals = this.arrivals.filter((arrival) => arrival.id !== id);
  }

  /** Switches a collection out. @throws {Fault} if the service refuses. */
  async leaveOut(id: string): Promise<void> {
    await this.include(id, false);
    this.keep(id);
  }

  /** Switches a collection in or out. @throws {Fault} as {@link leaveOut}. */
  async include(id: string, included: boolean): Promise<void> {
    const input = { params: { id }, body: { included } };
    await call(this.#deps.client, COLLECTIONS.change, input);
    this.#deps.onchanged();
    // Switching in is no arrival.
    this.#known = null;
    await this.look();
  }
}
