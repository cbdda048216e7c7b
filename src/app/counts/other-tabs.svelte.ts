import type { TabMessage, Tabs } from './tabs.ts';

type Progress = NonNullable<TabMessage['progress']>;

/** The run on whose behalf tabs are watched. */
export interface Teller {
  key(): string;
  /** Its progress while it fetches; else null. */
  fetching(): Progress | null;
  /** Another tab wrote, or stopped. */
  onWritten(): void;
}

/** Exchanges the progress of one series with the other tabs. */
export class OtherTabs {
  /** Progress of another tab that fetches the series. */
  progress = $state.raw<Progress | null>(null);
  readonly #tabs: Tabs;
  readonly #teller: Teller;
  #overtaken = new AbortController();
  #deaf: (() => void) | null = null;

  constructor(tabs: Tabs, teller: Teller) {
    this.#tabs = tabs;
    this.#teller = teller;
  }

  /** Subscribes, until {@link leave}. */
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

  /** Reports this tab's progress; null: it stopped. */
  tell(progress: Progress | null): void {
    this.#tabs.tell({ series: this.#teller.key(), progress });
  }

  /** Asks a tab that fetches to report its progress: it may be waiting, and report nothing for long. */
  ask(): void {
    this.#tabs.tell({ series: this.#teller.key() });
  }

  /** Aborted when another tab reports from now on that it buys the series. */
  overtaken(): AbortSignal {
    this.#overtaken = new AbortController();
    return this.#overtaken.signal;
  }
}
