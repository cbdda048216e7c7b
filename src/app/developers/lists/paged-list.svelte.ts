import { faultText } from '#app/format/fault-text.ts';

/** Entries of a list by ascending id, and where the next page begins; null if there is none. */
export interface ListPage<T> {
  readonly entries: readonly T[];
  readonly next: string | null;
}

/** A visible list, loaded a page at a time. */
export class PagedList<T extends { readonly id: string }> {
  readonly #load: (after: string | undefined) => Promise<ListPage<T>>;
  /** Null until loaded. */
  entries = $state.raw<readonly T[] | null>(null);
  isLoading = $state(false);
  /** The reason the last page could not be loaded; empty if it was. */
  fault = $state('');
  #next = $state<string | null>(null);
  readonly hasMore: boolean = $derived(this.#next !== null);
  /** True if the next load replaces what is visible. */
  #isStale = true;
  #loads = 0;

  /** @param load - Loads the page after an id; the first without one. */
  constructor(load: (after: string | undefined) => Promise<ListPage<T>>) {
    this.#load = load;
  }

  /** Loads the first page in place of what is visible. An earlier load that still runs has no effect. */
  async restart(): Promise<void> {
    this.#isStale = true;
    await this.#add();
  }

  /** Loads the next page, or again the one that failed. */
  async more(): Promise<void> {
    if (!this.isLoading) await this.#add();
  }

  remove(id: string): void {
    this.entries = this.entries?.filter((entry) => entry.id !== id) ?? null;
  }

  /** Puts an entry in its place. If it belongs to a page that is not loaded yet, that page brings it. */
  insert(entry: T): void {
    if (!this.entries || this.entries.some(({ id }) => id === entry.id)) return;
    const at = this.entries.findIndex(({ id }) => BigInt(id) > BigInt(entry.id));
    if (at === -1 && this.hasMore) return;
    this.entries = this.entries.toSpliced(at === -1 ? this.entries.length : at, 0, entry);
  }

  async #add(): Promise<void> {
    const load = ++this.#loads;
    this.isLoading = true;
    this.fault = '';
    try {
      const { entries, next } = await this.#load((!this.#isStale && this.#next) || undefined);
      if (load !== this.#loads) return;
      this.entries = this.#isStale ? entries : [...(this.entries ?? []), ...entries];
      this.#next = next;
      this.#isStale = false;
    } catch (error) {
      if (load !== this.#loads) return;
      this.fault = faultText(error);
    }
    this.isLoading = false;
  }
}
