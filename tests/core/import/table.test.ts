import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { instantOf } from '#core/import/id.ts';
import { previewRows } from '#core/import/preview.ts';
import { planTable, type TableChoice, type TablePlan } from '#core/import/table.ts';
import { readTextTable } from '#core/import/text-table.ts';
import type { Row } from '#core/readers/row.ts';
import { FIELDS } from '#core/import/field-names.ts';

const NOW = Date.UTC(2026, 10, 21);

interface Vector {
  readonly name: string;
  readonly source: string;
  readonly header: string[];
  readonly row: string[];
  readonly fields: Record<string, string>;
  readonly product?: string;
  readonly dates?: 'DMY' | 'MDY';
  readonly post: { readonly id: string; readonly createdAt: string; readonly likes?: number };
}

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/import-headers.json', import.meta.url), 'utf8'),
) as Vector[];

function rowsOf(...rows: string[][]): Row[] {
  return rows.map((fields, i) => ({ kind: 'columns', line: i + 1, fields }));
}

/** The columns of a plan by field, by name. */
function named({ at, names }: TablePlan): Record<string, string> {
  const found = FIELDS.filter((field) => at[field] !== -1);
  return Object.fromEntries(found.map((field) => [field, names[at[field]] ?? '']));
}

function planOf(text: string, choice: TableChoice = {}): TablePlan {
  return planTable(sampleOf(text, choice), choice, {}, NOW);
}

function sampleOf(text: string | Uint8Array, choice: TableChoice = {}): readonly Row[] {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return readTextTable(bytes, true, choice).rows;
}

describe('the export of', () => {
  test.each(vectors)(
    '$name is recognised and read',
    ({ header, row, fields, product, dates, post }) => {
      const choice = dates ? { dates } : {};
      const rows = rowsOf(header, row);
      const plan = planTable(rows, choice, {}, NOW);
      expect(named(plan)).toEqual(fields);
      expect([plan.product ?? undefined, plan.missing]).toEqual([product, []]);
      const { posts, refused } = previewRows(rows, { kind: 'table', plan }, NOW);
      expect(refused).toEqual([]);
      const createdAt =
        post.createdAt === 'ID' ? instantOf(BigInt(post.id)) : Date.parse(post.createdAt);
      expect(posts).toMatchObject([{ ...post, createdAt }]);
    },
  );
});

const BODY = 'id,created_at,text\n1,2024-03-04T05:06:07Z,oat milk\n2,2024-03-05T05:06:07Z,tea\n';

describe('the header of a table', () => {
  it('is found below the lines that exports put above it', () => {
    const above = 'Report:,Oat milk\nFrom:,"Mon, 1 Jan 2024"\nTo:,now\n\nLabel:,a\n';
    expect(planOf(above + BODY)).toMatchObject({ header: 6, missing: [] });
    expect(planOf(`${above.replaceAll('\n', ',,\n')}${BODY}`).header).toBe(6);
  });

  it('is missing where the first row is a Post', () => {
    const plan = planOf('1791945600000000001,2024-03-04T05:06:07Z,oat milk in my tea today\n');
    expect(plan).toMatchObject({ header: 0, names: ['Column 1', 'Column 2', 'Column 3'] });
    expect(named(plan)).toEqual({ id: 'Column 1', created_at: 'Column 2', text: 'Column 3' });
  });

  it('can be chosen, or chosen to be missing', () => {
    expect(planOf(`a,b,c\n${BODY}`, { header: 1 }).names).toEqual(['a', 'b', 'c']);
    expect(planOf(BODY, { header: 0 }).names).toEqual(['Column 1', 'Column 2', 'Column 3']);
    expect(() => planOf(BODY, { header: 9 })).toThrow(
      'expected the line of a row as the header, got 9',
    );
  });
});

