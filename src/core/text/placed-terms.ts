import { fold } from './fold.ts';
import { LINK } from './terms.ts';
import { scanText, type ScannedPlaces } from './tokens.ts';
import { weigh } from './weighted-length.ts';

/** A part of a text in UTF-16 units, `[start, end)`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A term of a text, and its position in the text as typed. */
export interface PlacedTerm extends TextSpan {
  readonly term: string;
}

export interface PlacedTerms {
  /** Word tokens in order. */
  readonly words: readonly PlacedTerm[];
  /** Hashtags, mentions and cashtags with their sign, and emoji. */
  readonly signed: readonly PlacedTerm[];
  /** The word tokens of each address. */
  readonly addresses: readonly (readonly PlacedTerm[])[];
}

/** A letter with its marks. Letters of Hangul compose with their neighbours. */
const PIECE = /(?:[\uac00-\ud7a3]?[\u1100-\u11ff]+|\P{M})\p{M}*|\p{M}+/gu;

/** Longer pieces, which no language has, are not divided: that takes time by the square of their length. */
const MAX_POINTS = 8;

/** Divides a piece where its sides are folded the same apart: between a letter and a mark that do not compose. */
function partsOf(piece: string): readonly string[] {
  const points = Array.from(piece);
  if (points.length === 1 || points.length > MAX_POINTS) return [piece];
  const folded = fold(piece);
  for (let i = 1; i < points.length; i += 1) {
    const head = points.slice(0, i).join('');
    const tail = piece.slice(head.length);
    if (fold(head) + fold(tail) === folded) return [head, ...partsOf(tail)];
  }
  return [piece];
}

/** Converts spans of a folded text to spans of the text itself: each piece is folded the same alone as in the text. */
function unfolded(text: string): (start: number, end: number) => TextSpan {
  const pieces: TextSpan[] = [];
  for (const { index, 0: piece } of text.matchAll(PIECE)) {
    let start = index;
    for (const part of partsOf(piece)) {
      const span = { start, end: start + part.length };
      for (let i = fold(part).length; i > 0; i--) pieces.push(span);
      start = span.end;
    }
  }
  return (start, end) => ({
    start: pieces[start]?.start ?? text.length,
    end: pieces[end - 1]?.end ?? text.length,
  });
}

/**
 * The terms under which search and counts find a Post with this text and nothing else, as `termsOf` gives them, with their
 * positions.
 */
export function placedTerms(text: string): PlacedTerms {
  const folded = fold(text);
  const spanOf = unfolded(text);
  const scan = (part: string, from: number) => {
    const places: ScannedPlaces = {
      words: [],
      emoji: [],
      hashtags: [],
      mentions: [],
      cashtags: [],
    };
    const found = scanText(part, places);
    return (list: keyof ScannedPlaces): PlacedTerm[] =>
      found[list].map((term, i) => {
        const [start = 0, end = 0] = places[list].slice(2 * i, 2 * i + 2);
        return { term, ...spanOf(from + start, from + end) };
      });
  };
  const listed = scan(folded, 0);
  const links = folded.includes('/') ? Array.from(folded.matchAll(LINK)) : [];
  return {
    words: listed('words'),
    signed: (['hashtags', 'mentions', 'cashtags', 'emoji'] as const).flatMap(listed),
    addresses: links.map(({ index, 0: link }) => scan(link, index)('words')),
  };
}

/** The position from which a text exceeds the limit of a Post, in UTF-16 units of the text itself; null if it fits. */
export function overLimit(text: string): number | null {
  const { over } = weigh(text);
  if (over === null) return null;
  let points = 0;
  for (const { index, 0: piece } of text.matchAll(PIECE)) {
    points += Array.from(piece.normalize('NFC')).length;
    if (points > over) return index;
  }
  return text.length;
}
