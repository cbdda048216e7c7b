import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { newSnowflake } from '#core/import/id.ts';
import { makeAuthors, type SampleAuthor } from './authors.ts';
import { Random } from './random.ts';
import { EMOJI, LANGS, REPLIES, TEXTS, type Lang } from './texts.ts';
import { TOPICS, hourRates, type Topic } from './topics.ts';
import { burstRate, plantedBursts, type PlantedBurst } from './planted-bursts.ts';

/** Length of the sample, and its approximate number of Posts. */
export const SAMPLE_DAYS = 1096;
export const SAMPLE_POSTS = 200_000;

/** Entities of a v2 Post; positions are in code points. */
interface Entity {
  readonly start: number;
  readonly end: number;
}
interface Entities {
  hashtags?: (Entity & { tag: string })[];
  mentions?: (Entity & { username: string; id?: string })[];
  urls?: (Entity & {
    url: string;
    expanded_url: string;
    display_url: string;
    media_key?: string;
  })[];
}

/** A v2 Post of the sample. */
export interface SamplePost {
  readonly id: string;
  readonly text: string;
  readonly created_at: string;
  readonly author_id: string;
  readonly lang: Lang;
  readonly [field: string]: unknown;
}

/** A v2 answer: the Posts of one day, ascending in time, and the objects they refer to. */
export interface SampleDay {
  readonly data: readonly SamplePost[];
  readonly includes: { readonly users: readonly object[]; readonly media: readonly object[] };
}

/** A Post that later ones can reply to, repost or quote. */
interface Said {
  readonly id: string;
  readonly conversation: string;
  readonly author: SampleAuthor;
  readonly text: string;
  readonly entities: Entities;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const SITES = ['journal', 'weekly', 'notes', 'kitchen', 'courier'] as const;
const REMEMBERED = 60;
const REPOST_LENGTH = 140;

const HOURS = SAMPLE_DAYS * 24;
const WIDTH = TOPICS.length * LANGS.length;
/** Hours between two whose rates are summed up where an estimate is enough; no hour of the week is left out. */
const HOURS_APART = 5;

/** A growing text, with the positions of its entities. */
class Draft {
  text = '';
  length = 0;
  readonly entities: Entities = {};

  add(part: string): Entity {
    const gap = this.text === '' ? 0 : 1;
    const start = this.length + gap;
    this.text += gap === 1 ? ` ${part}` : part;
    this.length = start + Array.from(part).length;
    return { start, end: this.length };
  }
}

/** Makes the Posts of a sample, day by day. */
class SampleMaker {
  #random: Random;
  readonly #end: number;
  readonly #seed: number;
  /** The number of Posts that it makes, as a part of {@link SAMPLE_POSTS}. */
  readonly #part: number;
  readonly #authors: Readonly<Record<Lang, readonly SampleAuthor[]>>;
  #said = new Map<Topic, Said[]>();
  #number = 0;
  #media: object[] = [];

  constructor(end: number, seed: number, posts: number) {
    this.#random = new Random(seed);
    this.#end = end;
    this.#seed = seed;
    this.#part = posts / SAMPLE_POSTS;
    this.#authors = makeAuthors(this.#random, end - SAMPLE_DAYS * DAY_MS);
  }

  /** By what to multiply rates, of which all hours together have this sum. */
  #scale(sum: number, bursts: readonly PlantedBurst[]): number {
    const planted = bursts.reduce((posts, burst) => posts + burst.posts, 0);
    return (this.#part * (SAMPLE_POSTS - planted)) / sum;
  }

