import { beforeAll, describe, expect, it } from 'vitest';
import type { CollectionsAnswer } from '#contract/posts/collections.ts';
import { serve } from '#tests/support/service/command.ts';
import { dataRig } from './data-rig.ts';

const { data, path, run, write } = dataRig();
const fileOf = (name: string, from: number, to: number): string => {
  const rows = Array.from(
    { length: to - from },
    (_, i) => `${from + i + 1},2024-01-0${1 + ((from + i) % 5)}T00:00:00Z,ann,tea`,
  );
  return write(name, ['id,created_at,author,text', ...rows]);
};
const collections = async () => {
  const { out } = await run('collections', 'list', '--json');
  return (JSON.parse(out) as CollectionsAnswer).collections;
};
const posts = async (query: string): Promise<number> => {
  const span = ['--from', '2024-01-01', '--to', '2024-01-08'];
  const { out } = await run('breakdown', query, ...span, '--json');
  return (JSON.parse(out) as { posts: number }).posts;
};

beforeAll(async () => {
  await run('import', fileOf('a.csv', 0, 20));
  await run('import', fileOf('b.csv', 15, 40), '--name', 'Second half');
});

describe('groundswell collections', () => {
  it('lists each import with what it brought', async () => {
    expect(await collections()).toMatchObject([
      { name: 'a.csv', source: 'a.csv', kind: 'csv', read: 20, added: 20, posts: 20 },
      { name: 'Second half', source: 'b.csv', kind: 'csv', read: 25, added: 20, posts: 25 },
    ]);
    const { out } = await run('collections', 'list');
    expect(out).toBe(
      'a.csv  20 Posts  2024-01-01 to 2024-01-05\nSecond half  25 Posts  2024-01-01 to 2024-01-05  from b.csv\n',
    );
  });

  it('renames, switches and removes them, also in a running service', async () => {
    const journey = async (): Promise<void> => {
      expect(await posts('in:"second half"')).toBe(25);
      expect(await posts('tea -in:"second half"')).toBe(15);
      await run('collections', 'exclude', 'second half');
      expect(await posts('tea')).toBe(20);
      expect((await run('collections', 'list')).out).toMatch(/switched out\n$/);
      await run('collections', 'include', 'Second half');
      await run('collections', 'rename', 'a.csv', 'First');
      expect(await posts('in:first')).toBe(20);
      expect((await run('collections', 'remove', 'First')).out).toContain('For 30 minutes');
      expect(await posts('tea')).toBe(25);
      expect((await collections()).map(({ name }) => name)).toEqual(['Second half']);
      await run('collections', 'restore', 'first');
      await run('collections', 'rename', 'First', 'a.csv');
      expect(await posts('tea')).toBe(40);
    };
    await journey();
    const service = await serve(data);
    await journey();
    await service.stop();
  });

  it.each([
    [['remove', 'c'], 1, 'There is no collection named “c”.\n'],
    [['restore', 'a.csv'], 1, 'No removed collection named “a.csv” can be restored.\n'],
    [['rename', 'a.csv', 'SECOND HALF'], 1, 'Another collection is named “SECOND HALF”.\n'],
    [['rename', 'a.csv'], 2, 'Give the new name: groundswell collections rename NAME NEW.\n'],
    [['remov'], 2, /^Say what to do: .*remove/],
    [['include', 'two', 'words'], 2, 'Unexpected words: put a name with spaces in quotes.\n'],
  ])('refuses %j', async (args, code, message) => {
    const done = await run('collections', ...args);
    expect(done.code).toBe(code);
    if (typeof message === 'string') expect(done.err).toBe(message);
    else expect(done.err).toMatch(message);
  });

  it('names an unknown collection in a query, and does not count it as empty', async () => {
    const { code, err } = await run(
      'breakdown',
      'in:nothing',
      '--from',
      '2024-01-01',
      '--to',
      '2024-01-02',
    );
    expect(code).toBe(1);
    expect(err).toContain("There is no collection named 'nothing' (at position 1)");
  });

  it('names the collection of several files after the first of them', async () => {
    const { out } = await run('import', fileOf('c.csv', 50, 51), fileOf('d.csv', 51, 52));
    expect(out).toMatch(/\ncollection: c\.csv and 1 more\n/);
    expect((await collections()).at(-1)?.source).toBe('c.csv, d.csv');
  });

  it(
    'knows the source of a file that is imported again, and --name only of imports',
    { tags: 'long' },
    async () => {
      const { out } = await run('import', path('b.csv'));
      expect(out).toMatch(/already there 25.*\ncollection: Second half\n/);
      expect((await run('import', 'x.csv', '--live', '--name', 'x')).code).toBe(2);
    },
  );
});