describe('columns', () => {
  it('without known names are recognised by their values', () => {
    const plan = planOf(
      'n,wer,wann,wo,was\n' +
        '1,@ann,4.3.2024 05:06,https://x.com/ann/status/1764518400000000001,oat milk in my tea today\n' +
        '2,@bob,5.3.2024 05:06,https://x.com/bob/status/1764518400000000002,no milk for me at all\n',
    );
    expect(named(plan)).toEqual({ url: 'wo', created_at: 'wann', author: 'wer', text: 'was' });
  });

  it('are those of the map, else by name; absent ones are listed', () => {
    const rows = rowsOf(['tweet_id', 'publish_date', 'username', 'content', 'id', 'region']);
    const plan = planTable(
      rows,
      {},
      { id: 'tweet_id', text: 'content', time: 'publish_date' },
      NOW,
    );
    expect(named(plan)).toEqual({
      id: 'tweet_id',
      created_at: 'publish_date',
      author: 'username',
      text: 'content',
    });
    expect(plan.others.map(({ name }) => name)).toEqual(['id', 'region']);
    expect(planTable(rows, {}, { text: 'c' }, NOW).absent).toEqual([['text', 'c']]);
  });

  it('that were chosen are all there are', () => {
    const plan = planOf(BODY, { columns: { text: 3, created_at: 2 } });
    expect(named(plan)).toEqual({ created_at: 'created_at', text: 'text' });
    expect(() => planOf(BODY, { columns: { text: 4 } })).toThrow('from 1 to 3 of text, got 4');
  });

  it('that a Post needs are named as missing', () => {
    expect(planOf('id,x\n1,2\n').missing).toEqual(['text']);
    expect(planOf('text,lang\noat milk,en\n').missing).toEqual(['created_at']);
  });

  it('of yes and no are not taken for texts of the same name, and the other way round', () => {
    const found = (values: string[]): Record<string, string> =>
      named(planOf(`date,text,is_retweet\n${values.map((v) => `2024-03-04,tea,${v}\n`).join('')}`));
    expect(found(['ja', 'nein', ''])).toMatchObject({ is_retweet: 'is_retweet' });
    expect(found(['oat milk in tea', 'no milk'])).not.toHaveProperty('is_retweet');
  });

  it.each([
    ['Verfasser,Datum,Inhalt,Sprache,Geteilt', 'ja'],
    ['Auteur,Date de publication,Texte,Langue,Partagé', 'oui'],
    ['Usuario,Fecha,Texto,Idioma,Compartido', 'sí'],
    ['USUARIO,FECHA DE PUBLICACION,CONTENIDO,Language code,Shared post', '1'],
    ['投稿者,投稿日時,本文,言語,リツイート', 'はい'],
  ])('of %s are recognised', (header, yes) => {
    const [author, created_at, text, lang, is_retweet] = header.split(',');
    expect(named(planOf(`${header}\nann,2024-03-04,tea,en,${yes}\n`))).toEqual({
      author,
      created_at,
      text,
      lang,
      is_retweet,
    });
  });

  it('of reposts are counts or answers, as their values are', () => {
    const found = (...values: string[]) =>
      named(planOf(`date,text,Retweet\n${values.map((v) => `2024-03-04,tea,${v}\n`).join('')}`));
    expect(found('0', '12')).toHaveProperty('reposts');
    expect(found('0', '1')).toHaveProperty('is_retweet');
    expect(found('nein', 'ja')).toHaveProperty('is_retweet');
    expect(Object.keys(found('RT', ''))).toEqual(['created_at', 'text']);
  });

  it('of a day and a time of day are read together', () => {
    const rows = sampleOf('date,time,text\n2024-03-04,5:06 PM,tea\n');
    const plan = planTable(rows, { zone: 'Europe/Berlin' }, {}, NOW);
    const [post] = previewRows(rows, { kind: 'table', plan }, NOW).posts;
    expect(new Date(post?.createdAt ?? 0).toISOString()).toBe('2024-03-04T16:06:00.000Z');
  });
});