  /** Makes the Posts of UTC days after the end, each by its number and the seed alone. */
  later(): (day: number) => SampleDay {
    const first = this.#firstHour();
    const means = new Float64Array(WIDTH);
    let sum = 0;
    for (let h = 0; h < HOURS; h += HOURS_APART) {
      hourRates((first + h) * HOUR_MS, h / HOURS, means);
      for (const rate of means) sum += HOURS_APART * rate;
    }
    const scale = this.#scale(sum, plantedBursts(this.#end));
    return (day) => {
      this.#random = new Random(this.#seed * 1_000_003 + day);
      this.#said = new Map();
      this.#number = 0;
      this.#media = [];
      const data: SamplePost[] = [];
      for (let h = day * 24; h < (day + 1) * 24; h++) {
        hourRates(h * HOUR_MS, 1, means);
        for (let i = 0; i < WIDTH; i++) means[i]! *= scale;
        data.push(...this.#hour(h * HOUR_MS, means, []));
      }
      const authors = new Set(data.map((post) => post.author_id));
      const users = LANGS.flatMap((lang) => this.#authors[lang])
        .filter(({ id }) => authors.has(id))
        .map(userOf);
      return { data, includes: { users, media: this.#media } };
    };
  }

  #firstHour(): number {
    return Math.floor(this.#end / HOUR_MS) - HOURS + 1;
  }

  *days(): Generator<SampleDay> {
    const first = this.#firstHour();
    const rates = new Float64Array(HOURS * WIDTH);
    for (let h = 0; h < HOURS; h++) {
      const row = rates.subarray(h * WIDTH, (h + 1) * WIDTH);
      hourRates((first + h) * HOUR_MS, h / HOURS, row);
    }
    const bursts = plantedBursts(this.#end);
    const scale = this.#scale(
      rates.reduce((sum, rate) => sum + rate, 0),
      bursts,
    );
    let users: object[] = LANGS.flatMap((lang) => this.#authors[lang].map(userOf));
    for (let from = 0; from < HOURS; from += 24) {
      const data: SamplePost[] = [];
      for (let h = from; h < Math.min(HOURS, from + 24); h++) {
        const means = rates.subarray(h * WIDTH, (h + 1) * WIDTH).map((rate) => rate * scale);
        data.push(...this.#hour((first + h) * HOUR_MS, means, bursts, this.#end));
      }
      yield { data, includes: { users, media: this.#media } };
      users = [];
      this.#media = [];
    }
  }

  #hour(
    start: number,
    means: Float64Array,
    bursts: readonly PlantedBurst[],
    end = Infinity,
  ): SamplePost[] {
    const random = this.#random;
    /** For each English topic that is bursting: the burst, and its share of the Posts. */
    const news = new Map<number, { burst: PlantedBurst; part: number }>();
    for (const burst of bursts) {
      const more = burstRate(burst, start) * this.#part;
      const at = TOPICS.findIndex((topic) => topic.name === burst.topic) * LANGS.length;
      const langs = TOPICS[at / LANGS.length]?.langs ?? {};
      if (more <= 0) continue;
      LANGS.forEach((lang, i) => (means[at + i]! += more * (langs[lang] ?? 0)));
      const english = at + LANGS.indexOf('en');
      news.set(english, { burst, part: (more * (langs.en ?? 0)) / means[english]! });
    }
    const due: { at: number; topic: Topic; lang: Lang; burst: PlantedBurst | null }[] = [];
    for (let i = 0; i < means.length; i++) {
      for (let remaining = random.poisson(means[i]!); remaining > 0; remaining--) {
        const at = start + random.below(HOUR_MS);
        if (at >= end) continue;
        const current = news.get(i);
        due.push({
          burst: current && random.chance(current.part) ? current.burst : null,
          at,
          topic: TOPICS[Math.floor(i / LANGS.length)]!,
          lang: LANGS[i % LANGS.length]!,
        });
      }
    }
    due.sort((a, b) => a.at - b.at);
    return due.map(({ at, topic, lang, burst }) => this.#post(at, topic, lang, burst));
  }

  #post(at: number, topic: Topic, lang: Lang, burst: PlantedBurst | null): SamplePost {
    const random = this.#random;
    const people = this.#authors[lang];
    const author = people[Math.floor(people.length * random.next() ** 2.2)]!;
    this.#number = (this.#number + 1) % 4096;
    const id = String(newSnowflake(at, (random.below(1024) << 12) | this.#number));
    const said = this.#said.get(topic) ?? [];
    this.#said.set(topic, said);
    const other = said[said.length - 1 - Math.floor(said.length * random.next() ** 2)];
    const kind = random.next();
    const base = {
      id,
      author_id: author.id,
      created_at: new Date(at).toISOString(),
      lang,
      edit_history_tweet_ids: [id],
      public_metrics: {
        retweet_count: random.below(3) * random.below(3),
        reply_count: random.below(3),
        like_count: Math.floor(20 * random.next() ** 6),
        quote_count: 0,
      },
    };
    if (other && kind < 0.2 && other.author !== author) {
      return { ...base, ...repost(other), conversation_id: id };
    }
    const draft = new Draft();
    const extra: Record<string, unknown> = {};
    let conversation = id;
    if (other && kind < 0.32) {
      const place = draft.add(`@${other.author.username}`);
      draft.entities.mentions = [
        { ...place, username: other.author.username, id: other.author.id },
      ];
      extra.in_reply_to_user_id = other.author.id;
      extra.referenced_tweets = [{ type: 'replied_to', id: other.id }];
      conversation = other.conversation;
    }
    this.#say(draft, topic, lang, extra.in_reply_to_user_id !== undefined, burst);
    if (other && kind >= 0.32 && kind < 0.37) {
      const address = `https://twitter.com/${other.author.username}/status/${other.id}`;
      this.#link(draft, address);
      extra.referenced_tweets = [{ type: 'quoted', id: other.id }];
    } else if (kind > 0.86) this.#link(draft, this.#article(topic));
    if (kind > 0.4 && kind < 0.56)
      extra.attachments = { media_keys: [this.#medium(draft, id, author)] };
    const { text, entities } = draft;
    said.push({ id, conversation, author, text, entities });
    if (said.length > REMEMBERED) said.shift();
    if (Object.keys(entities).length > 0) extra.entities = entities;
    return { ...base, text, conversation_id: conversation, ...extra };
  }

  #say(draft: Draft, topic: Topic, lang: Lang, reply: boolean, burst: PlantedBurst | null): void {
    const random = this.#random;
    const name = topic.names[lang] ?? topic.name;
    if (reply && random.chance(0.5)) {
      draft.add(random.pick(REPLIES[lang]));
      return;
    }
    const sentence = random.pick(burst?.says ?? TEXTS[topic.kind][lang]).replace('{x}', name);
    draft.add(lang === 'ja' ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1));
    if (random.chance(0.18)) draft.add(random.pick(EMOJI));
    if (topic.account !== null && random.chance(0.2)) {
      const place = draft.add(`@${topic.account}`);
      (draft.entities.mentions ??= []).push({ ...place, username: topic.account });
    }
    if (random.chance(0.34)) {
      const place = draft.add(`#${topic.tag}`);
      (draft.entities.hashtags ??= []).push({ ...place, tag: topic.tag });
    }
  }

  #short(): string {
    let out = 'https://t.co/';
    for (let i = 0; i < 10; i++) out += LETTERS[this.#random.below(LETTERS.length)];
    return out;
  }

  /** An address under a top-level domain reserved for examples (RFC 2606). */
  #article(topic: Topic): string {
    const site = this.#random.pick(SITES);
    const path = topic.name.toLowerCase().replaceAll(' ', '-');
    return `https://${site}.example/${path}/${this.#random.below(400)}`;
  }

  #link(draft: Draft, address: string): void {
    const url = this.#short();
    const place = draft.add(url);
    (draft.entities.urls ??= []).push({
      ...place,
      url,
      expanded_url: address,
      display_url: address.slice('https://'.length, 'https://'.length + 26),
    });
  }

  #medium(draft: Draft, id: string, author: SampleAuthor): string {
    const type = this.#random.chance(0.8) ? 'photo' : 'video';
    const key = `${type === 'photo' ? 3 : 7}_${id}`;
    const url = this.#short();
    const place = draft.add(url);
    (draft.entities.urls ??= []).push({
      ...place,
      url,
      expanded_url: `https://twitter.com/${author.username}/status/${id}/${type}/1`,
      display_url: `pic.twitter.com/${url.slice(-10)}`,
      media_key: key,
    });
    this.#media.push({ media_key: key, type });
    return key;
  }
}

function userOf({ id, username, name, verified, createdAt }: SampleAuthor): object {
  return { id, username, name, verified, created_at: new Date(createdAt).toISOString() };
}

function moved<T extends Entity>(list: readonly T[] | undefined, by: number): T[] {
  const all = (list ?? []).map((item) => ({ ...item, start: item.start + by, end: item.end + by }));
  return all.filter((item) => item.end <= REPOST_LENGTH - 1);
}

/** Text, reference and entities of a repost: `RT @user: ` and the text, cut to 140 characters. */
function repost(said: Said): Pick<SamplePost, 'text' | 'referenced_tweets' | 'entities'> {
  const { username, id } = said.author;
  const head = `RT @${username}: `;
  const all = Array.from(head + said.text);
  const text =
    all.length > REPOST_LENGTH ? `${all.slice(0, REPOST_LENGTH - 1).join('')}…` : all.join('');
  const hashtags = moved(said.entities.hashtags, head.length);
  const urls = moved(said.entities.urls, head.length);
  const entities: Entities = {
    mentions: [
      { start: 3, end: 4 + username.length, username, id },
      ...moved(said.entities.mentions, head.length),
    ],
    ...(hashtags.length > 0 && { hashtags }),
    ...(urls.length > 0 && { urls }),
  };
  return { text, referenced_tweets: [{ type: 'retweeted', id: said.id }], entities };
}

/**
 * The sample: about 200,000 invented Posts over three years up to `end`, deterministic for an end and a
 * seed. Ten topics in six languages, with days, weeks, seasons, trends and {@link plantedBursts}.
 *
 * @param end - Epoch ms; every Post is before it.
 * @param posts - Approximate number of Posts.
 */
export function samplePosts(end: number, seed: number, posts = SAMPLE_POSTS): Generator<SampleDay> {
  return new SampleMaker(end, seed, posts).days();
}

/**
 * Makes the Posts that follow a sample, in the same manner but without planted bursts, by UTC day number. The same sample
 * and day give the same Posts. They refer only to others of their day.
 *
 * @param end - Epoch ms, like the other two those of the sample.
 */
export function laterPosts(end: number, seed: number, posts: number): (day: number) => SampleDay {
  return new SampleMaker(end, seed, posts).later();
}
