import { MAX_DEPTH } from '#core/text/bounded-json.ts';
import { FeedError } from './error.ts';
import type { BadRow, Row } from './row.ts';
import {
  LINE_FEED,
  BACKSLASH,
  QUOTE,
  OPEN_OBJECT,
  OPEN_LIST,
  CLOSE_OBJECT,
  CLOSE_LIST,
  COMMA,
  COLON,
  MAX_VALUE,
  TOO_LONG,
  tooDeep,
  parsedJson,
} from './json-signs.ts';

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
      rows.push(parsedJson(this.#element.join(''), this.#elementLine, this.#elementPlace));
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