describe('dates', () => {
  const dated = (...dates: string[]): TablePlan =>
    planOf(`date,text\n${dates.map((date) => `${date},tea\n`).join('')}`);

  it('have the order that one of them shows', () => {
    expect(dated('04/03/2024', '13/03/2024')).toMatchObject({ order: 'DMY', missing: [] });
    expect(dated('04/03/2024', '04/13/2024')).toMatchObject({ order: 'MDY', missing: [] });
  });

  it('whose order none shows, or that show both, need a choice', () => {
    expect(dated('04/03/2024')).toMatchObject({
      order: null,
      missing: ['dates'],
      times: { ambiguous: '04/03/2024' },
    });
    expect(dated('13/03/2024', '04/13/2024').missing).toEqual(['dates']);
    expect(dated('2024-03-04', '4.3.2024').missing).toEqual([]);
  });

  it('of a workbook’s cells are called that, not by the form in which they are read', () => {
    const form = (dates: readonly number[] | undefined) =>
      planTable(
        rowsOf(['date', 'text'], ['2024-03-04', 'tea']).map((row) => ({
          ...row,
          ...(dates && row.line > 1 && { dates }),
        })) as Row[],
        {},
        {},
        NOW,
      ).times.form;
    expect([form([0]), form([1]), form(undefined)]).toEqual(['cell', 'iso', 'iso']);
  });

  it('without an offset are in the zone that the name of their column states', () => {
    const zoneOf = (name: string): string =>
      planOf(`${name},text\n2024-03-04 05:06,tea\n`).zone.zone;
    expect(['Timestamp (ET)', 'Date (UTC)', 'Date (PST)', 'Date'].map(zoneOf)).toEqual([
      'America/New_York',
      'UTC',
      'America/Los_Angeles',
      'UTC',
    ]);
  });

  it('that are only days leave the time to the id', () => {
    const rows = sampleOf(
      'id,date,text\n1764518400000000001,2024-03-04,tea\n,2024-03-04,milk\n1764518400000000001,2024-04-01,of another day\n',
    );
    const plan = planTable(rows, {}, {}, NOW);
    const posts = previewRows(rows, { kind: 'table', plan }, NOW).posts;
    expect(plan.times.isDays).toBe(true);
    expect(posts.map(({ createdAt }) => createdAt)).toEqual([
      instantOf(1764518400000000001n),
      Date.UTC(2024, 2, 4),
      Date.UTC(2024, 3, 1),
    ]);
  });
});

describe('a row', () => {
  const read = (header: string, row: string) => {
    const rows = sampleOf(`${header}\n${row}\n`);
    const plan = planTable(rows, { header: 1 }, {}, NOW);
    return previewRows(rows, { kind: 'table', plan }, NOW);
  };

  it.each([
    ["'1764518400000000001", '1764518400000000001'],
    ['"=""1764518400000000001"""', '1764518400000000001'],
    ['https://x.com/i/web/status/1764518400000000001?s=20', '1764518400000000001'],
    ['"tag:search.twitter.com,2005:1764518400000000001"', '1764518400000000001'],
  ])('with the id %s has that id', (id, expected) => {
    expect(read('id,text', `${id},tea`).posts).toMatchObject([{ id: expected }]);
  });

  it('whose id a spreadsheet rounded has the id of its address, or is refused', () => {
    const url = 'https://twitter.com/ann/status/1764518400000000001';
    expect(read('id,url,text', `1.76452E+18,${url},tea`).posts).toMatchObject([
      { id: '1764518400000000001', author: 'ann' },
    ]);
    expect(read('id,text', '1.76452E+18,tea').refused).toEqual([
      {
        line: 2,
        reason:
          'the id "1.76452E+18" was rounded by a spreadsheet; export the file again with ids as text',
      },
    ]);
  });

  it('keeps what it cannot read as a count among its other columns', () => {
    const { posts } = read('date,text,likes,retweets,replies', '2024-03-04,tea,1.2K,"1,204",0');
    expect(posts).toMatchObject([{ likes: null, reposts: 1204, replies: 0 }]);
  });

  it('has the author of its address where its own is a display name', () => {
    const url = 'https://twitter.com/ann_tea/status/1764518400000000001';
    expect(read('author,url,text', `Ann Tea,${url},tea`).posts).toMatchObject([
      { author: 'ann_tea' },
    ]);
  });
});

