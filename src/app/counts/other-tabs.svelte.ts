import type { TabMessage, Tabs } from './tabs.ts';

type Progress = NonNullable<TabMessage['progress']>;

/** The run that follows its series in other tabs. */
export interface WatchedRun {
  key(): string;
  /** Its progress while it fetches, else null. */
  fetching(): Progress | null;
  /** Called when another tab has written counts, or stopped. */
  onWritten(): void;
}

/** Exchanges the progress of one series with the other tabs. */
export class OtherTabs {
  /** Progress of another tab that is fetching the series. */
  progress = $state.raw<Progress | null>(null);
  readonly #tabs: Tabs;
  readonly #run: WatchedRun;
  #overtaken = new AbortController();
  #unsubscribe: (() => void) | null = null;

  constructor(tabs: Tabs, run: WatchedRun) {
    this.#tabs = tabs;
    this.#run = run;
  }

  /** Subscribes until {@link leave}. */
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

  /** Reports this tab's progress; null: it has stopped. */
  report(progress: Progress | null): void {
    this.#tabs.send({ series: this.#run.key(), progress });
  }

  /** Asks other tabs for their progress: one that is waiting would report nothing for a long time. */
  requestProgress(): void {
    this.#tabs.send({ series: this.#run.key() });
  }

  /** Aborted as soon as another tab reports that it is buying the series. */
  overtaken(): AbortSignal {
    this.#overtaken = new AbortController();
    return this.#overtaken.signal;
  }
}
