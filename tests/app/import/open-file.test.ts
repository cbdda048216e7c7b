import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { openFile, type OpenedFile } from '#app/import/open-file.ts';
import { previewRows } from '#core/import/preview.ts';

const NOW = Date.UTC(2026, 10, 21);
const CSV = 'id,created_at,text\n1,2024-03-04T05:06:07Z,oat milk\n';
const POST = { id: '1576994789110992896', text: 'hey', created_at: '2022-10-03T17:57:11.000Z' };
const TWEET = {
  tweet: {
    id_str: '914580356430536707',
    created_at: 'Sun Oct 01 19:58:00 +0000 2017',
    full_text: 'hi',
  },
};

function open(content: string | Uint8Array, name = 'x'): Promise<OpenedFile> {
  const part = typeof content === 'string' ? content : new Uint8Array(content);
  return openFile(new File([part], name));
}

function posts(opened: OpenedFile) {
  if (opened.kind !== 'posts') throw new Error(`expected Posts, got ${opened.kind}`);
  return previewRows(opened.rows, opened.reading, NOW).posts;
}

describe('a chosen file', () => {
  it.each([
    ['CSV', CSV, 'CSV', 1],
    ['TSV', CSV.replaceAll(',', '\t'), 'TSV', 1],
    ['gzipped CSV', gzipSync(CSV), 'CSV, gzipped', 1],
    ['CSV in a zip', zipSync({ 'a.csv': strToU8(CSV) }), 'CSV in a zip', 1],
    [
      'CSVs in a zip',
      zipSync({ 'a.csv': strToU8(CSV), 'b.csv': strToU8(CSV) }),
      'CSV, the first of 2 files in a zip',
      2,
    ],
  ])('that is %s opens as a table', async (_, content, what, tables) => {
    const opened = await open(content);
    expect(opened).toMatchObject({ kind: 'table', what, tables });
    const sample = opened.kind === 'table' ? await opened.sample({}) : null;
    expect(sample?.rows).toHaveLength(2);
  });

  it.each([
    ['JSON lines', `${JSON.stringify(POST)}\n`, 'JSON lines', POST.id],
    ['a list', JSON.stringify([POST]), 'JSON', POST.id],
    ['an answer', JSON.stringify({ data: [POST], meta: {} }, null, 2), 'JSON', POST.id],
    [
      'tweets.js',
      `window.YTD.tweets.part0 = ${JSON.stringify([TWEET])}`,
      'Posts of an archive',
      TWEET.tweet.id_str,
    ],
    [
      'the zip of an archive',
      zipSync({
        'data/account.js': strToU8(
          'window.YTD.account.part0 = [{"account":{"username":"ann","accountId":"9"}}]',
        ),
        'data/tweets.js': strToU8(`window.YTD.tweets.part0 = ${JSON.stringify([TWEET])}`),
      }),
      'archive of an account',
      TWEET.tweet.id_str,
    ],
  ])('that is %s shows its Posts', async (_, content, what, id) => {
    const opened = await open(content);
    expect(opened.kind === 'posts' && opened.what).toBe(what);
    expect(posts(opened)).toMatchObject([{ id }]);
  });

  it.each([
    ['empty', '', 'an empty file'],
    ['a PDF', '%PDF-1.7\n', 'a PDF'],
    ['a gzipped PDF', gzipSync('%PDF-1.7\n'), 'a PDF, gzipped'],
    ['a zip without Posts', zipSync({ 'a.png': strToU8('x') }), ''],
    ['a zip that is cut off', zipSync({ 'a.csv': strToU8(CSV) }).subarray(0, 60), ''],
    ['damaged gzip', new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 255, 255]), ''],
  ])('that is %s says what it is', async (_, content, what) => {
    const opened = await open(content, 'file.bin');
    expect(opened).toMatchObject({ kind: 'refused', what });
    if (what === '')
      expect(opened.kind === 'refused' && opened.advice).toMatch(/^file\.bin \w+.*\.$/);
  });
});
