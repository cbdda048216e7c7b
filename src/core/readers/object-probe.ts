import {
  MAX_VALUE,
  LINE_FEED,
  RETURN,
  BACKSLASH,
  QUOTE,
  SPACE,
  TAB,
  OPEN_OBJECT,
  OPEN_LIST,
  CLOSE_OBJECT,
  CLOSE_LIST,
  COMMA,
  COLON,
} from './json-signs.ts';

/** The form of JSON that begins with an object: a value on each line, or documents over several lines. */
export type ObjectShape =
  | { readonly kind: 'lines'; readonly newline: '\n' | '\r' }
  | { readonly kind: 'document' };

const DOCUMENT: ObjectShape = { kind: 'document' };

/**
 * Distinguishes JSON lines from a document by the first line, however long. A line that ends inside a
 * value belongs to a document, unless the next line begins with an object, as after a line that was cut
 * off.
 */
export class ObjectProbe {
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #length = 0;
  /** The last character of the first line that is not blank. */
  #last = 0;
  /** The line's end, once it was reached without a decision. */
  #newline: '\n' | '\r' | null = null;
  #afterReturn = false;

  /** @param block - The text from its first `{` on, part by part. @returns Null until it is decided. */
  push(block: string): ObjectShape | null {
    for (let at = 0; at < block.length; at += 1) {
      const shape = this.#take(block.charCodeAt(at));
      if (shape) return shape;
    }
    this.#length += block.length;
    // A document is read element by element, whatever its length.
    return this.#length > MAX_VALUE ? DOCUMENT : null;
  }

  /** The result if the text ends undecided. */
  end(): ObjectShape {
    if (this.#afterReturn) return this.#lineEnd('\r') ?? DOCUMENT;
    const whole = this.#depth === 0 && !this.#quoted && this.#newline === null;
    return whole ? { kind: 'lines', newline: '\n' } : DOCUMENT;
  }

  #take(c: number): ObjectShape | null {
    if (this.#newline !== null) return this.#afterLine(c);
    if (this.#afterReturn) {
      this.#afterReturn = false;
      const newline = c === LINE_FEED ? '\n' : '\r';
      return this.#lineEnd(newline) ?? (c === LINE_FEED ? null : this.#afterLine(c));
    }
    if (c === LINE_FEED) return this.#lineEnd('\n');
    if (c === RETURN) this.#afterReturn = true;
    else this.#inLine(c);
    return this.#depth < 0 ? DOCUMENT : null;
  }

  #inLine(c: number): void {
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false;
      else if (c === BACKSLASH) this.#escaped = true;
      else if (c === QUOTE) this.#quoted = false;
      this.#last = c;
      return;
    }
    if (c === SPACE || c === TAB) return;
    // A second value on the line: a document may hold several.
    if (this.#depth === 0 && this.#last !== 0) {
      this.#depth = -1;
      return;
    }
    this.#last = c;
    if (c === QUOTE) this.#quoted = true;
    else if (c === OPEN_OBJECT || c === OPEN_LIST) this.#depth += 1;
    else if (c === CLOSE_OBJECT || c === CLOSE_LIST) this.#depth -= 1;
  }

  #lineEnd(newline: '\n' | '\r'): ObjectShape | null {
    // A string in JSON contains no line break.
    if (this.#quoted || this.#depth === 0) return { kind: 'lines', newline };
    const last = this.#last;
    const open = last === OPEN_OBJECT || last === OPEN_LIST || last === COMMA || last === COLON;
    if (open) return DOCUMENT;
    this.#newline = newline;
    return null;
  }

  #afterLine(c: number): ObjectShape | null {
    if (c === SPACE || c === TAB || c === LINE_FEED || c === RETURN) return null;
    return c === OPEN_OBJECT && this.#newline !== null
      ? { kind: 'lines', newline: this.#newline }
      : DOCUMENT;
  }
}
