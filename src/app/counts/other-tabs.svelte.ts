import type { TabMessage, Tabs } from './tabs.ts';

type Progress = NonNullable<TabMessage['progress']>;

/** The run on whose behalf tabs are watched. */
export interface WatchedRun {
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
  readonly #run: WatchedRun;
  #overtaken = new AbortController();
  #unsubscribe: (() => void) | null = null;

  constructor(tabs: Tabs, run: WatchedRun) {
    this.#tabs = tabs;
    this.#run = run;
  }

  /** Subscribes, until {@link leave}. */
  listen(): void {
    this.#unsubscribe ??= this.#tabs.listen(({ series, progress }) => {
      if (series !== this.#run.key()) return;
      if (progress === undefined) {
        const own = this.#run.fetching();
        if (own) this.report(own);
        return;
      }
      this.progress = progress;
      if (progress) this.#overtaken.abort();
      this.#run.onWritten();
    });
  }

  leave(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  /** Reports this tab's progress; null: it stopped. */
  report(progress: Progress | null): void {
    this.#tabs.send({ series: this.#run.key(), progress });
  }

  /** Asks a tab that fetches to report its progress: it may be waiting, and report nothing for long. */
  requestProgress(): void {
    this.#tabs.send({ series: this.#run.key() });
  }

  /** Aborted when another tab reports from now on that it buys the series. */
  overtaken(): AbortSignal {
    this.#overtaken = new AbortController();
    return this.#overtaken.signal;
  }
}
