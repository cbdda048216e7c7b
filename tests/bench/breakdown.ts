import { join } from 'node:path';
import { BREAKDOWN } from '#contract/counts/breakdown.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { answerTo, type Question } from '#server/api/breakdown/question.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { digits, fact, goal, milliseconds, shown, table, timing } from './measure.ts';
import { SPAN } from './posts.ts';
import { countsPath, serve, tokenFor } from './service.ts';

/** Posts of the two spans with a goal, and the goals, ms. */
const SIZES = [
  { posts: 100_000, most: 60 },
  { posts: 1_000_000, most: 500 },
] as const;
const CAUSES_MS = 200;
const RISING_MS = 1500;
const SIMILAR_MS = 300;
const LIMIT = 10;

function answer(source: Source, question: Question) {
  const step = source.over((state, due) => answerTo(state, question, due))(() => false);
  if (!step.done) throw new Error('expected a whole answer');
  return step.value;
}

/** The span after the middle of the corpus that has about so many Posts, as has the time before it. */
function spanOf(posts: number, all: number): Span {
  const length = ((SPAN.end - SPAN.start) * posts) / all;
  const start = (SPAN.start + SPAN.end) / 2;
  return { start, end: Math.min(SPAN.end, start + length) };
}

function timed(source: Source, question: Question, rounds: number) {
  const first = performance.now();
  const found = answer(source, question);
  const posts = 'posts' in found ? found.posts : 0;
  const cold = performance.now() - first;
  const [wall, cpu]: [number[], number[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    const [began, used] = [performance.now(), process.cpuUsage()];
    answer(source, question);
    const { user, system } = process.cpuUsage(used);
    wall.push(performance.now() - began);
    cpu.push((user + system) / 1000);
  }
  return { posts, cold, wall: timing(wall), cpu: timing(cpu) };
}

/** Times pages of counts while breakdowns run in their own thread, and lists of Posts by their engagement. */
async function benchOverHttp(data: string, span: Span, query: string): Promise<void> {
  const served = await serve(data, await tokenFor(data, 'app'));
  const parameters = new URLSearchParams({
    start_time: new Date(span.start).toISOString(),
    end_time: new Date(span.end).toISOString(),
  });
  const path = countsPath(query, { start: span.start, end: span.start + 31 * DAY_MS }, 'minute');
  const pages = async (n: number): Promise<number[]> => {
    const values: number[] = [];
    for (let i = 0; i < n; i++) values.push(await milliseconds(() => served.client.get(path)));
    return values;
  };
  try {
    await pages(5);
    const alone = timing(await pages(30));
    const done = new AbortController();
    const breakdowns = (async () => {
      while (!done.signal.aborted) {
        await served.client.get(`${BREAKDOWN.breakdown.path}?${parameters.toString()}`);
      }
    })();
    const meanwhile = timing(await pages(30));
    done.abort();
    await breakdowns;
    const ranked = new URLSearchParams([...parameters, ['query', query], ['order', 'engagement']]);
    const lists: number[] = [];
    for (let i = 0; i < 10; i++) {
      lists.push(
        await milliseconds(() =>
          served.client.get(`${BREAKDOWN.ranked.path}?${ranked.toString()}`),
        ),
      );
    }
    fact(`the 100 Posts of a word with the most engagement over HTTP: ${shown(timing(lists))} ms`);
    fact(
      `a page of minutes over HTTP: ${shown(alone)} ms alone, ${shown(meanwhile)} ms while breakdowns run`,
    );
  } finally {
    await served.stop();
  }
}

/**
 * Times breakdowns of spans with 100,000 and a million Posts, each compared with as many before, and what rises in 30
 * days, in process and on one thread.
 */
export async function benchBreakdown(
  data: string,
  posts: number,
  word: string,
  rounds: number,
): Promise<void> {
  const source = openSource(join(data, 'posts.sqlite'), { random: (n) => new Uint8Array(n) });
  const rows = [['question', 'Posts', 'first ms', 'ms', 'CPU ms']];
  const goals: [what: string, ms: number, most: number][] = [];
  const add = (name: string, question: Question): number => {
    const { posts: n, cold, wall, cpu } = timed(source, question, rounds);
    rows.push([name, n.toLocaleString('en'), digits(cold), shown(wall), shown(cpu)]);
    return wall.median;
  };
  const breakdown = (
    span: Span,
    query: string | null,
    what: 'breakdown' | 'causes' = 'breakdown',
  ): Question => {
    const compared = { start: span.start - (span.end - span.start), end: span.start };
    return { what, query, span, compared, limit: LIMIT };
  };
  for (const { posts: n, most } of SIZES) {
    if (n * 2 > posts) continue;
    const name = `breakdown of ${n.toLocaleString('en')}`;
    goals.push([name, add(name, breakdown(spanOf(n, posts), null)), most]);
  }
  const causes = add('causes of 100,000', breakdown(spanOf(100_000, posts), null, 'causes'));
  goals.push(['causes of 100,000', causes, CAUSES_MS]);
  const month = { start: spanOf(1, posts).start, end: spanOf(1, posts).start + 30 * DAY_MS };
  add('breakdown of a word in 30 days', breakdown(month, word));
  add('related to a word in 30 days', { what: 'related', query: word, span: month, limit: LIMIT });
  const similar = add('words similar to one', { what: 'similar', query: word, limit: LIMIT });
  goals.push(['words similar to one', similar, SIMILAR_MS]);
  const rising = add('rising in 30 days', { what: 'rising', span: month, limit: LIMIT });
  goals.push(['rising in 30 days', rising, RISING_MS]);
  source.close();
  table(`Breakdowns of ${posts.toLocaleString('en')} generated Posts`, rows);
  for (const [what, ms, most] of goals) goal(what, ms, '≤', most, ' ms');
  fact(`memory of the process: ${digits(process.memoryUsage().rss / 1e6)} MB`);
  await benchOverHttp(data, spanOf(Math.min(1_000_000, posts / 3), posts), word);
}
