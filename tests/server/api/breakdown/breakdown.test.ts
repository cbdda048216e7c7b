import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { breakdownOfPosts } from '#core/query/posts-breakdown.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { answerTo } from '#server/api/breakdown/question.ts';
import { languagesOf } from '#server/api/breakdown/wording.ts';
import { readFiles } from '#server/import/import.ts';
import { NEVER } from '#server/index/steps.ts';
import { compactIndex } from '#server/maintenance/compact.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import { openPosts, postTable, type NewPost } from '#server/posts/store/post-table.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';
import { createWriter } from '#server/posts/editor/writer.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { long } from '#tests/support/run/long.ts';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import { figures, itemsOf, Recount, type RawPost } from './recount.ts';
import { tallyFlags } from '#server/index/tally-flags.ts';
import { postsIn } from '#server/index/chunk-posts.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';
import type {
  BreakdownAnswer,
  BreakdownItem,
  ComparedItem,
} from '#contract/counts/breakdown-answers.ts';

const START = Date.UTC(2020, 1, 29);
const DAYS = 20;
const WORDS =
  'the fox und cat Dog naïve 東京 coca-cola 😀 👍🏽 #️⃣ #fox #news @cat $dog $AB or and 7 42 2020 über news'.split(
    ' ',
  );
const LINKS = [
  'https://www.Example.com/a?b=1',
  'http://example.com/a',
  'https://other.org/',
  'https://t.co/AbC',
  'https://sub.example.com:8080/x/y',
  'https://one.net/example.com/z',
];

function made(i: number, pick: ReturnType<typeof numbers>): IndexablePost {
  const some = <T>(list: readonly T[]): T => list[pick(list.length)]!;
  const maybe = <T extends object>(value: T): T | object => (pick(3) === 0 ? value : {});
  const words = Array.from(
    { length: 1 + pick(7) },
    () => WORDS[Math.floor(pick(WORDS.length ** 2) ** 0.5)]!,
  );
  // Words that are new in a later time, and rare ones.
  if (i % 20 > 12 && pick(3) === 0) words.push('grand', 'final', '#cup', 'goal');
  if (i % DAYS === 17) words.push('#burst');
  if (pick(9) === 0) words.push(`rare${pick(300)}`);
  if (pick(9) === 0) words.push(some(LINKS));
  return {
    text: words.join(' '),
    lang: some(['en', 'en', 'de', 'und']),
    ...(pick(9) === 0
      ? { authorId: String(100 + pick(4)) }
      : { username: some(['Ann', 'bob', '77', `user${pick(400)}`]) }),
    isRetweet: pick(3) === 0,
    isQuote: pick(5) === 0,
    isReply: pick(4) === 0,
    hasMedia: pick(4) === 0,
    // Imports that leave kinds open come at once.
    ...(i % DAYS === 3 && {
      isRepostUnknown: i % 2 === 0,
      isReplyUnknown: true,
      isQuoteUnknown: i % 3 === 0,
    }),
    ...maybe({
      places: some([['0123456789abcdef', 'Paris', 'Paris, France'], ['New  York']]),
      country: some(['FR', 'us']),
    }),
    ...maybe({ urls: [some(LINKS), some(LINKS)] }),
  };
}

const columns = { authorId: null, username: null, lang: null, rest: null };

/** The Post number `i`, on one of {@link DAYS} days. */
function rowOf(i: number, pick: ReturnType<typeof numbers>): NewPost {
  const post = made(i, pick);
  return {
    id: BigInt(i + 1),
    createdAt: START + (i % DAYS) * DAY_MS + pick(86_400) * 1000 + pick(1000),
    ...columns,
    text: post.text,
    facts: factsOf(post, { ...columns, text: post.text }),
    terms: termsOf(post),
  };
}

const folder = temporaryFolder();
const random = countingBytes();

/** The Posts of a file by their rows alone. */
function rawPosts(file: string): RawPost[] {
  const db = openPosts(file, { random });
  const table = postTable(db);
  const found: RawPost[] = [];
  for (
    let rows = table.after(-1n, 4096);
    rows.length > 0;
    rows = table.after(rows.at(-1)!.id, 4096)
  ) {
    for (const row of rows) {
      if ((row.flags & (1 << 30)) !== 0) continue;
      found.push({ createdAt: row.createdAt, terms: termsOf(storedPost(row, table.object)) });
    }
  }
  db.close();
  return found;
}

function breakdown(
  source: Source,
  query: string | null,
  span: Span,
  compared: Span,
  limit: number,
) {
  const step = source.over((state, due) =>
    answerTo(state, { what: 'breakdown', query, span, compared, limit }, due),
  )(NEVER);
  if (!step.done || !('kinds' in step.value)) throw new TypeError('expected a breakdown');
  return step.value;
}

