import { describe, expect, it } from 'vitest';
import { fileKind } from '#app/import/file-kind.ts';

describe('the kind of a file by its first bytes', () => {
  it.each([
    ['query,label,start_utc,end_utc\n', 'a.csv', 'counts'],
    ['\uFEFFquery;label;start_utc;end_utc\r\n', 'a.csv', 'counts'],
    ['"query","label","start_utc"\n', 'posts.txt', 'counts'],
    ['start_utc,end_utc,start_local,tea\n', 'a.csv', 'counts'],
    ['id,created_at,query,label,start_utc\n', 'a.csv', 'posts'],
    ['query,label\n', 'a.csv', 'posts'],
    ['GRNDBNDL\u0001', 'a.bin', 'bundle'],
    ['{"form":1}', 'Drinks.groundswell-board.json', 'board'],
    ['{\n "groundswell": "board",\n "form": 1', 'Drinks (1).json', 'board'],
    ['{"id":"1","text":"a groundswell of support"}', 'a.jsonl', 'posts'],
    ['{"data":[{"text":"a groundswell of tea"}]}', 'a.json', 'posts'],
    ['PK\u0003\u0004', 'board.groundswell', 'bundle'],
    ['GRNDSWLL\u0001', 'cache.bin', 'backup'],
    ['GRNDSWLL\u0001', 'cache.groundswell', 'backup'],
    ['window.YTD.tweets.part0 = [', 'tweets.js', 'posts'],
    ['', 'empty.csv', 'posts'],
  ] as const)('%j named %s is %s', (text, name, kind) => {
    expect(fileKind(name, new TextEncoder().encode(text))).toBe(kind);
  });
});
