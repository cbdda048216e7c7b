import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Curve } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { postFiles } from './posts.ts';
import { plainCurve } from './volumes.ts';

/** The corpus is thin before, and its last day is cut. */
const FROM = Date.UTC(2015, 0, 1);
const DAYS = (Date.UTC(2018, 4, 30) - FROM) / DAY_MS;

/** Nouns and adjectives of the corpus with Posts on 900 days or more, the most frequent first. */
const WORDS =
  'trump people police man black obama video россии white time day president сша year america love news woman first state house life world american women shooting great city school death';
const SERIES = WORDS.split(' ');

/** Queries of controls: each control is a sum of them. */
const QUERIES = ['all', 'english', 'reposts', 'new', 'good', 'home', 'live', 'today'] as const;
type Query = (typeof QUERIES)[number];
const CONTROLS: Readonly<Record<string, readonly Query[]>> = {
  'all Posts': ['all'],
  'Posts in English': ['english'],
  reposts: ['reposts'],
  'five words': ['new', 'good', 'home', 'live', 'today'],
};

/** A word's daily Posts, and those of its controls without any Post that has the word. */
export interface WordDays {
  readonly name: string;
  readonly curve: Curve;
  readonly controls: readonly { readonly name: string; readonly curve: Curve }[];
}

/** A row of the corpus up to its column `is_retweet`. Texts have no line breaks; other columns no quotes. */
const ROW = /^\d+,([^,]*),[^,]*,[^,]*,("(?:[^"]|"")*"|[^,]*),([^,]*),([^,]*),/u;

/** Reads the daily Posts of 30 words and of four controls for each, in UTC, from 2015 to May 2018; takes some ten seconds. */
export function readWordDays(folder: string): WordDays[] {
  const terms = [...SERIES, 'new', 'good', 'home', 'live', 'today'];
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{N}_#@])(?:${terms.join('|')})(?![\p{L}\p{N}_])`,
    'gu',
  );
  const series = SERIES.map(() => new Float64Array(DAYS));
  const queries = QUERIES.map(() => new Float64Array(DAYS));
  /** Posts of each query that have the word of each series. */
  const both = SERIES.map(() => QUERIES.map(() => new Float64Array(DAYS)));
  const add = (counts: Float64Array | undefined, day: number): void => {
    if (counts) counts[day] = (counts[day] ?? 0) + 1;
  };
  for (const file of postFiles(folder, 'ira-')) {
    for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n')) {
      const [, created = '', text = '', lang, repost] = ROW.exec(line) ?? [];
      const day = Math.floor((Date.parse(created) - FROM) / DAY_MS);
      if (!(day >= 0 && day < DAYS)) continue;
      const found = new Set(text.toLowerCase().match(pattern));
      const isIn = QUERIES.map((query) => {
        if (query === 'all') return true;
        if (query === 'english') return lang === 'en';
        return query === 'reposts' ? repost === 'true' : found.has(query);
      });
      isIn.forEach((is, q) => is && add(queries[q], day));
      SERIES.forEach((word, s) => {
        if (!found.has(word)) return;
        add(series[s], day);
        isIn.forEach((is, q) => is && add(both[s]?.[q], day));
      });
    }
  }
  const bounds = Float64Array.from({ length: DAYS + 1 }, (_, i) => FROM + i * DAY_MS);
  return SERIES.map((name, s) => ({
    name,
    curve: plainCurve(bounds, series[s] ?? new Float64Array(DAYS)),
    controls: Object.entries(CONTROLS).map(([control, of]) => {
      const counts = new Float64Array(DAYS);
      for (const query of of) {
        const q = QUERIES.indexOf(query);
        for (let day = 0; day < DAYS; day += 1) {
          counts[day] = (counts[day] ?? 0) + (queries[q]?.[day] ?? 0) - (both[s]?.[q]?.[day] ?? 0);
        }
      }
      return { name: control, curve: plainCurve(bounds, counts) };
    }),
  }));
}
