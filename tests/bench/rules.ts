import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import { meets } from '#core/rules/meets.ts';
import { needOf } from '#core/rules/need.ts';
import { parseRule } from '#core/rules/parse.ts';
import { postView, type StreamPost } from '#core/rules/post.ts';
import { ruleIndex, type IndexedRule } from '#core/rules/rule-index.ts';
import { isStopWord } from '#core/query/stop-words.ts';
import { streamTermsOf } from '#core/text/terms.ts';
import { Random } from '#server/sample/random.ts';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import { digits, fact, goal, milliseconds, table } from './measure.ts';

const RULES = 25_000;
const MORE_RULES = 1000;
const POSTS = 20_000;
/** Posts that every rule is evaluated with. */
const FEW_POSTS = 200;
/** Words of the rules that name a frequent one. */
const FREQUENT = 200;

/** Real Posts of half a year, evenly spread. */
function realPosts(folder: string): StreamPost[] {
  const [file] = postFiles(folder, 'ira-2016h1');
  const csv = gunzipSync(readFileSync(file ?? '')).toString('utf8');
  const { data } = Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true });
  const all = data.map((row, i) => ({
    id: BigInt(row['id'] ?? i),
    post: {
      text: row['text'] ?? '',
      username: row['author'] ?? '',
      authorId: row['author_id'] ?? '',
      lang: row['lang'] ?? '',
      isRetweet: row['is_retweet'] === 'true',
    },
  }));
  const step = Math.max(1, Math.floor(all.length / (4 * POSTS)));
  return all.filter((_, i) => i % step === 0);
}

