import { expect, it } from 'vitest';
import { ViewService } from '#app/view/view-service.ts';
import { MAX_QUESTIONS, MAX_VIEW_BUCKETS, type ViewQuestion } from '#contract/links/view-link.ts';
import { MINUTE_MS } from '#core/time/span.ts';

it('asks as few requests as their limits allow, and gives each question its own counts', async () => {
  const requests: ViewQuestion[][] = [];
  const service = new ViewService('/view/secret/', async (_, init) => {
    const { questions } = JSON.parse(String(init?.body)) as { questions: ViewQuestion[] };
    requests.push(questions);
    const answers = questions.map(({ start, buckets }) => ({
      counts: Array.from({ length: buckets }, () => start / MINUTE_MS),
      runs: [{ buckets, state: 4, fetched_at: null }],
    }));
    return Response.json({ answers });
  });
  const ask = async (start: number, buckets: number): Promise<number | undefined> => {
    const bounds = Float64Array.from({ length: buckets + 1 }, (_, i) => (start + i) * MINUTE_MS);
    const { counts } = await service.count({ source: 'posts', query: 'tea', bounds });
    return counts.at(-1);
  };
  const few = Array.from({ length: MAX_QUESTIONS + 1 }, (_, i) => i);
  expect(await Promise.all(few.map((i) => ask(i, 1)))).toEqual(few);
  expect(requests.splice(0).map(({ length }) => length)).toEqual([MAX_QUESTIONS, 1]);
  const large = MAX_VIEW_BUCKETS / 3;
  expect(await Promise.all([1, 2, 3, 4].map((i) => ask(i, large)))).toEqual([1, 2, 3, 4]);
  expect(requests.map(({ length }) => length)).toEqual([3, 1]);
});
