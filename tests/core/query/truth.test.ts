import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { termsOf } from '#core/text/terms.ts';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { realData } from '#tests/support/data/posts.ts';
import { long } from '#tests/support/run/long.ts';

const folder = realData();

interface Truth {
  query: string;
  day: Record<string, number>;
}

/** True counts of a set's queries on the days from `first` to `last`, by query. */
function truths(root: string, index: string, first: string, last: string): Truth[] {
  const { queries } = JSON.parse(readFileSync(join(root, 'truth', index), 'utf8')) as {
    queries: { file: string; query: string }[];
  };
  // `*` means every row, and is not a query of the platform.
  return queries
    .filter(({ query }) => query !== '*')
    .map(({ file, query }) => {
      const { day } = JSON.parse(readFileSync(join(root, 'truth', file), 'utf8')) as Truth;
      const days = Object.entries(day).filter(
        ([d]) => d.slice(0, 10) >= first && d.slice(0, 10) <= last,
      );
      return { query, day: Object.fromEntries(days) };
    });
}

describe.runIf(folder)('queries over real posts', () => {
  const CASES = [
    ['mayweather-mcgregor-2017-08-27.csv.gz', 'fight-index.json', '2017-08-27', '2017-08-27'],
    ['ira-2012-2015h1.csv.gz', 'ira-posts-index.json', '2012-01-01', '2015-06-30'],
  ] as const;
  it.each(long() ? CASES : CASES.slice(0, 1))(
    'match exactly the posts of %s that the independent count matches',
    (file, index, first, last) => {
      const expected = truths(folder ?? '', index, first, last);
      const asked = expected.map(({ query }) => {
        const parsed = parse(query);
        if (!parsed.ok) throw new Error(`${query} does not parse`);
        return { query, condition: condition(parsed.ast), day: {} as Record<string, number> };
      });
      const csv = gunzipSync(readFileSync(join(folder ?? '', 'posts', file))).toString('utf8');
      Papa.parse<Record<string, string | undefined>>(csv, {
        header: true,
        skipEmptyLines: true,
        step: ({ data: row }) => {
          const terms = termsOf({
            text: row['text'] ?? '',
            username: row['author'] ?? '',
            lang: row['lang'] ?? '',
            isRetweet: row['is_retweet'] === 'true',
          });
          const day = `${row['created_at']?.slice(0, 10)}T00:00:00.000Z`;
          for (const each of asked) {
            if (match(each.condition, terms)) each.day[day] = (each.day[day] ?? 0) + 1;
          }
        },
      });
      expect(asked.map(({ query, day }) => ({ query, day }))).toEqual(expected);
    },
  );
});
