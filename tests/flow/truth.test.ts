import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { leavesRepostsOut } from '#core/query/reposts.ts';
import { BUCKET_MS, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { appToken, groundswell, serve } from '#tests/support/service/command.ts';
import { countAll } from '#tests/support/data/counts.ts';
import { CORPORA, corpusPart, truthIndex } from '#tests/support/data/corpus-part.ts';
import { long } from '#tests/support/run/long.ts';
import { giveCorpus } from '#tests/support/run/made-data.ts';
import { realData } from '#tests/support/data/posts.ts';
import { temporaryFolder, type RunningService } from '#tests/support/service/process.ts';
import { searchAll } from '#tests/support/service/search.ts';
import { giveTinySample } from '#tests/support/service/service.ts';
import { countingBytes } from '#tests/server/db/folder.ts';

interface Truth {
  query: string;
  total: number;
  day: Record<string, number>;
  hour: Record<string, number>;
  minute: Record<string, number>;
  minute_scope: string;
}
const folder = realData();
/** The query of the large corpus that no Post matches. */
const NONE = 'zzzyxqk';
/** Most Posts of a query whose Posts are all searched. */
const MOST_SEARCHED = long() ? 2000 : 300;
/** Days of one page of counts. */
const PAGE_DAYS = 31;
/** Pages of minutes in a row; each has 44,640 buckets. */
const MINUTE_PAGES = 5;

type Buckets = Record<string, number>;

/** Counts above 0, from the index. */
function countsOf({ index }: Source, query: string, span: Span, granularity: Granularity): Buckets {
  const parsed = parse(query, { product: 'all' });
  if (!parsed.ok) throw new Error(`expected a query, got ${query}`);
  const counts = index.histogram(condition(parsed.ast), span, granularity);
  const buckets: Buckets = {};
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count > 0) buckets[new Date(span.start + i * BUCKET_MS[granularity]).toISOString()] = count;
  }
  return buckets;
}

/** Some pages of whole days, the first of them with the busiest bucket. */
function busiestPages(buckets: Buckets, { start, end }: Span, pages = 1): Span {
  let [peak, most] = [start, 0];
  for (const [at, count] of Object.entries(buckets)) {
    if (count > most) [peak, most] = [Date.parse(at), count];
  }
  const day = Math.floor(peak / DAY_MS) * DAY_MS;
  return { start: day, end: Math.min(end, day + pages * PAGE_DAYS * DAY_MS) };
}

function within(buckets: Buckets, { start, end }: Span): Buckets {
  const [from, to] = [new Date(start).toISOString(), new Date(end).toISOString()];
  return Object.fromEntries(Object.entries(buckets).filter(([at]) => from <= at && at < to));
}

const sumOf = (buckets: Buckets): number =>
  Object.values(buckets).reduce((sum, count) => sum + count, 0);

/** Buckets as lines in order, which compare much faster than objects with tens of thousands of keys. */
const lines = (buckets: Buckets): string =>
  Object.entries(buckets)
    .map(([at, count]) => `${at} ${count}`)
    .sort()
    .join('\n');

