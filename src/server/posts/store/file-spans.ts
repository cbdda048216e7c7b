import type { Span } from '#core/time/span.ts';

interface FileSpan {
  start: number;
  end: number;
}

/** From the first to the last Post of each file that is read, one file after another. */
export class FileSpans {
  readonly #spans = new Map<string, FileSpan>();
  /** Spans that are new, or longer than when they were taken. */
  readonly #grown = new Set<FileSpan>();

  /** @param at - The time at which a Post of the file was created, epoch ms. */
  add(file: string, at: number): void {
    const span = this.#spans.get(file) ?? { start: at, end: at };
    if (at >= span.start && at < span.end) return;
    span.start = Math.min(span.start, at);
    span.end = Math.max(span.end, at + 1);
    this.#spans.set(file, span);
    this.#grown.add(span);
  }

  spans(): Span[] {
    return Array.from(this.#spans.values(), ({ start, end }) => ({ start, end }));
  }

  /** The spans that grew since they were last taken, as they are now. */
  take(): Span[] {
    const grown = Array.from(this.#grown, ({ start, end }) => ({ start, end }));
    this.#grown.clear();
    return grown;
  }
}
