import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { DAY_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { Zipf } from './zipf.ts';

/** Version of the generator: changes whenever the same seed gives different Posts. */
export const GENERATOR = 1;

/** A generated Post. Its words have only the letters a–z, so that every engine tokenizes them alike. */
export interface GeneratedPost {
  readonly id: bigint;
  /** Epoch ms, ascending from Post to Post. */
  readonly createdAt: number;
  readonly author: string;
  readonly lang: string;
  readonly isRetweet: boolean;
  readonly words: readonly string[];
}

/** Two years. */
export const SPAN: Span = { start: Date.UTC(2023, 0, 1), end: Date.UTC(2023, 0, 1) + 730 * DAY_MS };

const MINUTES = (SPAN.end - SPAN.start) / MINUTE_MS;
/** With this exponent the first word is in 47% of the Posts and the seventh in 10%. */
const WORDS = new Zipf(200_000, 0.945);
const AUTHORS = new Zipf(60_000, 0.9);
/** Words of a Post, uniformly distributed between these. */
const LEAST_WORDS = 6;
const MOST_WORDS = 18;
const RETWEETS = 0.3;
const LANGS = [
  ['en', 0.45],
  ['es', 0.2],
  ['ja', 0.15],
  ['pt', 0.1],
  ['de', 0.06],
  ['fr', 0.04],
] as const;
const BURSTS = 300;
/** Instant 0 of snowflake ids, epoch ms. */
const SNOWFLAKE_START = 1_288_834_974_657;

const CONSONANTS = 'bcdfghjklmnpqrstvwxz';
const VOWELS = 'aeiou';

function syllable(n: number): string {
  return CONSONANTS.charAt(Math.floor(n / 5)) + VOWELS.charAt(n % 5);
}

/** A distinct name of three syllables for each rank; neighbouring ranks are scattered over the alphabet. */
function nameOf(rank: number): string {
  const n = (rank * 618_033) % 1_000_000;
  return syllable(Math.floor(n / 10_000)) + syllable(Math.floor(n / 100) % 100) + syllable(n % 100);
}

const VOCABULARY = Array.from({ length: WORDS.size }, (_, rank) => nameOf(rank));

/** The word that about this share of the Posts contains. */
export function wordIn(share: number): string {
  const draws = (LEAST_WORDS + MOST_WORDS) / 2;
  return nameOf(WORDS.rankOf(1 - (1 - share) ** (1 / draws)));
}

/** The word of a rank by frequency; rank 0 is the most frequent. */
export function word(rank: number): string {
  return nameOf(rank);
}

/** The author of about this share of the Posts. */
export function authorOf(share: number): string {
  return `user_${nameOf(AUTHORS.rankOf(share))}`;
}

/** The two words that occur, side by side, only in the Posts of a burst; burst 0 is the highest. */
export function burstWords(burst: number): readonly [string, string] {
  const rank = WORDS.size + 2 * burst;
  return [nameOf(rank), nameOf(rank + 1)];
}

/** Distributes Posts over the minutes: a daily rhythm, and bursts that fade within hours. */
function timeline(random: Random): { until: Float64Array; burst: Int16Array; part: Float32Array } {
  const burst = new Int16Array(MINUTES).fill(-1);
  const extra = new Float32Array(MINUTES);
  for (let b = 0; b < BURSTS; b++) {
    const from = random.below(MINUTES);
    const length = 60 + random.below(600);
    const height = 40 / Math.sqrt(b + 1);
    for (let m = from; m < Math.min(MINUTES, from + length); m++) {
      const weight = height * (1 - (m - from) / length);
      if (weight <= extra[m]!) continue;
      burst[m] = b;
      extra[m] = weight;
    }
  }
  const until = new Float64Array(MINUTES);
  const part = new Float32Array(MINUTES);
  let sum = 0;
  for (let m = 0; m < MINUTES; m++) {
    const base = 1 + 0.6 * Math.sin((2 * Math.PI * (m % 1440)) / 1440);
    sum += base + extra[m]!;
    until[m] = sum;
    part[m] = extra[m]! / (base + extra[m]!);
  }
  return { until, burst, part };
}

function langOf(draw: number): string {
  let rest = draw;
  for (const [lang, share] of LANGS) {
    if (rest < share) return lang;
    rest -= share;
  }
  return LANGS[0][0];
}

/**
 * Generates Posts of two years in time order: about 12 words each from a vocabulary of 200,000, words and
 * authors by Zipf's law, and bursts of words that occur only within a few hours.
 *
 * @returns The same Posts for the same `posts` and `seed`; needs a few tens of MB of memory.
 */
export function* generate(posts: number, seed: number): Generator<GeneratedPost> {
  const random = new Random(seed);
  const { until, burst, part } = timeline(random);
  const total = until[MINUTES - 1]!;
  let minute = 0;
  for (let i = 0; i < posts; i++) {
    const at = ((i + random.next()) / posts) * total;
    while (until[minute]! < at) minute++;
    const before = minute === 0 ? 0 : until[minute - 1]!;
    const within = Math.floor(((at - before) / (until[minute]! - before)) * (MINUTE_MS - 1));
    const createdAt = SPAN.start + minute * MINUTE_MS + within;
    const words: string[] = [];
    const length = LEAST_WORDS + random.below(MOST_WORDS - LEAST_WORDS + 1);
    for (let w = 0; w < length; w++) words.push(VOCABULARY[WORDS.draw(random)]!);
    if (random.chance(part[minute]!)) {
      words.splice(random.below(length - 1), 2, ...burstWords(burst[minute]!));
    }
    yield {
      id: (BigInt(createdAt - SNOWFLAKE_START) << 22n) | BigInt(i % 2 ** 22),
      createdAt,
      author: `user_${nameOf(AUTHORS.draw(random))}`,
      lang: langOf(random.next()),
      isRetweet: random.chance(RETWEETS),
      words,
    };
  }
}

const HEADER = 'id,created_at,author,text,lang,is_retweet\n';

function row({ id, createdAt, author, words, lang, isRetweet }: GeneratedPost): string {
  const time = new Date(createdAt).toISOString();
  return `${id},${time},${author},${words.join(' ')},${lang},${isRetweet}\n`;
}

/** Rows as text in parts of about 64 KB. */
function* csv(posts: Iterable<GeneratedPost>): Generator<string> {
  let text = HEADER;
  for (const post of posts) {
    text += row(post);
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}

function* take<T>(from: Iterator<T>, n: number): Generator<T> {
  for (let i = 0; i < n; i++) {
    const next = from.next();
    if (next.done) return;
    yield next.value;
  }
}

/**
 * Writes the Posts as gzipped CSV, one file after the other.
 *
 * @param files - Path of each file and the number of Posts in it.
 */
export async function writeFiles(
  posts: Iterator<GeneratedPost>,
  files: readonly (readonly [name: string, posts: number])[],
): Promise<void> {
  for (const [name, n] of files) {
    const text = Readable.from(csv(take(posts, n)), { objectMode: false });
    await pipeline(text, createGzip({ level: 1 }), createWriteStream(name));
  }
}
