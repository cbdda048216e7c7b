import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { groundswell } from '#tests/support/service/command.ts';
import { temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: string[]) => groundswell(...args, '--data', data);

/** A file with a Post at noon of some days of March 2024. */
function fileOf(name: string, days: readonly number[]): string {
  const file = join(folder, name);
  const rows = days.map(
    (day) => `${day},2024-03-${String(day).padStart(2, '0')}T12:00:00Z,1,ann,tea,en`,
  );
  writeFileSync(file, ['id,created_at,author_id,author,text,lang', ...rows].join('\n'));
  return file;
}

/** Count and status of each of the first twelve days of March 2024, from the command's long CSV. */
async function countedDays(query: string): Promise<string[]> {
  const range = ['--from', '2024-03-01', '--to', '2024-03-13', '--granularity', 'day'];
  const { out } = await run('counts', query, ...range);
  const [head = '', ...rows] = out.trim().split('\r\n');
  const columns = head.split(',');
  const [count, status] = [columns.indexOf('tweet_count'), columns.indexOf('status')];
  return rows.map((row) => {
    const cells = row.split(',');
    return `${cells[count]} ${cells[status]}`;
  });
}

const NO_DATA = ' uncovered';

it('a gap between two imports is no data on the command line, and --covers says what a file covers', async () => {
  mkdirSync(data);
  giveTinySample(data);
  await run('import', fileOf('first.csv', [1, 2, 4]), '--name', 'first');
  await run(
    'import',
    fileOf('second.csv', [9]),
    '--name',
    'second',
    '--covers',
    '2024-03-08..2024-03-10',
  );
  const first = ['1 partial', '1 settled', '0 settled', '1 partial'];
  const gap = Array.from({ length: 3 }, () => NO_DATA);
  const second = ['0 settled', '1 settled', '0 settled'];
  expect(await countedDays('tea')).toEqual([...first, ...gap, ...second, NO_DATA, NO_DATA]);
  await run('collections', 'exclude', 'first');
  const none = Array.from({ length: 7 }, () => NO_DATA);
  expect(await countedDays('tea')).toEqual([...none, ...second, NO_DATA, NO_DATA]);
  const wrong = await run('import', fileOf('third.csv', [5]), '--covers', '2024-03-08');
  expect(wrong.code).not.toBe(0);
  expect(wrong.err).toContain('--covers 2024-03-08 is not a time');
});
