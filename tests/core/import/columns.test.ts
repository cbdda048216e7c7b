import { describe, expect, it, test } from 'vitest';
import { readColumns } from '#core/import/columns.ts';
import type { Draft } from '#core/import/draft.ts';
import { planTable, type TablePlan } from '#core/import/table.ts';
import { languageCode } from '#core/import/language-names.ts';

const NOW = Date.UTC(2026, 10, 21);

describe('columns', () => {
  const plan = (header: string, map = {}, rows: readonly string[][] = []): TablePlan =>
    planTable(
      [header.split(','), ...rows].map((fields, i) => ({ kind: 'columns', line: i + 1, fields })),
      {},
      map,
      NOW,
    );

  it('are found by the map, else by name, else by a common alias', () => {
    const { at, others } = plan('tweet_id,publish_date,username,content,id,region', {
      id: 'tweet_id',
      text: 'content',
    });
    expect(at).toMatchObject({
      id: 0,
      created_at: 1,
      author: 2,
      text: 3,
      lang: -1,
      is_retweet: -1,
    });
    expect(others).toEqual([
      { name: 'id', at: 4 },
      { name: 'region', at: 5 },
    ]);
  });

  it.each([
    ['RETWEET', { isRetweet: true }],
    ['reply', { isReply: true }],
    ['Quote', { isQuote: true }],
    ['', {}],
  ])('state engagements and their type as Brandwatch does: %s', (type, kind) => {
    const header =
      'Query Name,Date,Url,Full Text,Likes,Engagement Type,X Likes,X Reposts,X Replies';
    const url = 'https://x.com/ann/status/1791945600000000001';
    const row = ['Tea', '2024-05-18 21:19:00.0', url, 'oat milk', '', type, '1,204', '31', '5'];
    const reply = row.with(5, 'REPLY');
    const { post, rest } = readColumns(plan(header, {}, [row, reply]), row) as Draft;
    expect(post).toEqual({
      text: 'oat milk',
      username: 'ann',
      likes: 1204,
      reposts: 31,
      replies: 5,
      ...kind,
    });
    expect(rest).toContain('Query Name');
  });

  it('name the account of a stated repost, and state nothing in an empty column of types', () => {
    const of = (...types: string[]) => {
      const rows = types.map((type) => ['7', '2017-08-27T04:05:34Z', 'RT @ann: tea', type]);
      const header = 'id,created_at,text,engagement_type';
      return (readColumns(plan(header, {}, rows), rows[0]!) as Draft).post;
    };
    expect(of('RETWEET', '')).toMatchObject({ isRetweet: true, repostOfUsername: 'ann' });
    expect(of('', '')).toMatchObject({ isRetweet: true, repostOfUsername: 'ann' });
    expect(of('', 'RETWEET').isRetweet).toBeUndefined();
  });

  it('leave the kind open where the type of an engagement is another network’s', () => {
    const header = 'id,created_at,text,engagement_type';
    const row = ['7', '2017-08-27T04:05:34Z', 'hi', 'COMMENT'];
    const { post, rest } = readColumns(plan(header), row) as Draft;
    expect(post).toMatchObject({ isRepostUnknown: true, isReplyUnknown: true });
    expect(rest).toBe('{"columns":{"engagement_type":"COMMENT"}}');
  });

  it('become a Post, its flags, and the rest under their names', () => {
    const header = 'id,created_at,author,author_id,text,lang,is_retweet,is_quote,is_reply,region';
    const row = [
      '7',
      '2017-08-27T04:05:34Z',
      '@Ann',
      '9',
      'hi',
      'en',
      'true',
      'false',
      '1',
      'a "b"',
    ];
    expect(readColumns(plan(header), row)).toEqual({
      id: 7n,
      createdAt: Date.UTC(2017, 7, 27, 4, 5, 34),
      text: 'hi',
      post: {
        text: 'hi',
        username: 'Ann',
        authorId: '9',
        lang: 'en',
        isRetweet: true,
        isReply: true,
      },
      rest: '{"columns":{"region":"a \\"b\\""}}',
    });
  });

  it('that say nothing of a kind leave it unknown, and a text that begins as a repost is one', () => {
    const read = (header: string, ...row: string[]) => {
      const draft = readColumns(plan(`id,text${header}`), ['1', ...row]);
      if (typeof draft === 'string') return draft;
      const { text: _, ...post } = draft.post;
      return post;
    };
    const unknown = { isRepostUnknown: true, isReplyUnknown: true, isQuoteUnknown: true };
    expect(read('', 'tea')).toEqual(unknown);
    expect(read('', 'so RT @ann: tea')).toEqual(unknown);
    expect(read('', 'RT @ann: tea')).toEqual({ isRetweet: true, repostOfUsername: 'ann' });
    const replies = { isReplyUnknown: true, isQuoteUnknown: true };
    expect(read(',is_retweet', 'RT @ann: tea', 'no')).toEqual(replies);
    expect(read(',repost_of', 'RT @ann: tea', '')).toEqual(replies);
    expect(read(',is_retweet,reply_to,quote_of', 'tea', '', '7', '')).toEqual({
      isReply: true,
      replyToId: '7',
    });
    expect(read(',is_retweet,reply_to,quote_of', 'tea', '', 'Ann', '')).toEqual({
      isReplyUnknown: true,
    });
  });

  test.each([
    [['1', '2017-08-27T04:05:34Z'], 'has 2 columns, the header 4'],
    [
      ['1', '2017-08-27T04:05:34Z', 'a', 'false', 'x'],
      'has 5 columns, the header 4; text with a comma must be quoted',
    ],
    [['x1', '2017-08-27T04:05:34Z', 'a', ''], 'the id "x1" is not a number between 1 and 2^63 − 1'],
    [['1', 'today', 'a', ''], 'the time "today" is not of the form 2017-08-27T04:05:34Z'],
    [
      ['1', '2017-08-27T04:05:34Z', 'a', 'perhaps'],
      '"Is a repost" (column "is_retweet") is "perhaps", neither yes nor no',
    ],
  ])('%j is refused: %s', (fields, reason) => {
    expect(readColumns(plan('id,created_at,text,is_retweet'), fields)).toBe(reason);
  });

  test.each([
    ['13.05.2024 10:00', 'DD.MM.YYYY'],
    ['13/05/2024 10:00', 'DD/MM/YYYY'],
    ['05/13/2024 10:00', 'MM/DD/YYYY'],
    ['13 May 2024 10:00', '27 Aug 2017 04:05'],
    ['2024年5月13日', '2017年8月27日'],
    ['1715594400', '1503806734'],
  ])('a time unlike the others of its file, such as %s, is refused by their form', (time, form) => {
    const read = plan('id,created_at,text', {}, [['1', time, 'a']]);
    expect(readColumns(read, ['2', '05.13.2024 10:00', 'b'])).toBe(
      `the time "05.13.2024 10:00" is not of the form ${form}`,
    );
  });

  it('of followers are stored with the Post, zero too', () => {
    const rest = (followers: string) => {
      const draft = readColumns(plan('id,text,Fans'), ['1', 'tea', followers]);
      return typeof draft === 'string' ? draft : draft.rest;
    };
    expect(['1,204', '0', '', '1.2K'].map(rest)).toEqual([
      '{"author_followers":1204}',
      '{"author_followers":0}',
      null,
      '{"columns":{"Fans":"1.2K"}}',
    ]);
  });

  it('keep a name of the author, and an address that the id does not give', () => {
    const rest = (header: string, ...row: string[]) => {
      const at = '2024-05-18T21:19:00Z';
      const rows = [['tea', at, ...row]];
      const draft = readColumns(plan(`text,created_at,${header}`, {}, rows), rows[0]!);
      return typeof draft === 'string' ? draft : [draft.post.username, draft.rest];
    };
    const status = 'https://x.com/ann/status/1791945600000000001';
    expect(rest('url', status)).toEqual(['ann', null]);
    expect(rest('url,Full Name', status, 'Ann Tea')).toEqual(['ann', '{"author_name":"Ann Tea"}']);
    expect(rest('url,author', status, 'Ann Tea')).toEqual(['ann', '{"author_name":"Ann Tea"}']);
    const other = 'https://www.reddit.com/r/tea/1';
    expect(rest('link,author', other, 'ann')).toEqual(['ann', `{"url":"${other}"}`]);
    expect(rest('link', 'n/a')).toEqual([undefined, '{"columns":{"link":"n/a"}}']);
    // The Post's own address is preferred to one that it links to.
    expect(rest('url,permalink', other, status)).toEqual(['ann', `{"columns":{"url":"${other}"}}`]);
  });

  it('beyond the header are accepted if they are empty, as spreadsheets write them', () => {
    expect(readColumns(plan('id,text'), ['1', 'a', '', ''])).toMatchObject({ id: 1n });
  });
});

describe('a language', () => {
  it.each([
    ['English', 'en'],
    ['Deutsch', 'de'],
    ['allemand', 'de'],
    ['日本語', 'ja'],
    ['Русский', 'ru'],
    ['Español', 'es'],
    ['de', 'de'],
    ['pt-BR', 'pt-BR'],
    ['no', 'no'],
    ['Elvish', 'Elvish'],
  ])('%s is %s', (name, code) => {
    expect(languageCode(name)).toBe(code);
  });
});
