import { writeFileSync } from 'node:fs';
import { writeXlsx } from 'hucre/xlsx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openFile } from '#app/import/open-file.ts';
import { instantOf } from '#core/import/id.ts';
import { sheetOfPosts } from '#core/import/posts-sheet.ts';
import { previewRows } from '#core/import/preview.ts';
import { planTable, type TableChoice } from '#core/import/table.ts';
import { readTextTable } from '#core/import/text-table.ts';
import { openWorkbook } from '#core/readers/workbook.ts';
import { zipEntries, zipPart } from '#core/readers/zip.ts';
import { readFiles } from '#server/import/import.ts';
import { texts } from '#server/readers/bytes.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';
import { onDisk } from '#server/readers/stretch.ts';

const path = temporaryFolder();
const NOW = Date.UTC(2026, 10, 21);
const signal = new AbortController().signal;

/** The reading of a file by an import: its Posts and its refused rows. */
async function imported(file: string, table: TableChoice = {}) {
  const posts: { createdAt: number; author: string | null; text: string; lang: string | null }[] =
    [];
  const ids: bigint[] = [];
  const refused: { line: number; reason: string }[] = [];
  for await (const batch of readFiles({ files: [file], table, store: '' }, NOW, signal)) {
    for (const { id, createdAt, username, text, lang } of batch.posts) {
      ids.push(id);
      posts.push({ createdAt, author: username, text, lang });
    }
    refused.push(...batch.refused.map(({ line, reason }) => ({ line, reason })));
  }
  return { ids, posts, refused };
}

/** The reading of the same rows that the sheet of an import shows. */
function shown(rows: Parameters<typeof planTable>[0], choice: TableChoice) {
  const plan = planTable(rows, choice, {}, NOW);
  const { posts, refused } = previewRows(rows, { kind: 'table', plan }, NOW);
  const rest = posts.map(({ createdAt, author, text, lang }) => ({
    createdAt,
    author,
    text,
    lang,
  }));
  return { ids: posts.map(({ id }) => id), posts: rest, refused };
}

async function sheetRowsOf(file: string) {
  const zip = onDisk(file);
  const entries = await zipEntries(zip);
  const open = async (name: string) => {
    const entry = entries.find((each) => each.name === name);
    return entry ? texts({ path: file, ...(await zipPart(zip, entry)) }) : null;
  };
  const book = await openWorkbook(file, open);
  return (await sheetOfPosts(file, book, open, {}, NOW)).rows;
}

