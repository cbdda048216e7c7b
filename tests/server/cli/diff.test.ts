import { beforeAll, describe, expect, it } from 'vitest';
import { groundswell, type CommandResult } from '#tests/support/service/command.ts';
import { dataRig } from './data-rig.ts';

const { path, run, write } = dataRig();
const VIEW = '#source=posts&from=2026-05-01&to=2026-05-06&zone=UTC&by=day';

/** @param days - The days of May of its Posts. */
async function importPosts(name: string, text: string, days: readonly number[]): Promise<void> {
  const rows = days.map((day, i) => `${name.length}${i},2026-05-0${day}T10:00:00Z,${text}`);
  const file = write(`${name}.csv`, ['id,created_at,text', ...rows]);
  expect((await run('import', file, '--name', name)).code).toBe(0);
}

async function written(name: string, view: string, ...args: string[]): Promise<string> {
  const { out: file, err } = await run('report', view, '--out', path(name), ...args);
  expect(err).toBe('');
  return file.trimEnd();
}

const diff = (...args: string[]): Promise<CommandResult> => groundswell('diff', ...args);

let first: string;
let slide: string;
let grown: string;
let shrunk: string;

beforeAll(async () => {
  await importPosts('calm', 'calm', [1, 2, 3, 4, 5, 6]);
  await importPosts('early', 'tea', [2, 2, 2, 3]);
  first = await written('first', `${VIEW}&q=tea`);
  slide = await written('first', `${VIEW}&q=tea`, '--pptx');
  await importPosts('m', 'tea', [3, 4, 4]);
  grown = await written('grown', `${VIEW}&q=tea`);
  await run('collections', 'remove', 'early');
  shrunk = await written('shrunk', `${VIEW}&q=tea&q=calm`);
});

describe('groundswell diff', () => {
  it('finds no difference between a file and itself, or a slide of the same counts', async () => {
    const same = {
      code: 0,
      err: '',
      out: 'tea: 0 buckets moved, 6 the same\n',
    };
    expect(await diff(first, first)).toMatchObject(same);
    expect(await diff(slide, first)).toMatchObject(same);
  });

  it('says which buckets moved, and that Posts were imported or deleted', async () => {
    expect((await diff(grown, first)).out).toContain('2 → 1 (-1)');
    const added = await diff(first, grown);
    expect(added).toMatchObject({ code: 1, err: '' });
    expect(added.out.replaceAll(/\d+ to \d+$/gm, 'N to N')).toBe(
      [
        'tea: 2 buckets moved, 4 the same',
        '  2026-05-03T00:00Z to 2026-05-04T00:00Z  1 → 2 (+1)  Posts were added or included: the store went from revision N to N',
        '  2026-05-04T00:00Z to 2026-05-05T00:00Z  0 → 2 (+2)  Posts were added or included: the store went from revision N to N',
        '',
      ].join('\n'),
    );
    const removed = await diff(grown, shrunk, '--json');
    expect(removed).toMatchObject({ code: 1, err: '' });
    const day = (n: number): string => `2026-05-0${n}T00:00:00.000Z`;
    expect(JSON.parse(removed.out)).toMatchObject({
      same: false,
      topics: [
        {
          topic: 'tea',
          in: 'both',
          same: 4,
          moved: 2,
          reasons: { deletion: 2 },
          buckets: [
            { start: day(2), end: day(3), old: 3, new: 0, difference: -3, reason: 'deletion' },
            { start: day(3), end: day(4), old: 2, new: 1, difference: -1, reason: 'deletion' },
          ],
        },
        { topic: 'calm', in: 'new', only: { old: null, new: { buckets: 6, start: day(1) } } },
      ],
    });
  });

  it('lists no more buckets than wanted, and all by reason', async () => {
    const { out } = await diff(first, shrunk, '--limit', '1');
    expect(out).toContain('tea: 2 buckets moved, 4 the same\n  2026-05-02T00:00Z');
    expect(out).toContain('\n  and 1 more; all by reason: deletion 1, import 1\n');
    expect(out).toContain(
      `calm: only in ${shrunk}\n  only in ${shrunk}: 6 buckets, 2026-05-01T00:00Z to 2026-05-07T00:00Z\n`,
    );
  });

  it.each([
    [() => [first, path('gone.html')], /gone\.html cannot be read: there is no such file\.\n$/],
    [() => [path('early.csv'), first], /early\.csv: .*is not a report, workbook/],
    [() => [first], /^Name two files: groundswell diff OLD NEW\.\n$/],
  ])('refuses bad input with code 2: %#', async (args, message) => {
    const { code, out, err } = await diff(...args());
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});