function countOf(source: Source, query: string, span: Span): number {
  const parsed = parse(query);
  if (!parsed.ok) return NaN;
  return source.index
    .histogram(condition(parsed.ast), span, 'day')
    .reduce((sum, posts) => sum + posts, 0);
}

function languagesIn(source: Source, query: string | null, span: Span): string[] {
  const parsed = query === null ? null : parse(query);
  const wanted = parsed?.ok ? condition(parsed.ast) : ({ kind: 'all', of: [] } as const);
  const step = source.over(function* (state, due) {
    const posts = yield* postsIn(state.chunks, wanted, span, due);
    const { language } = yield* tallyFlags(posts, [], {}, due);
    const sets = { now: posts, posts: posts.reduce((sum, { n }) => sum + n, 0) };
    return yield* languagesOf(sets, language, due);
  })(NEVER);
  return step.value ?? [];
}

/** Compares an answer with a count over the raw rows, figure by figure. */
function expectRecounted(
  source: Source,
  posts: readonly RawPost[],
  query: string | null,
  span: Span,
  compared: Span,
  limit: number,
): void {
  const data = breakdown(source, query, span, compared, limit);
  const raw = new Recount(posts, query, span, compared);
  expect([data.posts, data.compared.posts]).toEqual([raw.now.length, raw.before.length]);
  for (const item of itemsOf(data)) {
    expect([item.clause, item.posts]).toEqual([item.clause, raw.selected(item)]);
    expect(item.share).toBe(data.posts === 0 ? 0 : item.posts / data.posts);
    const filter = raw.filterBy(item);
    if (parse(filter).ok) {
      expect([filter, countOf(source, filter, span)]).toEqual([filter, item.posts]);
    }
    expect([item.clause, parse(item.clause).ok]).toEqual([item.clause, item.alone]);
  }
  const open = (kind: string): number => raw.flags('unknown:').get(kind) ?? 0;
  for (const { name, unknown } of data.kinds) expect([name, unknown]).toEqual([name, open(name)]);
  const isOpen = raw.flags('unknown:').size > 0;
  expect(data.kinds.some(({ name }) => name === 'original')).toBe(!isOpen);
  const shown = (items: readonly { readonly posts: number }[]) => items.map((item) => item.posts);
  expect(data.authors.distinct).toBe(raw.authors.size);
  expect(shown(data.authors.items)).toEqual(figures(raw.authors, 1, limit));
  expect(shown(data.languages)).toEqual(figures(raw.flags('lang:'), 1, limit));
  expect(shown(data.countries)).toEqual(figures(raw.flags('place_country:'), 1, limit));
  for (const group of ['hashtags', 'cashtags', 'emoji'] as const) {
    expect(shown(data[group])).toEqual(figures(raw.signed(group), 3, limit));
  }
  const domains = raw.flags('domain:');
  expect(data.domains.length).toBe(figures(domains, 3, limit).length);
  for (const { name, posts: n } of data.domains)
    expect(n).toBeGreaterThanOrEqual(domains.get(name)!);
  expect(data.addresses.length).toBe(figures(raw.flags('address:'), 3, limit).length);
  const languages = languagesIn(source, query, span);
  for (const kind of ['words', 'phrases'] as const) {
    const likely = raw.distinctive(kind, languages);
    const wanted = [...likely.values()].sort((a, b) => b - a).slice(0, limit);
    expect(data[kind].map(({ likelihood }) => likelihood)).toEqual(wanted);
    for (const { name, likelihood } of data[kind]) expect(likely.get(name)).toBe(likelihood);
  }
  expectSameOfPosts(data, raw, limit);
}

/** Compares what the dashboard computes of Posts that were read with the answer of the service. */
function expectSameOfPosts(data: BreakdownAnswer['data'], raw: Recount, limit: number): void {
  const terms = (posts: readonly RawPost[]) => posts.map((post) => post.terms);
  const own = breakdownOfPosts(terms(raw.now), terms(raw.before), raw.asked, limit);
  expect(own.kinds).toEqual(data.kinds);
  expect(own.authors.distinct).toBe(data.authors.distinct);
  const figuresOf = (items: readonly BreakdownItem[]) => items.map(({ posts }) => posts);
  for (const [mine, theirs] of [
    [own.authors.items, data.authors.items],
    [own.languages, data.languages],
    [own.hashtags, data.hashtags],
    [own.cashtags, data.cashtags],
    [own.emoji, data.emoji],
  ] as const) {
    expect(figuresOf(mine)).toEqual(figuresOf(theirs));
  }
  for (const list of ['words', 'phrases', 'hashtags'] as const) {
    const key = (items: readonly ComparedItem[]) =>
      items.map(({ likelihood }) => likelihood).sort((a, b) => (b ?? 0) - (a ?? 0));
    if (list !== 'hashtags') expect(key(own[list])).toEqual(key(data[list]));
    for (const item of data[list]) {
      const same = own[list].find(({ clause }) => clause === item.clause);
      if (same) expect(same).toEqual(item);
    }
  }
  for (const list of ['domains', 'addresses'] as const) {
    expect(own[list].length).toBe(data[list].length);
    for (const item of own[list]) expect(item.posts).toBe(raw.selected(item));
  }
}

