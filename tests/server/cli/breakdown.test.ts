import { beforeAll, describe, expect, it } from 'vitest';
import { groundswell, serve } from '#tests/support/service/command.ts';
import { dataRig } from './data-rig.ts';

const { data, path, run, write } = dataRig();
beforeAll(async () => {
  const rows = Array.from({ length: 60 }, (_, i) => {
    const late = i % 20 === 19;
    const day = `2024-01-${String(1 + (i % 20)).padStart(2, '0')}`;
    return `${i + 1},${day}T0${i % 9}:00:00Z,${late ? 'ann' : `user${i % 4}`},${late ? '=1 #cup' : 'tea'},en,${i}`;
  });
  await run('import', write('posts.csv', ['id,created_at,author,text,lang,Fans', ...rows]));
});

const span = ['--from', '2024-01-20', '--to', '2024-01-21T00:00:00Z'];

describe('groundswell breakdown', () => {
  const breakdown = (...args: string[]) => run('breakdown', ...args);

  it('prints a table', async () => {
    const { out, code } = await breakdown('#cup OR tea', ...span);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^3 Posts\ncompared with 3 from 2024-01-19T00:00:00.000Z to 2024-01-20T00:00:00.000Z\n1 authors\n/,
    );
    expect(out).toContain('\nauthors\n  ann  3  100.0 %  59 followers\n');
    expect(out).toContain('\nlanguages\n  en  3  100.0 %\n');
  });

  it('prints JSON, also while a service runs', async () => {
    const service = await serve(data);
    const { out } = await breakdown(...span, '--json');
    await service.stop();
    expect(JSON.parse(out)).toMatchObject({
      posts: 3,
      authors: { items: [{ name: 'ann', clause: 'from:ann' }] },
      hashtags: [{ name: '#cup', posts: 3 }],
    });
  });

  it('prints CSV that no spreadsheet runs', async () => {
    const { out } = await breakdown(...span, '--csv');
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^list,name,clause,posts,share,/);
    expect(lines).toContain('kinds,repost,is:retweet,0,0,,,,,,,,,3');
    expect(out).not.toContain('original');
    expect(lines).toContain('hashtags,#cup,#cup,3,1,0,,,,,,,,');
  });

  it.each([
    [[], 'Give the time: --from and --to.'],
    [['--from', '2024', '--to', '2024-01-02'], '--from 2024 is not a time'],
    [['--from', '2024-01-02', '--to', '2024-01-02'], '--to must be after --from.'],
    [['tea', 'cup', ...span], 'Give one query'],
    [['(tea', ...span], 'The query has a mistake'],
    [[...span, '--limit', '51'], '--limit 51 is not a number from 1 to 50.'],
    [[...span, '--source', 'post'], 'Did you mean posts?'],
    [[...span, '--json', '--csv'], 'not both'],
  ])('%j is refused', async (args, message) => {
    const { err, code } = await breakdown(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('groundswell rising', () => {
  it('prints what departs from its usual level', async () => {
    const month = ['--from', '2024-01-01', '--to', '2024-01-21'];
    const { out } = await run('rising', ...month, '--json');
    expect(JSON.parse(out)).toMatchObject({ posts: 60, bucket_ms: 86_400_000, words: [] });
  });

  it('says where there are no Posts', async () => {
    const empty = path('empty');
    const { err, code } = await groundswell('rising', ...span, '--data', empty);
    expect([code, err]).toEqual([1, expect.stringContaining('groundswell import FILE')]);
  });
});
