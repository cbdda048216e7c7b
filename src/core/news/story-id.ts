import { MINUTE_MS } from '#core/time/span.ts';

/** Digits of an id that come from its term; those before them are its minute. */
const TERM_DIGITS = 10n ** 10n;

/** 64 bits of FNV-1a over UTF-16 units (isthe.com/chongo/tech/comp/fnv). */
function hashOf(term: string): bigint {
  let h = 0xcbf29ce484222325n;
  for (let i = 0; i < term.length; i++) {
    h = BigInt.asUintN(64, (h ^ BigInt(term.charCodeAt(i))) * 0x100000001b3n);
  }
  return h;
}

/**
 * The id of a story, from its content alone: at most 19 digits, which begin with the first minute.
 *
 * @param first - The first minute, epoch ms.
 */
export function storyId(term: string, first: number): string {
  const minute = BigInt(Math.floor(first / MINUTE_MS));
  return String(minute * TERM_DIGITS + (hashOf(term) % TERM_DIGITS));
}

/** The first minute of the story with an id, epoch ms. */
export function firstMinuteOf(id: string): number {
  return Number(BigInt(id) / TERM_DIGITS) * MINUTE_MS;
}
