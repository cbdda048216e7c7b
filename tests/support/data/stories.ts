import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import type { TestPost } from '#tests/support/service/service.ts';

/** Some plain words, so that no two Posts of a usual day are alike. */
const WORDS =
  'garden kitchen window coffee morning market train ticket music letter summer winter bread cheese river bridge paper pencil mirror candle carpet pillow basket orange lemon pepper butter sugar honey walnut'.split(
    ' ',
  );

/** A number from 0 on, below `below`, that looks random: the same for the same seed. */
function pick(seed: number, below: number): number {
  return (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 8) % below;
}

/** Four Posts of plain words in every hour of a number of days before `end`, each by another author. */
export function usualPosts(end: number, days: number): TestPost[] {
  return Array.from({ length: days * 24 * 4 }, (_, i) => {
    const at = end - (i + 1) * 15 * MINUTE_MS + pick(i + 1, 14) * MINUTE_MS;
    const words = [1, 2, 3, 4].map((n) => WORDS[pick(i * 7 + n * 131, WORDS.length)]);
    return {
      id: BigInt(1_000_000 + i),
      createdAt: at,
      text: `${words.join(' ')} ${i}`,
      authorId: String(10 + (i % 50)),
      username: `user${i % 50}`,
    };
  });
}

const SAYS = [
  'Fire at the old harbour in Nordvik! #harbourfire',
  'Smoke above Nordvik, the harbour burns #harbourfire',
  'The harbour of Nordvik is on fire, stay away from the old warehouses',
  'Firefighters reach the harbour of Nordvik #harbourfire',
  'Our street smells of smoke. The fire at the harbour in Nordvik is still growing #harbourfire',
];

/** One Post a minute about a fire, from `start` on. */
export function firePosts(start: number, posts = 60): TestPost[] {
  return Array.from({ length: posts }, (_, i) => ({
    id: BigInt(9_000_000 + i),
    createdAt: start + i * MINUTE_MS,
    text: SAYS[i % SAYS.length]!,
    authorId: String(500 + (i % 20)),
    username: `witness${i % 20}`,
  }));
}

/** The time at which the fire of {@link newsPosts} starts, before its end. */
export const FIRE_BEFORE_MS = 2 * DAY_MS - 9 * HOUR_MS - 23 * MINUTE_MS;

/** Thirty-five usual days before `end`, with a fire on the last but one. */
export function newsPosts(end: number): TestPost[] {
  return [...usualPosts(end, 35), ...firePosts(end - FIRE_BEFORE_MS)];
}
