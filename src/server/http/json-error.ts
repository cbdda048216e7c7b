const SPACE = /[ \t\n\r]*/y;
/** The longest valid beginning of a string, without its closing quote. */
const INSIDE = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/**
 * Finds where a text stops being JSON (RFC 8259), because the engine's messages give no position for most errors.
 *
 * @returns The place in UTF-16 units of the first character that JSON does not allow there, or of the
 *   number or word it belongs to; the text's length where more is expected; null if the text is JSON.
 */
export function jsonErrorAt(text: string): number | null {
  let at = 0;
  const take = (expression: RegExp): boolean => {
    expression.lastIndex = at;
    const found = expression.exec(text);
    if (found) at = expression.lastIndex;
    return found !== null;
  };
  const takeHere = (sign: string): boolean => {
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  };
  const takeSign = (sign: string): boolean => take(SPACE) && takeHere(sign);
  const takeString = (): boolean => take(INSIDE) && takeHere('"');
  const takeKey = (): boolean => take(SPACE) && takeString() && takeSign(':');

  /** Closing brackets of the open arrays and objects, innermost last. */
  const open: ('}' | ']')[] = [];
  for (;;) {
    // A value is expected.
    if (takeSign('{')) {
      if (!takeSign('}')) {
        if (!takeKey()) return at;
        open.push('}');
        continue;
      }
    } else if (takeSign('[')) {
      if (!takeSign(']')) {
        open.push(']');
        continue;
      }
    } else if (text[at] === '"') {
      if (!takeString()) return at;
    } else if (!take(NUMBER) && !take(WORD)) return at;
    // A value has ended.
    let close = open.at(-1);
    while (close !== undefined && takeSign(close)) {
      open.pop();
      close = open.at(-1);
    }
    if (close === undefined) {
      take(SPACE);
      return at === text.length ? null : at;
    }
    if (!takeSign(',')) return at;
    if (close === '}' && !takeKey()) return at;
  }
}
