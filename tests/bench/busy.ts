import { DAY_MS, type Span } from '#core/time/span.ts';
import { expectStatus } from './client.ts';
import { digits, goal, milliseconds, table, timing } from './measure.ts';
import { countsPath, serve, tokenFor } from './service.ts';

/** Most characters of a query. */
const MOST = 4096;
const WORDS =
  'trump clinton obama police news people today time love best good great life world video music black white house america'.split(
    ' ',
  );

/** Repeats the words up to the length limit of a query. */
function filled(between: string, of: (word: string, i: number) => string): string {
  let text = '';
  for (let i = 0; ; i++) {
    const more = (text === '' ? '' : between) + of(WORDS[i % WORDS.length]!, i);
    if (text.length + more.length > MOST - 2) return text;
    text += more;
  }
}

/** Valid queries of the maximum length, each expensive in a different way. */
const EXPENSIVE: readonly (readonly [kind: string, query: string])[] = [
  ['one word as a phrase', `"${filled(' ', () => 'a')}"`],
  ['a phrase of many words', `"${filled(' ', (word) => word)}"`],
  [
    'many phrases',
    filled(' OR ', (word, i) => `"${word} ${WORDS[(i * 7 + 3 + Math.floor(i / 20)) % 20]}"`),
  ],
  ['many words', filled(' OR ', (word, i) => `${word}${i % 3 === 0 ? '' : i}`)],
  ['many words left out', `trump ${filled(' ', (word, i) => `-${word}${i}`)}`.slice(0, MOST)],
];

/** Times small requests while the service evaluates expensive counts and search queries. */
export async function benchBusy(data: string, span: Span, rounds: number): Promise<void> {
  const served = await serve(data, await tokenFor(data, 'app'));
  const { client } = served;
  const week = { start: span.end - 400 * DAY_MS, end: span.end - 393 * DAY_MS };
  const small = countsPath('trump', week, 'day');
  const rows = [
    ['query', 'counts ms', 'search ms', 'small requests', 'median ms', 'p99 ms', 'most'],
  ];
  const all: number[] = [];
  for (const [kind, query] of EXPENSIVE) {
    const counted = countsPath(query, { start: span.end - 31 * DAY_MS, end: span.end }, 'minute');
    const whole = countsPath(query, span, 'day');
    const searched = whole.replace('/counts/', '/search/').replace('&granularity=day', '');
    const times: { counts: number[]; search: number[]; small: number[] } = {
      counts: [],
      search: [],
      small: [],
    };
    const ended = new AbortController();
    const repeat = async (into: number[], path: string): Promise<void> => {
      for (let i = 0; i < rounds; i++) {
        into.push(await milliseconds(async () => expectStatus(await client.get(path), 200, kind)));
      }
    };
    const long = [repeat(times.counts, whole), repeat(times.search, searched), repeat([], counted)];
    const finished = Promise.all(long).finally(() => ended.abort());
    while (!ended.signal.aborted) {
      times.small.push(await milliseconds(() => client.get(small)));
    }
    await finished;
    const { median, p99, max } = timing(times.small);
    all.push(...times.small);
    rows.push([
      kind,
      digits(timing(times.counts).median),
      digits(timing(times.search).median),
      String(times.small.length),
      digits(median),
      digits(p99),
      digits(max),
    ]);
  }
  await served.stop();
  table('Small requests while three expensive queries are evaluated', rows);
  goal('small request meanwhile, p99', timing(all).p99, '≤', 100, ' ms');
}
