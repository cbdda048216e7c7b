import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { command, groundswell, serve } from '#tests/support/service/command.ts';
import { dataRig } from './data-rig.ts';

const { data, path, run, write } = dataRig();
/** Hours of Posts: every hour of the days around the end of summer time in Berlin, and one in three twice. */
const HOURS = Array.from({ length: 5 * 24 }, (_, i) => Date.UTC(2024, 9, 25) + i * 3_600_000);
beforeAll(async () => {
  const rows = HOURS.flatMap((at, i) =>
    Array.from({ length: i % 3 === 0 ? 2 : 1 }, (_, k) => {
      const time = new Date(at + k * 60_000).toISOString();
      return `${i * 2 + k + 1},${time},${i % 4},user${i % 4},${k === 1 ? 'oat milk' : '=tea'},en`;
    }),
  );
  await run('import', write('posts.csv', ['id,created_at,author_id,author,text,lang', ...rows]));
});

const OCTOBER = ['--from', '2024-10-26', '--to', '2024-10-29', '--zone', 'Europe/Berlin'];

describe('groundswell counts', () => {
  it('prints the dashboard’s long CSV, on days of 25 hours too', async () => {
    const { code, out, err } = await run('counts', 'tea', ...OCTOBER);
    expect([code, err]).toEqual([0, '']);
    const lines = out.trim().split('\r\n');
    expect(lines[0]).toBe(
      'query,label,start_utc,end_utc,start_local,date,time,tweet_count,status,source,fetched_at',
    );
    // By hours: three days, of which one has 25.
    expect(lines).toHaveLength(1 + 24 + 25 + 24);
    const days = await run('counts', 'tea', ...OCTOBER, '--granularity', 'day', '--wide');
    expect(days.out).toBe(
      [
        'start_utc,end_utc,start_local,date,tea,incomplete',
        '2024-10-25T22:00:00.000Z,2024-10-26T22:00:00.000Z,2024-10-26T00:00:00+02:00,2024-10-26,24,',
        '2024-10-26T22:00:00.000Z,2024-10-27T23:00:00.000Z,2024-10-27T00:00:00+02:00,2024-10-27,25,',
        '2024-10-27T23:00:00.000Z,2024-10-28T23:00:00.000Z,2024-10-28T00:00:00+01:00,2024-10-28,24,',
        '',
      ].join('\r\n'),
    );
  });

  it('prints JSON, also while a service runs, of all that Your posts has by default', async () => {
    const service = await serve(data);
    const { code, out } = await run('counts', 'tea', 'oat milk', '--granularity', 'day', '--json');
    await service.stop();
    expect(code).toBe(0);
    const { series, buckets } = JSON.parse(out) as {
      series: { query: string }[];
      buckets: { start: string; counts: number[]; states: string[] }[];
    };
    expect(series.map(({ query }) => query)).toEqual(['tea', 'oat milk']);
    expect(buckets.map(({ counts }) => counts)).toEqual(Array.from({ length: 5 }, () => [24, 8]));
    expect(buckets[0]).toMatchObject({
      start: '2024-10-25T00:00:00.000Z',
      states: ['settled', 'settled'],
    });
  });

  it('counts the Posts that a search finds in a range to the minute, however long', async () => {
    const range = ['--from', '2024-10-27T10:30Z', '--to', '2026-02-28T23:59Z'];
    const counted = await run('counts', 'tea', ...range, '--granularity', 'month', '--json');
    const { buckets } = JSON.parse(counted.out) as { buckets: { counts: (number | null)[] }[] };
    const found = await run('search', 'tea', ...range, '--limit', '1000');
    const posts = buckets.reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0);
    expect(posts).toBe(found.out.trim().split('\n').length);
    expect(posts).toBe(13 + 24 + 24);
  });

  it('prints a table on a terminal, with a star at what may change and a dash for what is not known', async () => {
    const range = ['--from', '2024-10-28', '--to', '2024-10-31', '--granularity', 'day'];
    const { code, out, err } = await command(['counts', 'tea', 'milk', ...range, '--data', data], {
      terminal: true,
    });
    expect([code, out]).toEqual([
      0,
      [
        'date        tea   milk',
        '2024-10-28   24      8',
        '2024-10-29   24*     8*',
        '2024-10-30    –      –',
        'total        48*    16*',
        '* may still change, or a part is missing; – not known. --csv --long has the state of each count.',
        '',
      ].join('\n'),
    ]);
    expect(err).toBe('2 counts are empty: the source has no data for that time.\n');
  });

  it('points to what is wrong in a query', async () => {
    const { code, err } = await run('counts', 'tea OR from:');
    expect(code).toBe(2);
    expect(err).toMatch(
      /^The query has a mistake at position 8: .*\n {2}tea OR from:\n {2} {7}\^+\n/,
    );
    const unknown = await run('counts', 'tea in:Nowhere', ...OCTOBER);
    expect([unknown.code, unknown.err]).toEqual([
      2,
      "The query has a mistake at position 5: There is no collection named 'Nowhere'.\n  tea in:Nowhere\n      ^^^^^^^^^^\n",
    ]);
  });

  it('ends when it is interrupted', async () => {
    const stopping = AbortSignal.abort();
    expect(await command(['counts', 'tea', '--data', data], { stopping })).toMatchObject({
      code: 130,
      out: '',
    });
  });

  it.each([
    [[], 'Give a query, in quotes if it has spaces'],
    [['tea', ' '], 'A query is empty'],
    [
      ['tea', '--from', '2024-13-01'],
      '--from 2024-13-01 is not a time: there is no month 13 (at position 6).',
    ],
    [
      ['tea', '--to', '04/03/2024'],
      '--to 04/03/2024 is not a time: "04/03/2024" is not a date like',
    ],
    [['tea', '--from', '2024-10-27 25:00'], 'there is no hour 25 (at position 12).'],
    [['tea', '--from', '2005-01-01'], '--from 2005-01-01 is too early: Posts begin on 2006-03-21.'],
    [['tea', '--from', '2124-01-01'], '--from 2124-01-01 is in the future.'],
    [['tea', '--to', '2124-01-01'], '--to 2124-01-01 is too far in the future.'],
    [['tea', '--from', '2024-10-27', '--to', '2024-10-27'], '--to must be after --from.'],
    [
      ['tea', '--from', '2024-10-27T10:30:20Z'],
      '--from 2024-10-27T10:30:20Z is within a minute, which is counted as a whole: give another end, such as 2024-10-27T10:30Z.',
    ],
    [
      ['tea', '--to', '2024-10-27T10:30:20Z', '--granularity', 'minute'],
      'such as 2024-10-27T10:31Z.',
    ],
    [['tea', '--granularity', 'hours'], 'Did you mean hour?'],
    [['tea', '--zone', 'Berlin'], '--zone Berlin is not a time zone'],
    [['tea', '--csv', '--table'], 'Give --csv or --table, not both.'],
    [['tea', '--wide', '--json'], '--wide belongs to --csv.'],
    [['tea', '--long', '--wide'], 'not both'],
    [['tea', '--yes'], '--yes belongs to --source platform'],
    [['tea', '--source', 'post'], 'Did you mean posts?'],
    [
      [
        ...Array.from({ length: 9 }, () => 'tea'),
        '--granularity',
        'minute',
        '--from',
        '2007-01-01',
      ],
      'expected at most 60000000',
    ],
  ])('%j is refused', async (args, message) => {
    const { err, code } = await run('counts', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('says where there are no Posts', async () => {
    const { code, err } = await groundswell('counts', 'tea', '--data', path('empty'));
    expect([code, err]).toEqual([1, expect.stringContaining('There are no Posts of yours in')]);
  });

  it.each(['counts', 'search'])(
    'says first what is wrong with a command line: %s',
    async (name) => {
      const args = [name, 'tea', '--from', 'x', '--data', path('empty')];
      const { code, err } = await groundswell(...args);
      expect([code, err]).toEqual([2, expect.stringContaining('--from x is not a time')]);
    },
  );
});

describe('groundswell search', () => {
  it('prints the newest Posts, up to a limit, over several pages', async () => {
    const { code, out } = await run('search', 'tea', '--limit', '12');
    const lines = out.trim().split('\n');
    expect([code, lines.length]).toEqual([0, 12]);
    const posts = lines.map(
      (line) => JSON.parse(line) as { data: { id: string; created_at: string } },
    );
    expect(posts.map(({ data: { created_at: at } }) => Date.parse(at))).toEqual(
      HOURS.slice(-12).reverse(),
    );
    expect(posts[0]).toMatchObject({
      data: { text: '=tea', lang: 'en', author_id: expect.any(String) as unknown },
      includes: { users: [{ username: 'user3' }] },
    });
    const all = await run('search', 'tea OR milk', '--limit', '1000', '--json');
    expect(all.out.trim().split('\n')).toHaveLength(160);
  });

  it('writes lines that an import reads', async () => {
    const { out } = await run('search', 'milk', ...OCTOBER, '--limit', '1000');
    const [file, other] = [path('found.jsonl'), path('other')];
    writeFileSync(file, out);
    await groundswell('import', file, '--data', other);
    const range = [...OCTOBER, '--granularity', 'day', '--wide'];
    const query = 'milk from:user0';
    const [there, here] = [
      await groundswell('counts', query, ...range, '--data', other),
      await run('counts', query, ...range),
    ];
    const counts = (text: string): string[] =>
      text.split('\r\n').map((row) => row.split(',').slice(0, 5).join(','));
    expect(counts(there.out)).toEqual(counts(here.out));
  });

  it('prints CSV that no spreadsheet runs, and a table in the zone', async () => {
    const args = ['search', 'tea', '--to', '2024-10-27T01:00:00Z', '--limit', '1'];
    expect((await run(...args, '--csv')).out).toBe(
      'id,created_at,author,lang,likes,reposts,replies,text\n97,2024-10-27T00:00:00.000Z,user0,en,0,0,0,"\'=tea"\n',
    );
    expect((await run(...args, '--table', '--zone', 'Europe/Berlin')).out).toBe(
      '2024-10-27 02:00  @user0  =tea\n1 Posts\n',
    );
  });

  it.each([
    [[], 'Give one query'],
    [['tea', 'cup'], 'Give one query'],
    [['tea', '--limit', '0'], '--limit 0 is not a number from 1 to 1000000.'],
    [['tea', '--sort', 'new'], '--sort new is not one of recency, relevancy.'],
    [['(tea'], 'The query has a mistake at position'],
  ])('%j is refused', async (args, message) => {
    const { err, code } = await run('search', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
