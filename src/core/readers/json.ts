import { jsonExcess, MAX_DEPTH } from '#core/text/bounded-json.ts';
import { unreadable } from './utf8.ts';
import { FeedError } from './error.ts';
import type { BadRow, Row } from './row.ts';

/** Maximum length of a line or element, in UTF-16 units: more than any answer of the interface. */
const MAX_VALUE = 8 * 1024 * 1024;

const TOO_LONG = 'is longer than 8 million characters';

function tooDeep(position: number): string {
  return `nests more than ${MAX_DEPTH} levels deep (at character ${position} of its line)`;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const LINE_FEED = 10;
const COMMA = 44;
const COLON = 58;
const RETURN = 13;
const SPACE = 32;
const TAB = 9;

/**
 * Maximum number of objects and lists in one line or element: ten times those of the largest answer, 30
 * MB once parsed.
 */
const MAX_PARTS = 250_000;

/** The reason a text must not be parsed: its nesting or its number of parts would fill the memory. */
function tooMuch(text: string): string | null {
  const excess = jsonExcess(text, MAX_DEPTH, MAX_PARTS);
  if (excess === null) return null;
  return excess.kind === 'depth'
    ? tooDeep(excess.at + 1)
    : `has more than ${MAX_PARTS} objects and lists`;
}

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

function parsed(text: string, line: number, place: string): Row {
  const reason = unreadable(text);
  if (reason !== null) return { kind: 'bad', line, reason };
  const bound = tooMuch(text);
  if (bound !== null) return { kind: 'bad', line, reason: bound };
  try {
    return { kind: 'value', line, place, value: JSON.parse(text) as unknown };
  } catch {
    return { kind: 'bad', line, reason: 'is not valid JSON' };
  }
}

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
    if (!this.#skipping && text.trim() !== '') rows.push(parsed(text, this.#line, ''));
    this.#pending = [];
    this.#pendingLength = 0;
    this.#skipping = false;
    this.#line += 1;
  }
}

/** Maximum length of a key that may locate elements. */
const MAX_KEY = 64;

/**
 * Reads a JSON document of any size, element by element: the elements of an outermost list; or, in an
 * outermost object, the elements of `data` (or `data` itself if it is an object) and of every list in
 * `includes`; an outermost object with neither is itself an element. Everything else is skipped.
 * Several documents may follow one another. Text before the first bracket (an archive's
 * `window.YTD.tweets.part0 =`) is skipped too. Memory is bounded by one element and {@link MAX_DEPTH},
 * whatever the text.
 */
