import { gzipSync } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { eventsCsv, type FileEvent } from '#app/events/event-file.ts';
import { EventSheet } from '#app/import/event-sheet.svelte.ts';
import { openFile } from '#app/import/open-file.ts';
import { plainProblem } from '#contract/fault.ts';
import { readCalendar } from '#server/calendars/items.ts';

const CSV =
  'Date,Until,Title,Details\n2026-03-28,2026-03-30,"Fair, spring",Hall 3\n2026-03-29 09:00,,Launch,\nsoon,,Party,\n';

async function open(content: string | Uint8Array, name: string, fault: Error | null = null) {
  const part = typeof content === 'string' ? content : new Uint8Array(content);
  const opened = await openFile(new File([part], name));
  if (opened.kind !== 'table') throw new Error(`expected a table, got ${opened.kind}`);
  const added: File[] = [];
  const sheet = await EventSheet.of({
    name,
    opened,
    zone: 'Europe/Berlin',
    now: () => Date.UTC(2026, 10, 21),
    add: (file) => {
      if (fault) throw fault;
      added.push(file);
    },
  });
  if (!sheet) throw new Error('expected a table that is read whole');
  return { sheet, added };
}

async function workbook(): Promise<Uint8Array> {
  const rows = CSV.replace('"Fair, spring"', 'Fair; spring')
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.replace(';', ',')));
  return await writeXlsx({ sheets: [{ name: 'Plan', rows }] });
}

describe('the sheet of a table of events', () => {
  it.each([
    ['CSV', 'spring.csv', () => CSV],
    ['gzipped CSV', 'spring.csv.gz', () => gzipSync(CSV)],
    [
      'TSV',
      'spring.tsv',
      () => CSV.replace('"Fair, spring"', 'Fair; spring').replaceAll(',', '\t'),
    ],
    ['a workbook', 'spring.xlsx', workbook],
  ])('makes a calendar of %s, and says which rows it leaves out', async (_, name, content) => {
    const { sheet, added } = await open(await content(), name);
    expect([sheet.on, sheet.isReady, sheet.fileName]).toEqual([true, true, 'spring']);
    expect(sheet.read.refused).toEqual([
      { line: 4, reason: expect.stringContaining('the start "soon" is not a date') as string },
    ]);
    expect(await sheet.add()).toBe(true);
    expect(added.map((file) => file.name)).toEqual(['spring.ics']);
    const calendar = readCalendar((await added[0]?.text()) ?? '', 'UTC');
    expect(calendar).toMatchObject({
      name: 'spring',
      notes: [],
      items: [
        { start: { wall: Date.UTC(2026, 2, 28), isDate: true }, days: 3, detail: 'Hall 3' },
        { start: { wall: Date.UTC(2026, 2, 29, 7), isDate: false }, title: 'Launch' },
      ],
    });
    expect(calendar.items[0]?.title).toMatch(/^Fair[,;] spring$/);
  });

  it('makes a calendar of the events that Groundswell saves', async () => {
    const [start, end] = [Date.UTC(2026, 2, 28, 23), Date.UTC(2026, 2, 29, 22)];
    const about = { detail: '', source: '', startLocal: '2026-03-29T00:00:00+01:00' };
    const events: FileEvent[] = [
      { kind: 'campaign', id: 'n1', start, end, title: 'Fair', ...about },
      { kind: 'note', id: 'n2', start, end: null, title: 'Recall', ...about },
    ];
    for (const separator of [',', ';'] as const) {
      const { sheet } = await open(eventsCsv(events, separator), 'events.csv');
      expect([sheet.on, sheet.isReady]).toEqual([true, true]);
      expect(sheet.read).toMatchObject({
        events: [
          { title: 'Fair', time: { kind: 'instants', start, end } },
          { title: 'Recall', time: { kind: 'instants', start, end: null } },
        ],
        refused: [],
      });
    }
  });

  it('stays as it is, and says why, if the calendar is refused', async () => {
    const { sheet } = await open(CSV, 'a.csv', plainProblem(409, 'Conflict', 'There are 20.'));
    sheet.name = 'Mine';
    sheet.choose({ zone: 'UTC' });
    expect(await sheet.add()).toBe(false);
    expect([sheet.fault, sheet.name, sheet.plan.zone]).toEqual(['There are 20.', 'Mine', 'UTC']);
    expect(sheet.read.events).toHaveLength(2);
  });

  it('is of Posts until it is turned, and reads their rows only then', async () => {
    const { sheet } = await open('id,created_at,text\n1,2024-03-04T05:06:07Z,oat milk\n', 'a.csv');
    expect([sheet.on, sheet.sample]).toEqual([false, null]);
    await sheet.turn(true);
    expect(sheet.plan.missing).toEqual([]);
    expect(sheet.read.events).toMatchObject([{ line: 2, title: 'oat milk' }]);
  });
});
