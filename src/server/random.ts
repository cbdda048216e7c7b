import { newSnowflake } from '#core/import/id.ts';

/** Random bytes. */
type Random = (n: number) => Uint8Array;

/** Random bytes as text in base64url. */
export function randomText(random: Random, bytes: number): string {
  return Buffer.from(random(bytes)).toString('base64url');
}

/** A new id, as `newSnowflake`, with a random number. @param now - Epoch ms. */
export function randomSnowflake(now: number, random: Random): bigint {
  return newSnowflake(now, Buffer.from(random(3)).readUIntBE(0, 3) & 0x3fffff);
}

/** A new id of something that is no Post. @param deps - `now` gives epoch ms. */
export function newId({ now, random }: { now: () => number; random: Random }): string {
  return String(randomSnowflake(now(), random));
}
