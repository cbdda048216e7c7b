import type { Row } from './row.ts';
import { MAX_VALUE, TOO_LONG, parsedJson } from './json-signs.ts';

/** JSON lines: one value per line, blank lines ignored; a line that is not JSON is refused alone. */
export class LineReader {
  readonly #newline: string;
  #pending: string[] = [];
  #pendingLength = 0;
  #line = 1;
  #skipping = false;

  /** @param newline - The line end; a return before a line feed counts as white space. */
  constructor(newline: '\n' | '\r' = '\n') {
    this.#newline = newline;
  }

  push(block: string): Row[] {
    const rows: Row[] = [];
    const newline = this.#newline;
    let from = 0;
    for (let at = block.indexOf(newline); at !== -1; at = block.indexOf(newline, from)) {
      this.#pending.push(block.slice(from, at));
      this.#take(rows);
      from = at + 1;
    }
    if (from < block.length && !this.#skipping) {
      this.#pending.push(block.slice(from));
      this.#pendingLength += block.length - from;
      if (this.#pendingLength > MAX_VALUE) {
        rows.push({ kind: 'bad', line: this.#line, reason: TOO_LONG });
        this.#pending = [];
        this.#pendingLength = 0;
        this.#skipping = true;
      }
    }
    return rows;
  }

  end(): Row[] {
    const rows: Row[] = [];
    if (this.#pending.length > 0) this.#take(rows);
    return rows;
  }

  #take(rows: Row[]): void {
    const text = this.#pending.length === 1 ? (this.#pending[0] ?? '') : this.#pending.join('');
    if (!this.#skipping && text.trim() !== '') rows.push(parsedJson(text, this.#line, ''));
    this.#pending = [];
    this.#pendingLength = 0;
    this.#skipping = false;
    this.#line += 1;
  }
}