export class DocumentReader {
  readonly #file: string;
  /** The open brackets, up to {@link MAX_DEPTH}: true for an object. */
  readonly #objects: boolean[] = [];
  /** The key of each of them; '' in lists and outermost. */
  readonly #keys: string[] = [];
  /** Open brackets beyond {@link MAX_DEPTH}. */
  #deeper = 0;
  #key = '';
  #keyText: string | null = null;
  #expectKey = false;
  #quoted = false;
  #escaped = false;
  #line = 1;
  /** Characters before this block, and before this line. */
  #before = 0;
  #lineAt = 0;
  /** Parts of the element being collected, or null outside one. */
  #element: string[] | null = null;
  #elementLength = 0;
  #elementLine = 1;
  #elementDepth = 0;
  #elementPlace = '';
  /** The reason an outermost object is refused, unless it turns out to be an answer with elements. */
  #refusal: BadRow | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * The elements that this block completes.
   *
   * @throws {@link FeedError} `damaged` if a bracket closes that was not opened.
   */
  push(block: string): Row[] {
    const rows: Row[] = [];
    /** The positions in this block of the current element's part and of the key. */
    let from = 0;
    let keyFrom = 0;
    for (let at = 0; at < block.length; at++) {
      const c = block.charCodeAt(at);
      if (c === LINE_FEED) {
        this.#line += 1;
        this.#lineAt = this.#before + at + 1;
      }
      if (this.#quoted) {
        if (this.#escaped) this.#escaped = false;
        else if (c === BACKSLASH) this.#escaped = true;
        else if (c === QUOTE) {
          this.#quoted = false;
          if (this.#keyText !== null) {
            this.#key = this.#longer(this.#keyText, block.slice(keyFrom, at));
            this.#keyText = null;
          }
        }
        continue;
      }
      if (c === QUOTE) {
        this.#quoted = true;
        // Keys inside an element do not matter, but in an outermost object the key may still be `data`.
        if (this.#expectKey && (!this.#element || this.#objects.length === 1)) {
          this.#keyText = '';
          keyFrom = at + 1;
        }
        this.#expectKey = false;
      } else if (c === OPEN_OBJECT || c === OPEN_LIST) {
        if (this.#open(c === OPEN_OBJECT, this.#before + at, rows)) from = at;
      } else if (c === CLOSE_OBJECT || c === CLOSE_LIST) {
        if (this.#close(c === CLOSE_OBJECT)) {
          this.#element?.push(block.slice(from, at + 1));
          this.#give(rows);
        }
      } else if (c === COMMA) {
        this.#expectKey = this.#deeper === 0 && this.#objects.at(-1) === true;
      } else if (c === COLON) {
        this.#expectKey = false;
      }
    }
    this.#before += block.length;
    if (this.#keyText !== null) this.#keyText = this.#longer(this.#keyText, block.slice(keyFrom));
    if (this.#element) {
      const part = block.slice(from);
      this.#elementLength += part.length;
      if (this.#elementLength > MAX_VALUE) this.#refuse(this.#elementLine, TOO_LONG, rows);
      else this.#element.push(part);
    }
    return rows;
  }

  /**
   * Ends the document.
   *
   * @throws {@link FeedError} `truncated` if brackets are still open.
   */
  end(): Row[] {
    if (this.#objects.length === 0 && !this.#quoted) return [];
    const begun = this.#element ? `; its last entry begins on line ${this.#elementLine}` : '';
    const why = this.#refusal ? `; line ${this.#refusal.line} ${this.#refusal.reason}` : '';
    throw new FeedError(
      'truncated',
      this.#file,
      `is cut off: the JSON ends on line ${this.#line} before it is complete${begun}${why}.`,
    );
  }

  #longer(key: string, part: string): string {
    return key.length > MAX_KEY ? key : key + part.slice(0, MAX_KEY + 1);
  }

  /** True if an element begins with this bracket. */
  #open(isObject: boolean, position: number, rows: Row[]): boolean {
    const depth = this.#objects.length;
    if (depth === MAX_DEPTH) {
      if (this.#element) this.#refuse(this.#line, tooDeep(position - this.#lineAt + 1), rows);
      this.#deeper += 1;
      this.#expectKey = false;
      return false;
    }
    if (this.#leadsToElements(isObject)) {
      this.#element = null;
      this.#refusal = null;
    }
    const place = this.#element ? null : this.#place(isObject);
    if (place !== null) {
      this.#element = [];
      this.#elementLength = 0;
      this.#elementLine = this.#line;
      this.#elementDepth = depth;
      this.#elementPlace = place;
    }
    this.#objects.push(isObject);
    this.#keys.push(this.#key);
    this.#key = '';
    this.#expectKey = isObject;
    return place !== null;
  }

  /** True if an element, or an outermost object that was refused, ends with this bracket. */
  #close(isObject: boolean): boolean {
    this.#expectKey = false;
    if (this.#deeper > 0) {
      this.#deeper -= 1;
      return false;
    }
    if (this.#objects.pop() !== isObject) {
      const sign = isObject ? '}' : ']';
      throw new FeedError(
        'damaged',
        this.#file,
        `line ${this.#line}: unexpected ${sign} in the JSON.`,
      );
    }
    this.#keys.pop();
    this.#key = '';
    const depth = this.#objects.length;
    return this.#element ? depth === this.#elementDepth : depth === 0 && this.#refusal !== null;
  }

  #give(rows: Row[]): void {
    if (this.#element) {
      rows.push(parsed(this.#element.join(''), this.#elementLine, this.#elementPlace));
    } else if (this.#refusal) rows.push(this.#refusal);
    this.#element = null;
    this.#refusal = null;
  }

  /** Abandons the element. An outermost object may still have `data`, so its refusal waits for its end. */
  #refuse(line: number, reason: string, rows: Row[]): void {
    const row: BadRow = { kind: 'bad', line, reason };
    if (this.#elementDepth === 0) this.#refusal = row;
    else rows.push(row);
    this.#element = null;
  }

  /** True if the bracket belongs to `data` or `includes` of an outermost object: no Post has either. */
  #leadsToElements(isObject: boolean): boolean {
    if (this.#objects.length !== 1 || !this.#objects[0]) return false;
    return this.#key === 'data' || (this.#key === 'includes' && isObject);
  }

  /** The place of a value that opens a bracket here, or null if it is not an element to read. */
  #place(isObject: boolean): string | null {
    const outer = this.#objects;
    const keys = this.#keys;
    switch (outer.length) {
      case 0:
        return isObject ? '' : null;
      case 1:
        if (!outer[0]) return '';
        return this.#key === 'data' && isObject ? 'data' : null;
      case 2:
        return outer[0] && !outer[1] && keys[1] === 'data' ? 'data' : null;
      case 3:
        return outer[0] && outer[1] && !outer[2] && keys[1] === 'includes'
          ? `includes.${keys[2]}`
          : null;
      default:
        return null;
    }
  }
}
