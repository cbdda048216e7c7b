/** Maximum nesting of JSON: this program writes and reads some ten levels. */
export const MAX_DEPTH = 256;

/** Maximum number of objects and lists in one text: some 100 MB once parsed. */
export const MAX_PARTS = 1_000_000;

/** The position at which a text exceeds a bound. */
export interface JsonExcess {
  readonly kind: 'depth' | 'parts';
  /** Position of the bracket that opens one level or part too many, 0-based, in UTF-16 units. */
  readonly at: number;
}

const QUOTE = 34;
const BACKSLASH = 92;

/** True if an odd number of backslashes precedes a position. */
function isEscaped(text: string, place: number): boolean {
  let from = place;
  while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (place - from) % 2 === 1;
}

/**
 * Finds where JSON nests too deeply or has too many parts. A parser's memory grows by some fifty bytes
 * with each bracket, and a writer's stack with each level, so this runs before either.
 *
 * @returns Null within both bounds. For text that is not JSON, only brackets outside quotes count.
 */
export function jsonExcess(text: string, depth = MAX_DEPTH, parts = MAX_PARTS): JsonExcess | null {
  // Each level takes a bracket.
  if (text.length <= Math.min(depth, parts)) return null;
  let open = 0;
  let opened = 0;
  for (let at = 0; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) {
      at = text.indexOf('"', at + 1);
      while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
      if (at === -1) return null;
    } else if (c === 0x5b || c === 0x7b) {
      open += 1;
      opened += 1;
      if (open > depth) return { kind: 'depth', at };
      if (opened > parts) return { kind: 'parts', at };
    } else if (c === 0x5d || c === 0x7d) open -= 1;
  }
  return null;
}

/**
 * Parses JSON from outside this program, within {@link MAX_DEPTH} and {@link MAX_PARTS}.
 *
 * @throws {SyntaxError} for text that is not JSON or exceeds a bound; the latter names the position,
 *   1-based.
 */
export function parseJson(text: string): unknown {
  const excess = jsonExcess(text);
  if (excess === null) return JSON.parse(text);
  throw new SyntaxError(
    excess.kind === 'depth'
      ? `it nests more than ${MAX_DEPTH} levels deep (at position ${excess.at + 1})`
      : `it has more than ${MAX_PARTS} objects and lists (at position ${excess.at + 1})`,
  );
}