describe.runIf(folder)('counts of real posts', () => {
  for (const corpus of CORPORA) {
    describe(corpus, () => {
      const index = folder ? truthIndex(folder, corpus) : null;
      const part = folder ? corpusPart(folder, corpus) : null;
      const truths = new Map<string, Truth>();
      /** The true counts of a query on the days of the part. */
      const read = (name: string): Truth => {
        const known = truths.get(name);
        if (known) return known;
        const truth = readPart(name);
        truths.set(name, truth);
        return truth;
      };
      const readPart = (name: string): Truth => {
        const truth = JSON.parse(readFileSync(join(folder ?? '', 'truth', name), 'utf8')) as Truth;
        if (!part?.cut) return truth;
        const cut = (buckets: Buckets): Buckets =>
          Object.fromEntries(Object.entries(buckets).filter(([at]) => part.has(at.slice(0, 10))));
        const day = cut(truth.day);
        return {
          ...truth,
          total: sumOf(day),
          day,
          hour: cut(truth.hour),
          minute: cut(truth.minute),
        };
      };
      const start = Math.floor(Date.parse(`${index?.first}Z`) / DAY_MS) * DAY_MS;
      const end = Math.ceil((Date.parse(`${index?.last}Z`) + 1) / DAY_MS) * DAY_MS;
      const data = temporaryFolder();
      let service: RunningService;
      let token: string;
      let source: Source;

      beforeAll(async () => {
        await giveCorpus(data, folder ?? '', corpus);
        giveTinySample(data);
        token = await appToken(data);
        service = await serve(data);
        source = openSource(join(data, 'posts.sqlite'), { random: countingBytes() });
      });
      afterAll(async () => {
        source?.close();
        await service?.stop();
        rmSync(data, { recursive: true, force: true });
      });

      // `*` means every row; it is not a query of the platform's language.
      const queries = (index?.queries ?? []).filter((q) => q.query !== '*');
      it.each(queries)('$query', async ({ file }) => {
        const truth = read(file);
        const { query } = truth;
        // The days of the part have Posts of each query but the one that none matches.
        if (query !== NONE) expect(truth.total).toBeGreaterThan(0);
        const whole = truth.minute_scope === 'all';
        const from = whole ? start : Date.parse(truth.minute_scope);
        for (const [granularity, scope] of [
          ['day', { start, end }],
          ['hour', { start, end }],
          ['minute', { start: from, end: whole ? end : from + DAY_MS }],
        ] as const) {
          // All of them from the index, but only one page over HTTP, where all minutes would be gigabytes of JSON.
          const right = truth[granularity];
          const counts = countsOf(source, query, scope, granularity);
          expect(lines(counts)).toBe(lines(right));
          if (granularity === 'day') expect(sumOf(counts)).toBe(truth.total);
          const page = busiestPages(right, scope);
          const counted = await countAll(service.url, token, query, granularity, page);
          expect(counted.buckets).toEqual(within(right, page));
        }
      });

      it.each(['day', 'hour', 'minute'] as const)(
        'by %s are the same over HTTP, page by page to the end',
        async (granularity) => {
          const { file } = queries.toSorted((a, b) => a.query.length - b.query.length)[0]!;
          const truth = read(file);
          const all = { start, end };
          const span = granularity === 'minute' ? busiestPages(truth.hour, all, MINUTE_PAGES) : all;
          const counted = await countAll(service.url, token, truth.query, granularity, span);
          const right = countsOf(source, truth.query, span, granularity);
          expect(lines(counted.buckets)).toBe(lines(right));
          expect(counted.total).toBe(sumOf(within(truth.hour, span)));
        },
      );

      it('are those of the command line', async () => {
        const asked = queries.slice(0, 3).map(({ query }) => query);
        const range = [
          '--from',
          new Date(start).toISOString(),
          '--to',
          new Date(end).toISOString(),
        ];
        const form = ['--granularity', 'hour', '--json', '--data', data];
        const { code, out } = await groundswell('counts', ...range, ...form, '--', ...asked);
        expect(code).toBe(0);
        const { buckets } = JSON.parse(out) as { buckets: { start: string; counts: number[] }[] };
        for (const [i, { file }] of queries.slice(0, 3).entries()) {
          const counted = buckets.flatMap(({ start: at, counts }): [string, number][] =>
            counts[i] ? [[at, counts[i]]] : [],
          );
          expect(lines(Object.fromEntries(counted))).toBe(lines(read(file).hour));
        }
      });

      it('match the Posts that search finds, except for reposts, which search leaves out', async () => {
        let compared = 0;
        for (const { file } of queries) {
          const { query, total } = read(file);
          const parsed = parse(query, { product: 'all' });
          if (total > MOST_SEARCHED || !parsed.ok) continue;
          const without = `(${query}) -is:retweet`;
          const counted = leavesRepostsOut(parsed.ast)
            ? sumOf(countsOf(source, without, { start, end }, 'day'))
            : total;
          const found = await searchAll(service.url, token, query, { start, end });
          expect(new Set(found).size, query).toBe(found.length);
          expect(found.length, query).toBe(counted);
          compared += 1;
        }
        expect(compared).toBeGreaterThan(3);
      });
    });
  }
});
