import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { serve } from '#tests/support/service/command.ts';
import { dataRig } from './data-rig.ts';

const { data, path, run, write } = dataRig();
const file = write('export.csv', [
  'Campaign,Date,Impressions',
  'A,2026-10-25,10',
  'A,2026-10-26,x',
  'B,2026-10-25,3',
]);
beforeAll(() => run('user', 'add', 'ann'));

const ads = (...args: string[]) => run('ads', 'import', ...args);

describe('groundswell ads import', () => {
  it(
    'imports once, also while a service runs, and reports what it refused',
    { tags: 'long' },
    async () => {
      const zone = ['--time-zone', 'Europe/Berlin'];
      const first = await ads(file, '--user', 'ann', ...zone);
      expect(first.out).toMatch(
        /^3 rows into the ad account \w+: 2 campaigns created, 0 updated, 0 unchanged; 1 row refused\.\n$/,
      );
      expect(first.err).toBe(`${file}, line 3: expected a whole number as impressions, got "x"\n`);
      const service = await serve(data);
      const again = await ads(file, '--user', 'ann');
      expect(again.out).toContain('0 campaigns created, 0 updated, 2 unchanged; 1 row refused');
      await service.stop();
      const moved = await ads(file, '--user', 'ann', '--time-zone', 'UTC');
      expect([moved.code, moved.err]).toEqual([1, expect.stringContaining('which cannot change')]);
    },
  );

  it('creates no ad account if it refused every row, and names the columns that it did not read', async () => {
    const bad = path('bad.csv');
    writeFileSync(bad, 'Campaign,Date,Impressions,CTR\nA,2026-10-25,x,1\n');
    await run('user', 'add', 'eve');
    const { out, err, code } = await ads(bad, '--user', 'eve');
    expect([code, out]).toEqual([
      1,
      '1 row; no ad account was created: 0 campaigns created, 0 updated, 0 unchanged; 1 row refused.\n',
    ]);
    expect(err).toContain('Columns that were not read: "CTR"\n');
  });

  it('names what is wrong', async () => {
    const fault = async (...args: string[]) => (await ads(...args)).err;
    expect(await fault(file)).toContain('--user NAME');
    expect(await fault(file, '--user', 'bob')).toContain('There is no account @bob');
    expect(await fault(file, '--user', 'ann', '--account', 'x')).toContain(
      'no ad account of the id x',
    );
    expect(await fault(file, '--user', 'ann', '--time-zone', 'Odd')).toContain('not a time zone');
    expect(await fault(path('none'), '--user', 'ann')).toContain('there is no such file');
    expect(await fault(file, '--user', 'ann', '--map', 'campaign=X')).toContain(
      'has no column "X"',
    );
  });
});
