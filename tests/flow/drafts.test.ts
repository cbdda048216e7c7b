import { afterAll, describe, expect, it } from 'vitest';
import { draftOf, draftVerdict } from '#core/query/draft.ts';
import { parse } from '#core/query/parse.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { callerOf, person } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

let now = Date.parse('2026-11-21T10:30:20Z');
const service = startService({ now: () => now });
afterAll(() => service.close());
const { get } = callerOf(service);
const ann = person(service, 'ann');

const DRAFTS = [
  'matcha',
  'Mátcha latte, iced',
  'a matcha recipe',
  'iced: LATTE!',
  'latte, then iced',
  '#Matcha day',
  '#matchaday',
  '＃matcha in full width',
  'to @bob_1 with tea',
  'mail bob@bob_1.com',
  'buy $AAPL and $brk.b',
  '$aapl1 is none',
  'good 👍🏽 tea',
  'good 👍 tea',
  '1️⃣ tea',
  'tea number 1',
  '新東京タワーの抹茶',
  '東 京',
  '한국 말차',
  'שלום עולם',
  'Straße und Tee',
  'STRASSE',
  'coca-cola',
  'coca cola',
  'see https://www.example.com/Matcha?x=1.',
  'see example.com for tea',
  'HTTP://EXAMPLE.COM/a_b tea',
  'https://a.example/one https://b.example/two',
  'R&amp;D of tea &lt;3',
  'สวัสดี ชา 2',
  'cafe\u0301 crème',
  'Йод и иод',
];

const QUERIES = [
  'matcha',
  'matcha -recipe',
  '"iced latte"',
  'iced latte -"iced latte"',
  'matcha OR tea OR 抹茶',
  '#matcha',
  'tea -@bob_1',
  '@bob_1 OR bob_1',
  '$aapl OR $BRK.B',
  '👍🏽',
  '👍 OR 1',
  '東京',
  'タワー OR 말차 OR שלום',
  'straße',
  'coca-cola',
  'url:"example.com"',
  'url:matcha OR url:two',
  'tea has:hashtags',
  '(tea OR matcha OR 東京) -has:mentions -has:cashtags',
  '(tea OR matcha) -is:retweet -is:reply -is:quote -is:nullcast',
  'amp OR สวัสดี',
  'café OR creme OR иод',
  'tea is:reply',
  'min_likes:0 -tea',
];

describe('the draft tester', () => {
  it('counts a text exactly if the service counts the Post with it', async () => {
    const start = new Date(now - MINUTE_MS).toISOString();
    for (const text of DRAFTS) {
      now += MINUTE_MS;
      const { status } = await ann.post('/2/tweets', { text });
      expect([text, status]).toEqual([text, 201]);
    }
    now += 2 * MINUTE_MS;
    const seen = { yes: 0, no: 0, if: 0 };
    for (const query of QUERIES) {
      const parsed = parse(query, { product: 'recent' });
      if (!parsed.ok) throw new Error(`${query}: ${parsed.diagnostics[0]?.message}`);
      const search = new URLSearchParams({ query, start_time: start, max_results: '100' });
      const { data = [] } = (await get(`/2/tweets/search/recent?${search}`)).body;
      const counts = new URLSearchParams({ query, start_time: start });
      const { meta } = (await get(`/2/tweets/counts/recent?${counts}`)).body;
      const found = new Set(data.map((each: { text: string }) => each.text));
      expect([query, meta.total_tweet_count]).toEqual([query, found.size]);
      for (const text of DRAFTS) {
        const { counted } = draftVerdict(parsed.ast, draftOf(text));
        seen[counted] += 1;
        if (counted !== 'if')
          expect([query, text, counted]).toEqual([query, text, found.has(text) ? 'yes' : 'no']);
      }
    }
    // Only a link that the text does not show stays open.
    expect(seen.if).toBeLessThan(10);
    expect(seen.yes).toBeGreaterThan(60);
    expect(seen.no).toBeGreaterThan(400);
  });
});