const HEADER = ['Date', 'Author', 'Url', 'Full Text', 'Language', 'Twitter Likes', 'Region'];
const cell = fc.string({ unit: fc.constantFrom(...'abcé ,;"\n'), maxLength: 12 });
const date = fc.oneof(
  fc.constantFrom(
    '2024-03-04 05:06',
    '13/03/2024 05:06',
    '3/4/2024',
    'soon',
    '',
    '2024-03-31 02:30',
  ),
  fc
    .date({ min: new Date('2020-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
    .map((d) => d.toISOString()),
);
const url = fc.oneof(
  fc.constantFrom('', 'https://example.com/a'),
  fc
    .bigInt({ min: 1764518400000000000n, max: 1764518400099999999n })
    .map((id) => `https://x.com/ann/status/${id}`),
);
const row = fc.tuple(
  date,
  fc.constantFrom('@ann', 'Ann Tea', ''),
  url,
  cell,
  fc.constantFrom('en', 'German', ''),
  fc.constantFrom('1,204', '3', 'many'),
  cell,
);
const table = fc.array(row, { minLength: 1, maxLength: 12 });

const FORMS = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  encoding: fc.constantFrom('utf8', 'utf16le', 'latin1'),
  above: fc.constantFrom('', 'Report\n\n'),
});
const CHOICES = fc.constantFrom<TableChoice>(
  { dates: 'DMY' },
  { dates: 'MDY', zone: 'Europe/Berlin' },
  { dates: 'DMY', zone: 'America/New_York', columns: { created_at: 1, url: 3, text: 4 } },
);

function textOf(rows: readonly (readonly string[])[], delimiter: string): string {
  const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
  return rows.map((each) => `${each.map(quoted).join(delimiter)}\n`).join('');
}

describe('the rows that a sheet of an import shows are those that it imports', () => {
  it('of any table of text', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        table,
        FORMS,
        CHOICES,
        async (rows, { delimiter, encoding, above }, choice) => {
          const mark = encoding === 'utf16le' ? '\ufeff' : '';
          const text = `${mark}${above}${textOf([HEADER, ...rows], delimiter)}`;
          const bytes = Buffer.from(text, encoding as BufferEncoding);
          const file = path(`any-${(n += 1)}.csv`);
          writeFileSync(file, bytes);
          const expected = shown(readTextTable(new Uint8Array(bytes), true, choice).rows, choice);
          const { ids, ...found } = await imported(file, choice);
          expect(found).toEqual({ posts: expected.posts, refused: expected.refused });
          expect(expected.ids.length + expected.refused.length).toBe(rows.length);
          // Ids that the file lacks are made at the import, above all of the platform.
          for (const [i, id] of expected.ids.entries()) {
            if (id === null) expect(ids[i]).toBeGreaterThanOrEqual(2n ** 62n);
            else expect(String(ids[i])).toBe(id);
          }
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('of a workbook, with dates of its own, of the first sheet with Posts or any other', async () => {
    const rows = [
      ['Mentions of tea', null, null],
      [],
      ['Date', 'Url', 'Full Text'],
      [
        new Date('2024-03-04T05:06:07Z'),
        'https://x.com/ann/status/1764518400000000001',
        'oat milk',
      ],
      [new Date('2024-03-05T00:00:00Z'), null, 'only a day'],
      [null, 'https://x.com/ann/status/1764518400000000002', 'tea & <milk>\nnew line'],
      ['soon', null, 'refused'],
    ];
    for (const stringMode of ['shared', 'inline'] as const) {
      const file = path(`${stringMode}.xlsx`);
      const cover = { name: 'Cover', rows: [['Report of week 10'], ['made by', 'the team']] };
      const other = {
        name: 'Other',
        rows: [
          ['id', 'text'],
          ['5', 'tea'],
        ],
      };
      writeFileSync(
        file,
        await writeXlsx({ sheets: [cover, { name: 'Mentions', rows }, other], stringMode }),
      );
      const choice = { zone: 'Europe/Berlin' };
      const { ids, ...found } = await imported(file, choice);
      const expected = shown(await sheetRowsOf(file), choice);
      expect(found).toEqual({ posts: expected.posts, refused: expected.refused });
      expect(
        found.posts.map(({ createdAt, text }) => [new Date(createdAt).toISOString(), text]),
      ).toEqual([
        ['2024-03-04T04:06:07.000Z', 'oat milk'],
        ['2024-03-04T23:00:00.000Z', 'only a day'],
        [new Date(instantOf(1764518400000000002n) ?? 0).toISOString(), 'tea & <milk>\nnew line'],
      ]);
      expect(found.refused).toEqual([
        { line: 7, reason: 'the time "soon" is not of the form 2017-08-27T04:05:34Z' },
      ]);
      expect(ids.slice(0, 1)).toEqual([1764518400000000001n]);
      expect((await imported(file, { sheet: 'Other', header: 1 })).refused).toEqual([
        { line: 2, reason: 'has no time, and its id does not contain one' },
      ]);
    }
  });

  it.each(['lines', 'list'])(
    'of JSON %s of another tool, by the names of its members',
    async (form) => {
      const objects = [
        {
          url: 'https://x.com/ann/status/1764518400000000001',
          // Beyond 2^53: JSON's numbers round it, and the address has it.
          id: 'ID',
          date: '2024-03-04T05:06:07+00:00',
          rawContent: 'oat milk',
          user: { username: 'ann', followersCount: 9 },
          likeCount: 4,
          lang: 'en',
        },
        {
          date: '2024-03-05T00:00:00+00:00',
          rawContent: 'tea',
          user: { username: 'bob' },
          place: null,
        },
        { date: 'soon', rawContent: 'late' },
      ];
      const file = path(`other-${form}.json`);
      const lines = objects.map((line) =>
        JSON.stringify(line).replace('"ID"', '1764518400000000001'),
      );
      const text = form === 'lines' ? lines.join('\n') : `[${lines.join(',\n')}]`;
      writeFileSync(file, text);
      const expected = [
        { createdAt: Date.UTC(2024, 2, 4, 5, 6, 7), author: 'ann', text: 'oat milk', lang: 'en' },
        { createdAt: Date.UTC(2024, 2, 5), author: 'bob', text: 'tea', lang: null },
      ];
      const refused = [{ line: 3, reason: expect.stringMatching(/^the time "soon"/) }];
      const { ids, ...found } = await imported(file);
      expect(found).toEqual({ posts: expected, refused });
      expect(ids[0]).toBe(1764518400000000001n);
      const opened = await openFile(new File([text], 'other.json'));
      if (opened.kind !== 'table') throw new Error(`expected a table, got ${opened.kind}`);
      const { rows } = await opened.sample({});
      expect(shown(rows, {})).toMatchObject({ posts: expected, refused });
      // The choices of the sheet read the same.
      const { at, header } = planTable(rows, {}, {}, NOW);
      const columns = { text: at.text + 1, created_at: at.created_at + 1, author: at.author + 1 };
      expect((await imported(file, { header, columns })).posts).toEqual(
        expected.map((each) => ({ ...each, lang: null })),
      );
    },
  );

  it('but Posts of the interface in JSON are no table', async () => {
    const post = { id: '1764518400000000001', text: 'tea', created_at: '2024-03-04T05:06:07.000Z' };
    const opened = await openFile(new File([JSON.stringify([post, { a: 1 }])], 'posts.json'));
    expect(opened.kind).toBe('posts');
  });
});
