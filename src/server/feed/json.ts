import { unreadable } from './decode.ts';
import { FeedError } from './error.ts';
import type { Row } from './row.ts';

/** Longest line or element that is read, in UTF-16 units: more than any answer of the interface. */
const MAX_VALUE = 8 * 1024 * 1024;

const TOO_LONG = 'is longer than 8 million characters';

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const LINE_FEED = 10;
const COMMA = 44;
const COLON = 58;

function parsed(text: string, line: number, place: string): Row {
  const reason = unreadable(text);
  if (reason !== null) return { kind: 'bad', line, reason };
  try {
    return { kind: 'value', line, place, value: JSON.parse(text) as unknown };
  } catch {
    return { kind: 'bad', line, reason: 'is not valid JSON' };
  }
}

/** JSON lines: one value per line, blank lines passed over; a line that is no JSON is refused alone. */
export class LineReader {
  #left: string[] = [];
  #leftLength = 0;
  #line = 1;
  #skipping = false;

  push(block: string): Row[] {
    const rows: Row[] = [];
    let from = 0;
    for (let at = block.indexOf('\n'); at !== -1; at = block.indexOf('\n', from)) {
      this.#left.push(block.slice(from, at));
      this.#take(rows);
      from = at + 1;
    }
    if (from < block.length && !this.#skipping) {
      this.#left.push(block.slice(from));
      this.#leftLength += block.length - from;
      if (this.#leftLength > MAX_VALUE) {
        rows.push({ kind: 'bad', line: this.#line, reason: TOO_LONG });
        this.#left = [];
        this.#leftLength = 0;
        this.#skipping = true;
      }
    }
    return rows;
  }

  end(): Row[] {
    const rows: Row[] = [];
    if (this.#left.length > 0) this.#take(rows);
    return rows;
  }

  #take(rows: Row[]): void {
    const text = this.#left.length === 1 ? (this.#left[0] ?? '') : this.#left.join('');
    if (!this.#skipping && text.trim() !== '') rows.push(parsed(text, this.#line, ''));
    this.#left = [];
    this.#leftLength = 0;
    this.#skipping = false;
    this.#line += 1;
  }
}

/**
 * A JSON document of any size, element by element: the elements of an outermost list, or of an outermost
 * object the elements of `data` (or `data` itself where it is an object) and of every list in `includes`;
 * everything else is passed over. Several documents may follow one another. What stands before the first
 * bracket (an archive's `window.YTD.tweets.part0 =`) is passed over too.
 */
export class DocumentReader {
  readonly #file: string;
  /** What the open brackets are: true for an object. */
  readonly #objects: boolean[] = [];
  /** The key under which each open bracket stands; '' in lists and outermost. */
  readonly #keys: string[] = [];
  #key = '';
  #keyText: string[] | null = null;
  #expectKey = false;
  #quoted = false;
  #escaped = false;
  #line = 1;
  /** Parts of the element being collected, or null outside one. */
  #element: string[] | null = null;
  #elementLength = 0;
  #elementLine = 1;
  #elementDepth = 0;
  #elementPlace = '';

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * The elements that are complete with this block.
   *
   * @throws {@link FeedError} `damaged` where a bracket closes that was not opened.
   */
  push(block: string): Row[] {
    const rows: Row[] = [];
    let from = 0;
    for (let at = 0; at < block.length; at++) {
      const c = block.charCodeAt(at);
      if (c === LINE_FEED) this.#line += 1;
      if (this.#quoted) {
        if (this.#escaped) this.#escaped = false;
        else if (c === BACKSLASH) this.#escaped = true;
        else if (c === QUOTE) {
          this.#quoted = false;
          if (this.#keyText) {
            this.#keyText.push(block.slice(from, at));
            this.#key = this.#keyText.join('');
            this.#keyText = null;
          }
        }
        continue;
      }
      if (c === QUOTE) {
        this.#quoted = true;
        if (this.#expectKey && !this.#element) {
          this.#keyText = [];
          from = at + 1;
        }
        this.#expectKey = false;
      } else if (c === OPEN_OBJECT || c === OPEN_LIST) {
        if (!this.#element && this.#objects.length > 0) {
          const place = this.#place(c === OPEN_OBJECT);
          if (place !== null) {
            this.#element = [];
            this.#elementLength = 0;
            this.#elementLine = this.#line;
            this.#elementDepth = this.#objects.length;
            this.#elementPlace = place;
            from = at;
          }
        }
        this.#objects.push(c === OPEN_OBJECT);
        this.#keys.push(this.#key);
        this.#key = '';
        this.#expectKey = c === OPEN_OBJECT;
      } else if (c === CLOSE_OBJECT || c === CLOSE_LIST) {
        if (this.#objects.pop() !== (c === CLOSE_OBJECT)) {
          const sign = String.fromCharCode(c);
          throw new FeedError(
            'damaged',
            this.#file,
            `line ${this.#line}: unexpected ${sign} in the JSON.`,
          );
        }
        this.#keys.pop();
        this.#key = '';
        this.#expectKey = false;
        if (this.#element && this.#objects.length === this.#elementDepth) {
          this.#element.push(block.slice(from, at + 1));
          rows.push(parsed(this.#element.join(''), this.#elementLine, this.#elementPlace));
          this.#element = null;
        }
      } else if (c === COMMA) {
        this.#expectKey = this.#objects.at(-1) === true;
      } else if (c === COLON) {
        this.#expectKey = false;
      }
    }
    if (this.#keyText) this.#keyText.push(block.slice(from));
    if (this.#element) {
      const part = block.slice(from);
      this.#elementLength += part.length;
      if (this.#elementLength > MAX_VALUE) {
        rows.push({ kind: 'bad', line: this.#elementLine, reason: TOO_LONG });
        this.#element = null;
      } else this.#element.push(part);
    }
    return rows;
  }

  /**
   * Ends the document.
   *
   * @throws {@link FeedError} `truncated` where brackets are still open.
   */
  end(): Row[] {
    if (this.#objects.length === 0 && !this.#quoted) return [];
    const begun = this.#element ? `; its last entry begins on line ${this.#elementLine}` : '';
    throw new FeedError(
      'truncated',
      this.#file,
      `is cut off: the JSON ends on line ${this.#line} before it is complete${begun}.`,
    );
  }

  /** The place of a value that opens a bracket here, or null where it is not an element to be read. */
  #place(isObject: boolean): string | null {
    const outer = this.#objects;
    const keys = this.#keys;
    switch (outer.length) {
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
