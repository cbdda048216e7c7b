import type { Breakdown, ReadBreakdown } from '#app/api/breakdown-api.ts';
import type { Subject } from './inspected.ts';

/** What the Posts of the drawer's subject consist of, counted by the service over all of them. */
export class BreakdownState {
  readonly #read: () => ReadBreakdown;
  #reading = new AbortController();
  #subject: Subject | null = null;
  data = $state.raw<Breakdown | null>(null);
  fault = $state.raw<unknown>(null);

  /** @param read - Of the current source; called at each use. */
  constructor(read: () => ReadBreakdown) {
    this.#read = read;
  }

  /** Breaks a subject down, unless that is what is shown; null ends reading. */
  open(subject: Subject | null): void {
    const now = this.#subject;
    const same =
      now?.key === subject?.key && now?.query === subject?.query && now?.count === subject?.count;
    if (same) return;
    this.#subject = subject;
    void this.retry();
  }

  /** Reads again. */
  async retry(): Promise<void> {
    this.#reading.abort();
    const { signal } = (this.#reading = new AbortController());
    this.data = null;
    this.fault = null;
    const subject = this.#subject;
    if (!subject || subject.query === '' || subject.counting) return;
    const { query, span, before } = subject;
    try {
      const data = await this.#read()({ query, span, before }, signal);
      if (!signal.aborted) this.data = data;
    } catch (error) {
      if (!signal.aborted) this.fault = error;
    }
  }
}
