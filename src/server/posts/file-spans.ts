import type { Span } from '#core/time/span.ts';

/** From the first to the last Post of each file that is read, one file after another. */
export class FileSpans {
  readonly #spans = new Map<string, { start: number; end: number }>();

  /** @param at - When a Post of the file was created, epoch ms. */
  add(file: string, at: number): void {
    const span = this.#spans.get(file);
    if (!span) this.#spans.set(file, { start: at, end: at + 1 });
    else if (at < span.start) span.start = at;
    else if (at >= span.end) span.end = at + 1;
  }

  spans(): Span[] {
    return [...this.#spans.values()];
  }
}
