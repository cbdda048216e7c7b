import type { TabMessage, Tabs } from './tabs.ts';

type Progress = NonNullable<TabMessage['progress']>;

/** What a run has to tell of itself, and what it does when it is told. */
export interface Teller {
  key(): string;
  /** How far it is where it fetches; else null. */
  fetching(): Progress | null;
  /** Another tab wrote, or stopped. */
  onWritten(): void;
}

/** What the other tabs tell of one series, and what they are told of it. */
export class OtherTabs {
  /** How far another tab is that fetches the series. */
  progress = $state.raw<Progress | null>(null);
  readonly #tabs: Tabs;
  readonly #teller: Teller;
  #overtaken = new AbortController();
  #deaf: (() => void) | null = null;

  constructor(tabs: Tabs, teller: Teller) {
    this.#tabs = tabs;
    this.#teller = teller;
  }

  /** Hears of them from now on, until {@link leave}. */
  listen(): void {
    this.#deaf ??= this.#tabs.listen(({ series, progress }) => {
      if (series !== this.#teller.key()) return;
      if (progress === undefined) {
        const own = this.#teller.fetching();
        if (own) this.tell(own);
        return;
      }
      this.progress = progress;
      if (progress) this.#overtaken.abort();
      this.#teller.onWritten();
    });
  }

  leave(): void {
    this.#deaf?.();
    this.#deaf = null;
  }

  /** Tells how far this tab is; null: it stopped. */
  tell(progress: Progress | null): void {
    this.#tabs.tell({ series: this.#teller.key(), progress });
  }

  /** Asks whoever fetches to tell: it may be waiting, and tell of no progress for long. */
  ask(): void {
    this.#tabs.tell({ series: this.#teller.key() });
  }

  /** Aborted when, from now on, another tab tells that it buys the series. */
  overtaken(): AbortSignal {
    this.#overtaken = new AbortController();
    return this.#overtaken.signal;
  }
}
