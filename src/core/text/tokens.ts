import { fold, type TextMode } from './fold.ts';

// Classes of a UTF-16 unit in a folded text; several may apply.
const RUN = 1; // begins or continues a run: \p{L} \p{N} _
const MARK = 2; // continues a run: \p{M}
const ALONE = 4; // of a script written without spaces: a separate token
const EMOJI = 8; // may begin an emoji sequence
const HALF = 16; // first half of a surrogate pair
const SIGN = 32; // # or @, also full width
const CASH = 64; // $
const KEYCAP = 128; // # or * before, or U+20E3 after, a possible keycap

/** Scripts written without spaces: Thai, Lao, Myanmar, Khmer, Kana and Han. */
const SPACELESS =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]/u;
const SPACELESS_PART =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]\p{M}*|[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]+/gu;

/** Emoji other than bare digits, # and *. U+24DC is the folded form of the emoji U+24C2. */
const EMOJI_BASE = /(?![0-9#*])[\p{Emoji}\u24dc]/u;

/** One sequence (Unicode Technical Standard 51, section 1.4.9): keycap, flag, or bases with modifiers and tags, joined. */
const EMOJI_SEQUENCE =
  /[0-9#*]\ufe0f?\u20e3|\p{Regional_Indicator}{2}|(?![0-9#*])[\p{Emoji}\u24dc](?:[\p{Emoji_Modifier}\ufe0f]|[\u{e0020}-\u{e007e}]+\u{e007f})*(?:\u200d(?![0-9#*])[\p{Emoji}\u24dc](?:[\p{Emoji_Modifier}\ufe0f]|[\u{e0020}-\u{e007e}]+\u{e007f})*)*/uy;

/** The following character ends it; a keycap is an emoji, not a digit. */
const CASHTAG = /[a-z]{1,6}(?:[._][a-z]{1,2})?(?![\p{L}\p{M}_]|\p{N}(?!\ufe0f?\u20e3))/uy;

function classOf(char: string): number {
  if (EMOJI_BASE.test(char)) return EMOJI;
  let kind = 0;
  if (/[\p{L}\p{N}_]/u.test(char)) kind |= RUN;
  else if (/\p{M}/u.test(char)) kind |= MARK;
  if (kind !== 0 && SPACELESS.test(char)) kind |= ALONE;
  return kind;
}

/** Class of every UTF-16 unit; all 0 until {@link fillClasses}. */
const CLASS = new Uint8Array(0x10000);
let isFilled = false;

/**
 * Classifies every UTF-16 unit, with one pass of each expression over the whole plane. With the first text, because it
 * takes as long as starting Node, and many programs load this without having a text.
 */
function fillClasses(): void {
  isFilled = true;
  const table = CLASS;
  let plane = '';
  for (let from = 0; from < 0xd800; from += 0x400) {
    plane += String.fromCharCode(...Array.from({ length: 0x400 }, (_, i) => from + i));
  }
  const low = plane.length;
  plane += ' '.repeat(0x800);
  for (let from = 0xe000; from < 0x10000; from += 0x400) {
    plane += String.fromCharCode(...Array.from({ length: 0x400 }, (_, i) => from + i));
  }
  const mark = (expression: RegExp, bits: number): void => {
    for (const m of plane.matchAll(expression)) {
      for (let i = m.index; i < m.index + m[0].length; i++) table[i] = (table[i] ?? 0) | bits;
    }
  };
  mark(/[\p{L}\p{N}_]+/gu, RUN);
  mark(/\p{M}+/gu, MARK);
  for (let i = 0; i < 0x10000; i++) {
    if (i >= low && i < low + 0x800) table[i] = i < 0xdc00 ? HALF : 0;
    else if (table[i] !== 0 && SPACELESS.test(String.fromCharCode(i))) table[i]! |= ALONE;
  }
  for (const m of plane.matchAll(/(?![0-9#*])[\p{Emoji}\u24dc]/gu)) table[m.index] = EMOJI;
  for (const char of '#@\uff03\uff20') table[char.charCodeAt(0)] = SIGN;
  table[0x23] = SIGN | KEYCAP;
  table[0x2a] = KEYCAP;
  table[0x20e3] = MARK | KEYCAP;
  table[0x24] = CASH;
}

const ASTRAL = new Map<number, number>();

function astralClass(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  let kind = ASTRAL.get(point);
  if (kind === undefined) {
    kind = point < 0x10000 ? 0 : classOf(String.fromCodePoint(point));
    ASTRAL.set(point, kind);
  }
  return kind;
}

/** True if the character just before `at` is a letter, number, mark or underscore. */
function followsToken(text: string, at: number): boolean {
  if (at <= 0) return false;
  const unit = text.charCodeAt(at - 1);
  const kind =
    unit >= 0xdc00 && unit <= 0xdfff && at > 1 ? astralClass(text, at - 2) : (CLASS[unit] ?? 0);
  return (kind & (RUN | MARK)) !== 0;
}

/** The parts of a text. */
export interface Scanned {
  /** Word tokens in order; emoji have no position among them. */
  words: string[];
  /** Emoji sequences in order, without U+FE0F. */
  emoji: string[];
  /** Whole runs directly after `#`, each with its sign. */
  hashtags: string[];
  /** Whole runs directly after `@`, each with its sign. */
  mentions: string[];
  /** Symbols after `$`, each with its sign. */
  cashtags: string[];
}

/** Positions of the parts of a text: for each part of a list its start and its end, in UTF-16 units. */
export type ScannedPlaces = { readonly [list in keyof Scanned]: number[] };

function takeEmoji(text: string, at: number, into: string[]): number {
  EMOJI_SEQUENCE.lastIndex = at;
  const found = EMOJI_SEQUENCE.exec(text)?.[0];
  if (found === undefined) return 0;
  into.push(found.includes('\ufe0f') ? found.replaceAll('\ufe0f', '') : found);
  return found.length;
}

/** The position at which the keycap that U+20E3 at `at` closes begins, or -1 if it is an ordinary mark. */
function keycapStart(text: string, at: number): number {
  const base = text.charCodeAt(at - 1) === 0xfe0f ? at - 2 : at - 1;
  const unit = text.charCodeAt(base);
  return unit >= 0x30 && unit <= 0x39 ? base : -1;
}

/**
 * Splits a folded text into word tokens, emoji and signed runs, in one pass.
 *
 * A run is a letter, number or underscore, followed by any of those and marks. A run is one token,
 * except that each character (with its marks) of a script written without spaces is a separate token.
 * Emoji sequences are removed before runs are formed.
 *
 * @param text - From `fold`; for other text, only what is already folded is right.
 * @param places - Takes the position of each part, if given.
 */
export function scanText(text: string, places?: ScannedPlaces): Scanned {
  const words: string[] = [];
  const out: Scanned = { words, emoji: [], hashtags: [], mentions: [], cashtags: [] };
  if (!isFilled) fillClasses();
  const n = text.length;
  let i = 0;
  while (i < n) {
    let kind = CLASS[text.charCodeAt(i)] as number;
    if (kind === 0) {
      i++;
      continue;
    }
    if (kind & HALF) kind = HALF | astralClass(text, i);
    if (kind & RUN) {
      let j = i;
      let seen = 0;
      for (; j < n; j++) {
        let next = CLASS[text.charCodeAt(j)] as number;
        if (next & HALF) {
          next = astralClass(text, j);
          if (next & (RUN | MARK)) j++;
        }
        if ((next & (RUN | MARK)) === 0) break;
        if (next & KEYCAP) {
          const start = keycapStart(text, j);
          if (start >= i) {
            j = start;
            break;
          }
        }
        seen |= next;
      }
      if (j === i) {
        const length = takeEmoji(text, i, out.emoji);
        places?.emoji.push(i, i + length);
        i += length;
        continue;
      }
      const run = text.slice(i, j);
      if (seen & ALONE) {
        let at = i;
        for (const part of run.match(SPACELESS_PART) ?? []) {
          words.push(part);
          places?.words.push(at, at + part.length);
          at += part.length;
        }
      } else {
        words.push(run);
        places?.words.push(i, j);
      }
      if (i > 0) {
        const sign = text.charCodeAt(i - 1);
        if ((CLASS[sign] as number) & SIGN && !followsToken(text, i - 1)) {
          if (sign === 0x23 || sign === 0xff03) {
            out.hashtags.push('#' + run);
            places?.hashtags.push(i - 1, j);
          } else {
            out.mentions.push('@' + run);
            places?.mentions.push(i - 1, j);
          }
        }
      }
      i = j;
      continue;
    }
    if (kind & EMOJI || (kind & KEYCAP && text.charCodeAt(i) < 0x80)) {
      const length = takeEmoji(text, i, out.emoji);
      if (length > 0) {
        places?.emoji.push(i, i + length);
        i += length;
        continue;
      }
    } else if (kind & CASH && !followsToken(text, i)) {
      CASHTAG.lastIndex = i + 1;
      const symbol = CASHTAG.exec(text)?.[0];
      if (symbol !== undefined) {
        out.cashtags.push('$' + symbol);
        places?.cashtags.push(i, i + 1 + symbol.length);
      }
    }
    i += kind & HALF ? 2 : 1;
  }
  return out;
}

export function tokens(text: string, mode: TextMode = 'search'): string[] {
  return scanText(fold(text, mode)).words;
}
