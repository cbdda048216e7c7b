import { jsonExcess, MAX_DEPTH } from '#core/text/bounded-json.ts';
import { unreadable } from './utf8.ts';
import type { Row } from './row.ts';

/** Maximum length of a line or element, in UTF-16 units: more than any answer of the interface. */
export const MAX_VALUE = 8 * 1024 * 1024;

/** The fault of a value longer than {@link MAX_VALUE}. */
export const TOO_LONG = 'is longer than 8 million characters';

/** The fault of a text that nests too deep. */
export function tooDeep(position: number): string {
  return `nests more than ${MAX_DEPTH} levels deep (at character ${position} of its line)`;
}

export const QUOTE = 34;
export const BACKSLASH = 92;
export const OPEN_LIST = 91;
export const CLOSE_LIST = 93;
export const OPEN_OBJECT = 123;
export const CLOSE_OBJECT = 125;
export const LINE_FEED = 10;
export const COMMA = 44;
export const COLON = 58;
export const RETURN = 13;
export const SPACE = 32;
export const TAB = 9;

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

/** The value of a text, or the reason for which it has none. */
export function parsedJson(text: string, line: number, place: string): Row {
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
