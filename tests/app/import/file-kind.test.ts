import { describe, expect, it } from 'vitest';
import { archiveOf } from '#tests/support/data/archives.ts';
import { fileKind } from '#app/import/file-kind.ts';

describe('fileKind', () => {
  it.each([
    ['query,label,start_utc,end_utc\n', 'a.csv', 'counts'],
    ['\uFEFFquery;label;start_utc;end_utc\r\n', 'a.csv', 'counts'],
    ['"query","label","start_utc"\n', 'posts.txt', 'counts'],
    ['start_utc,end_utc,start_local,tea\n', 'a.csv', 'counts'],
    ['id,created_at,query,label,start_utc\n', 'a.csv', 'posts'],
    ['query,label\n', 'a.csv', 'posts'],
    ['{"form":1}', 'Drinks.groundswell-board', 'board'],
    ['{"groundswell":"board"}', 'a.json', 'posts'],
    ['{"id":"1","text":"a groundswell of support"}', 'a.jsonl', 'posts'],
    ['{"data":[{"text":"a groundswell of tea"}]}', 'a.json', 'posts'],
    ['PK\u0003\u0004', 'board.groundswell', 'bundle'],
    ['window.YTD.tweets.part0 = [', 'tweets.js', 'posts'],
    ['', 'empty.csv', 'posts'],
    ['\uFEFFBEGIN:VCALENDAR\r\n', 'a.txt', 'calendar'],
    ['begin:vcalendar\n', 'a.csv', 'calendar'],
    ['no calendar', 'a.ics', 'calendar'],
    [' https://host.example/a/fairs.ics?key=1\n', 'address', 'calendar'],
    ['webcal://host.example/fairs', 'address', 'calendar'],
    ['https://host.example/fairs', 'address', 'posts'],
    ['https://host.example/a?b=fairs.ics', 'address', 'posts'],
    ['see https://host.example/fairs.ics', 'address', 'posts'],
    ['url\nhttps://host.example/fairs.ics', 'a.csv', 'posts'],
  ] as const)('recognizes text: %j named %s is %s', (text, name, kind) => {
    expect(fileKind(name, new TextEncoder().encode(text))).toBe(kind);
  });

  it.each<[string, string, string]>([
    ['backup', 'cache.bin', 'backup'],
    ['backup', 'cache.groundswell', 'backup'],
    ['bundle', 'a.bin', 'bundle'],
    ['board', 'Drinks (1).zip', 'board'],
    ['other', 'a.zip', 'posts'],
  ])('recognizes an archive by its manifest: %s named %s is %s', async (kind, name, expected) => {
    const json = new TextEncoder().encode(JSON.stringify({ groundswell: kind, version: 1 }));
    const file = archiveOf([['manifest.json', json]]);
    expect(fileKind(name, new Uint8Array(await file.arrayBuffer()))).toBe(expected);
  });

  it('takes a zip without a manifest for Posts', async () => {
    const file = archiveOf([['data/tweets.js', new Uint8Array(9)]]);
    expect(fileKind('archive.zip', new Uint8Array(await file.arrayBuffer()))).toBe('posts');
  });
});