describe('a table of text', () => {
  const wide = (text: string, order: 'le' | 'be', mark: boolean): Uint8Array => {
    const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
    return new Uint8Array(order === 'le' ? bytes : bytes.swap16());
  };
  const text = 'id;created_at;text\n1;2024-03-04T05:06:07Z;café, tea\n';

  it.each([
    ['UTF-8', new TextEncoder().encode(text), 'utf-8'],
    ['UTF-8 with a mark', new TextEncoder().encode(`\ufeff${text}`), 'utf-8'],
    ['UTF-16 with a mark', wide(text, 'le', true), 'utf-16le'],
    ['big-endian UTF-16 with a mark', wide(text, 'be', true), 'utf-16be'],
    ['UTF-16 without a mark', wide(text, 'le', false), 'utf-16le'],
    ['big-endian UTF-16 without a mark', wide(text, 'be', false), 'utf-16be'],
    ['Windows-1252', new Uint8Array(Buffer.from(text, 'latin1')), 'windows-1252'],
  ])('in %s is decoded', (_, bytes, encoding) => {
    const table = readTextTable(bytes, true, {});
    expect([table.encoding, table.shape.delimiter]).toEqual([encoding, ';']);
    expect(table.rows[1]).toMatchObject({ fields: ['1', '2024-03-04T05:06:07Z', 'café, tea'] });
  });

  /** Bytes of `テスト、お茶` in Shift_JIS. */
  const TEA = [0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x81, 0x41, 0x82, 0xa8, 0x92, 0x83];
  it('in Shift_JIS is found by its kana, and in other encodings decoded as chosen', () => {
    const bytes = (text: readonly number[]): Uint8Array =>
      Uint8Array.from([...Buffer.from('id;text\n1;'), ...text, 0x0a]);
    const read = (text: readonly number[], choice: TableChoice = {}) => {
      const { encoding, rows } = readTextTable(bytes(text), true, choice);
      return [encoding, rows[1]?.kind === 'columns' ? rows[1].fields[1] : null];
    };
    expect(read(TEA)).toEqual(['shift_jis', 'テスト、お茶']);
    expect(read([0xf7, 0xe0, 0xe9])).toEqual(['windows-1252', '÷àé']);
    expect(read([0xf7, 0xe0, 0xe9], { encoding: 'windows-1251' })[1]).toBe('чай');
    expect(read([0xb2, 0xe8], { encoding: 'gb18030' })[1]).toBe('茶');
  });

  it.each([',', ';', '\t', '|'])('is split at %j, whatever its texts have', (delimiter) => {
    const cells = [
      ['id', 'text', 'region'],
      ['1', '"a, b; c\td | e"', 'x'],
      ['2', '"a, b, c"', 'y'],
    ];
    const table = sampleOf(cells.map((row) => row.join(delimiter)).join('\n'));
    expect(table.map((row) => row.kind === 'columns' && row.fields.length)).toEqual([3, 3, 3]);
  });

  it('has quotes in its texts where most fields that begin with one do not end with one', () => {
    const row = (text: string, i: number): string => `${i + 1}\t2024-03-04T05:06:07Z\t${text}\n`;
    const tsv = (...texts: string[]): string => `id\tcreated_at\ttext\n${texts.map(row).join('')}`;
    const read = (text: string, choice: TableChoice = {}) => {
      const { shape, rows } = readTextTable(new TextEncoder().encode(text), true, choice);
      const texts = rows.map((each) => (each.kind === 'columns' ? each.fields[2] : each.kind));
      return [shape.quotes, ...texts.slice(1)];
    };
    const open = ['"So true" she said', 'tea', '"milk', '"all quoted"'];
    expect(read(tsv(...open))).toEqual(['none', ...open]);
    expect(read(tsv('"tea"', '"oat ""milk"""', 'a'))).toEqual(['csv', 'tea', 'oat "milk"', 'a']);
    expect(read(tsv('"tea"'), { quotes: 'none' })).toEqual(['none', '"tea"']);
    expect(read(tsv('a "b" c'))).toEqual(['csv', 'a "b" c']);
  });

  it('may have a last row that the sample cuts off', () => {
    const bytes = new TextEncoder().encode(`${BODY}3,2024-03-05T05:0`);
    expect(readTextTable(bytes, false, {}).rows).toHaveLength(3);
    expect(readTextTable(bytes, true, {}).rows).toHaveLength(4);
  });
});