/** The words that occur in most Posts, the most frequent first. */
function frequentWords(posts: readonly StreamPost[]): string[] {
  const counts = new Map<string, number>();
  for (const { post } of posts) {
    for (const word of new Set(streamTermsOf(post).words)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([word]) => !isStopWord(word) && word !== 'or' && word !== 'and')
    .sort((a, b) => b[1] - a[1])
    .slice(0, FREQUENT)
    .map(([word]) => word);
}

/** Makes the text of a rule of one kind from a Post; null if the Post lacks what it needs. */
type Kind = (post: StreamPost, random: Random, frequent: readonly string[]) => string | null;

function words(of: StreamPost): string[] {
  const plain = (word: string): boolean => !/^(?:and|or|https?|co|t)$/.test(word);
  return streamTermsOf(of.post).words.filter(plain);
}

function pick<T>(random: Random, list: readonly T[]): T | undefined {
  return list[random.below(Math.max(1, list.length))];
}

const KINDS: readonly (readonly [share: number, kind: Kind])[] = [
  [
    40,
    (post, random) => {
      const [a, b] = [pick(random, words(post)), pick(random, words(post))];
      return a === undefined || b === undefined || a === b ? null : `${a} ${b}`;
    },
  ],
  [
    20,
    (post, random) => {
      const [a, b] = [pick(random, words(post)), pick(random, words(post))];
      const lang = post.post.lang ?? '';
      if (a === undefined || b === undefined || a === b || lang === '') return null;
      return `(${a} OR ${b}) lang:${lang}`;
    },
  ],
  [15, ({ post }) => (post.username ? `from:${post.username}` : null)],
  [
    10,
    ({ post }, random) => {
      const tag = pick(
        random,
        streamTermsOf(post).flags.filter((flag) => flag.startsWith('#')),
      );
      return tag === undefined ? null : `${tag} -is:retweet`;
    },
  ],
  [
    10,
    (post, random) => {
      const all = words(post);
      const at = random.below(Math.max(1, all.length - 1));
      return at + 1 < all.length ? `"${all[at]} ${all[at + 1]}"` : null;
    },
  ],
  [
    5,
    (post, random, frequent) => {
      const [often, other] = [pick(random, frequent), pick(random, words(post))];
      return other === undefined || other === often ? null : `${often} -${other}`;
    },
  ],
];

/** Texts of different valid rules, in the shares of {@link KINDS}. */
function rulesFrom(posts: readonly StreamPost[], wanted: number, random: Random): string[] {
  const frequent = frequentWords(posts);
  const texts = new Set<string>();
  for (const [share, kind] of KINDS) {
    const until = texts.size + (wanted * share) / 100;
    // There are fewer authors than rules that name one; a clause that excludes little tells them apart.
    for (let tries = 0; texts.size < until; tries++) {
      const made = kind(pick(random, posts)!, random, frequent);
      if (made === null || !parseRule(made).ok) continue;
      texts.add(tries < 5 * wanted ? made : `${made} -x${tries}`);
    }
  }
  return [...texts];
}

function compile(texts: readonly string[], first: number): IndexedRule[] {
  return texts.map((text, i) => {
    const parsed = parseRule(text);
    if (!parsed.ok) throw new Error(`expected a valid rule, got ${text}`);
    return { id: String(first + i), need: needOf(parsed.ast) };
  });
}

/** Megabytes of live objects. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1e6;
}

/** Matches real Posts with 25,000 rules: by the index, and by evaluating every rule. */
export async function benchRules(quick: boolean): Promise<void> {
  const folder = realData();
  if (!folder) {
    process.stdout.write('GROUNDSWELL_TEST_DATA is not set: matching rules is not timed.\n');
    return;
  }
  const posts = realPosts(folder);
  const tried = posts.filter((_, i) => i % 2 === 0).slice(0, quick ? POSTS / 4 : POSTS);
  const from = posts.filter((_, i) => i % 2 === 1);
  const random = new Random(1);
  const texts = rulesFrom(from, RULES + MORE_RULES, random);
  // Each kind is spread over all rules.
  texts.sort((a, b) => a.length * 31 + a.charCodeAt(1) - (b.length * 31 + b.charCodeAt(1)));
  const later = new Set(Array.from({ length: MORE_RULES }, (_, i) => i * (RULES / MORE_RULES + 1)));
  const first = texts.filter((_, i) => !later.has(i));
  const more = texts.filter((_, i) => later.has(i));

  const before = heap();
  const index = ruleIndex();
  const starting = await milliseconds(() => index.add(compile(first, 0)));
  let found = 0;
  const matching = await milliseconds(() => {
    for (const post of tried) found += index.match(postView(post)).length;
  });
  const memory = heap() - before;
  const adding = await milliseconds(() => index.add(compile(more, RULES)));
  const extracting = await milliseconds(() => {
    for (const post of tried) postView(post);
  });

  const rules = compile(first, 0);
  let foundByAll = 0;
  const few = tried.slice(-FEW_POSTS);
  const evaluating = await milliseconds(() => {
    for (const post of few) {
      const view = postView(post);
      for (const { need } of rules) if (meets(need, view)) foundByAll += 1;
    }
  });
  const again = ruleIndex();
  again.add(rules);
  const same = few.reduce((sum, post) => sum + again.match(postView(post)).length, 0);
  if (same !== foundByAll) throw new Error(`the index found ${same} matches of ${foundByAll}`);

  const rate = (tried.length / matching) * 1000;
  const plainRate = (few.length / evaluating) * 1000;
  table(`Matching ${tried.length.toLocaleString('en')} real Posts with ${first.length} rules`, [
    ['by', 'posts/s', 'matches/post'],
    ['the index', digits(rate), digits(found / tried.length)],
    ['evaluating every rule', digits(plainRate), digits(foundByAll / few.length)],
  ]);
  fact(`of it extracting terms: ${digits((extracting / matching) * 100)}%`);
  goal('Posts per second', rate, '≥', 2000);
  goal('times evaluating every rule', rate / plainRate, '≥', 8);
  goal('memory of the rules', memory, '≤', 200, ' MB');
  goal(`reading ${first.length} rules at the start`, starting, '≤', 2000, ' ms');
  goal(`adding ${more.length} rules`, adding, '≤', 200, ' ms');
}