describe('a breakdown equals a count over the raw rows', () => {
  const file = folder('made');
  let source: Source;
  let posts: RawPost[];
  const queries = [
    'fox',
    'cat OR #news',
    '"grand final" -is:retweet',
    'from:bob lang:en',
    'naive has:links',
    'nothing',
    '👍🏽',
  ];

  beforeAll(() => {
    const pick = numbers(11);
    const db = openPosts(file, { random });
    const writer = createWriter(db);
    const n = long() ? 60_000 : 6000;
    const rows = Array.from({ length: n }, (_, i) => rowOf(i, pick));
    // Two chunks that overlap in time.
    writer.add(rows.slice(0, n / 2));
    writer.finish();
    writer.add(rows.slice(n / 2));
    writer.finish();
    const changes = postChanges(db);
    for (let i = 0; i < 300; i++) {
      changes.create(rowOf(n + i, pick));
      if (i % 3 === 0) changes.remove(BigInt(1 + pick(n)));
      if (i % 7 === 0) changes.edit(BigInt(n + i + 1), rowOf(2 * n + i, pick));
    }
    writer.close();
    source = openSource(file, { random });
    posts = rawPosts(file);
  });
  afterAll(() => source.close());

  const hours = fc.integer({ min: 0, max: DAYS * 24 });
  const anywhere = fc.tuple(hours, hours, fc.integer({ min: 0, max: 3599 })).map(([a, b, s]) => ({
    start: START + Math.min(a, b) * HOUR_MS + s * 1000,
    end: START + (Math.max(a, b) + 1) * HOUR_MS,
  }));

  it('of any query, span and comparison', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(null, null, ...queries),
        anywhere,
        anywhere,
        fc.integer({ min: 1, max: 50 }),
        (query, span, compared, limit) => {
          expectRecounted(source, posts, query, span, compared, limit);
        },
      ),
      { numRuns: long() ? 30 : 5 },
    );
  });

  it('and its causes are disjoint, and with the rest all Posts; each has no more than its clause counts', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(null, 'fox', 'cat OR #news'),
        anywhere,
        anywhere,
        (query, span, compared) => {
          const step = source.over((state, due) =>
            answerTo(state, { what: 'causes', query, span, compared, limit: 0 }, due),
          )(NEVER);
          if (!step.done || !('missing' in step.value)) throw new TypeError('expected causes');
          const { posts: all, groups, rest } = step.value;
          expect(groups.reduce((sum, group) => sum + group.posts, rest.posts)).toBe(all);
          expect(all).toBe(breakdown(source, query, span, compared, 1).posts);
          for (const { clause, posts: own } of groups) {
            const both = query === null ? clause : `(${query}) ${clause}`;
            expect(own).toBeLessThanOrEqual(countOf(source, both, span));
          }
        },
      ),
      { numRuns: long() ? 30 : 5 },
    );
  });

  it('after the index was compacted, and rebuilt', { tags: 'long' }, () => {
    const db = openPosts(file, { random });
    const late = { start: START + 13 * DAY_MS, end: START + DAYS * DAY_MS };
    const early = { start: START, end: START + 13 * DAY_MS };
    for (const work of [compactIndex, reindex]) {
      for (const _ of work(db));
      expectRecounted(source, posts, null, late, early, 20);
      expectRecounted(source, posts, 'fox', late, early, 20);
    }
    const { words, phrases } = breakdown(source, null, late, early, 20);
    expect(words.map(({ name }) => name)).toContain('grand');
    expect(phrases.map(({ name }) => name)).toContain('grand final');
    db.close();
  });

  it('and so does what is related to a query', { tags: 'long' }, () => {
    fc.assert(
      fc.property(fc.constantFrom(...queries), anywhere, (query, span) => {
        const limit = 50;
        const step = source.over((state, due) =>
          answerTo(state, { what: 'related', query, span, limit }, due),
        )(NEVER);
        if (!step.done || !('others' in step.value)) throw new TypeError('expected an answer');
        const { posts: n, others, words, phrases } = step.value;
        const raw = new Recount(posts, query, span, 'others');
        expect([n, others]).toEqual([raw.now.length, raw.before.length]);
        const languages = languagesIn(source, query, span);
        for (const [kind, items] of Object.entries({ words, phrases })) {
          const likely = raw.distinctive(kind as 'words' | 'phrases', languages);
          expect(items.length).toBe(Math.min(limit, likely.size));
          for (const item of items) {
            expect([item.name, item.likelihood]).toEqual([item.name, likely.get(item.name)]);
            expect(item.posts).toBe(raw.selected(item));
          }
        }
      }),
    );
  });

  it('and what rises has the counts of its clause, bucket by bucket', () => {
    const span = { start: START, end: START + DAYS * DAY_MS };
    const rising = (limit: number) => {
      const step = source.over((state, due) =>
        answerTo(state, { what: 'rising', span, limit }, due),
      )(NEVER);
      if (!step.done || !('bucket_ms' in step.value)) throw new TypeError('expected an answer');
      return step.value;
    };
    const { words, hashtags, authors } = rising(50);
    // A short list is the beginning of one with everything that rises, and in its order.
    for (const list of [words, hashtags, authors]) {
      expect(list.length).toBeLessThan(50);
      const scores = list.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
    for (const limit of [1, 2, 3]) {
      const short = rising(limit);
      expect(short.words).toEqual(words.slice(0, limit));
      expect(short.hashtags).toEqual(hashtags.slice(0, limit));
    }
    const items = [...words, ...hashtags, ...authors];
    expect(items.map(({ name }) => name)).toContain('#burst');
    for (const { clause, counts, posts: n, peak } of items) {
      const parsed = parse(clause);
      if (!parsed.ok) throw new RangeError(`expected a query, got ${clause}`);
      expect(counts).toEqual([...source.index.histogram(condition(parsed.ast), span, 'day')]);
      expect(counts.reduce((sum, each) => (sum ?? 0) + (each ?? 0), 0)).toBe(n);
      const [from, to] = [peak.start, peak.end].map((at) => (Date.parse(at) - START) / DAY_MS);
      expect(counts.slice(from, to).reduce((sum, each) => (sum ?? 0) + (each ?? 0), 0)).toBe(
        peak.posts,
      );
    }
  });

  it('and no function words of a burst in a language that few Posts are in', () => {
    const file = folder('german-burst');
    const db = openPosts(file, { random });
    const writer = createWriter(db);
    const texts = Array.from({ length: DAYS * 40 }, (_, i): [string, string, number] => [
      'they die for tea',
      'en',
      i % DAYS,
    ]);
    for (let i = 0; i < 60; i++) texts.push(['die Pause und der Tee', 'de', 16]);
    writer.add(
      texts.map(([text, lang, day], i) => {
        const post = { text, lang };
        const row = { ...columns, text };
        const at = START + day * DAY_MS + i * 1000;
        const facts = factsOf(post, row);
        return { id: BigInt(i + 1), createdAt: at, ...row, facts, terms: termsOf(post) };
      }),
    );
    writer.finish();
    writer.close();
    const german = openSource(file, { random });
    const span = { start: START, end: START + DAYS * DAY_MS };
    const step = german.over((state, due) =>
      answerTo(state, { what: 'rising', span, limit: 50 }, due),
    )(NEVER);
    german.close();
    if (!step.done || !('bucket_ms' in step.value)) throw new TypeError('expected an answer');
    expect(step.value.words.map(({ name }) => name).toSorted()).toEqual(['pause', 'tee']);
  });

  it('says that an empty span has nothing', () => {
    const span = { start: 0, end: DAY_MS };
    const data = breakdown(source, null, span, span, 5);
    expect(data.posts).toBe(0);
    expect(itemsOf(data).filter(({ posts: n }) => n > 0)).toEqual([]);
  });
});

const real = realData();
const SPANS: [corpus: string, query: string | null, from: string, to: string][] = [
  ['mayweather', null, '2017-08-27T04:40:00Z', '2017-08-27T05:00:00Z'],
  ['ira-2016h1', 'trump OR clinton OR news', '2016-01-14T00:00:00Z', '2016-01-21T00:00:00Z'],
];
describe.runIf(real)('a breakdown of real Posts equals a count over their rows', () => {
  it.each(SPANS)('%s', { tags: 'long' }, async (corpus, query, from, to) => {
    const file = folder(corpus);
    const [start, end] = [Date.parse(from), Date.parse(to)];
    const span = { start, end };
    const compared = { start: 2 * start - end, end: start };
    const db = openPosts(file, { random });
    const writer = createWriter(db);
    const job = { files: postFiles(real!, corpus), store: '' };
    for await (const { posts: rows } of readFiles(job, end, new AbortController().signal)) {
      writer.add(rows.filter(({ createdAt }) => createdAt >= compared.start));
      if ((rows.at(-1)?.createdAt ?? 0) >= end) break;
    }
    writer.finish();
    writer.close();
    const source = openSource(file, { random });
    expectRecounted(source, rawPosts(file), query, span, compared, 30);
    source.close();
  });
});
