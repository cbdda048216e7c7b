import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { person, type Answered, type Caller } from '#tests/support/service/callers.ts';
import { NOTE_WRITER } from '#tests/support/service/notes.ts';
import { startReceiver, testNames, type TestReceiver } from '#tests/support/service/receiver.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
let now = NOW;
let receiver: TestReceiver;
let service: TestService;
let ann: Caller;

const ELIGIBLE = '/2/notes/search/posts_eligible_for_notes';
const WRITTEN = '/2/notes/search/notes_written';
const POSTS = Array.from({ length: 80 }, (_, i) => ({
  id: BigInt(100 + i),
  createdAt: NOW - 86_400_000 + i * 1000,
  text: `The harbour bridge of Nordvik collapsed, part ${i}`,
  lang: i === 3 ? 'de' : 'en',
  authorId: i === 4 ? '9' : '7',
}));

const writer = (name: string) => person(service, name, { profile: NOTE_WRITER });

/** The body of a note. */
function note(post: number | string, over: { test?: boolean; link?: string; info?: object } = {}) {
  const { test = true, link = receiver.url('/source'), info = {} } = over;
  return {
    test_mode: test,
    post_id: String(post),
    info: {
      text: `On 3 May 2023 the council of Nordvik named 14 engineers: ${link}`,
      classification: 'misinformed_or_potentially_misleading',
      misleading_tags: ['factual_error'],
      trustworthy_sources: true,
      ...info,
    },
  };
}

const messagesOf = ({ errors }: Answered['body']): string[] =>
  errors.map(({ message }: { message: string }) => message);

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.deliver = ({ path }, response) => {
    response.statusCode = path.startsWith('/gone') ? 404 : 200;
    response.end();
  };
  service = startService({
    posts: POSTS,
    now: () => now,
    outgoing: { resolve: testNames, ca: receiver.ca },
  });
  ann = writer('ann');
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

describe('who may call', () => {
  it.each([
    ['with nothing', 'nothing', {}],
    ['with registration alone', 'registered', { ai_developer: true }],
    ['with approval alone', 'approved', { note_writer: true }],
  ])('an account %s is refused, with the recorded message', async (_, name, profile) => {
    const other = person(service, name);
    service.auth.accounts({ action: 'set', username: name, profile });
    const answers = [
      await other.get(`${ELIGIBLE}?test_mode=true`),
      await other.get(`${WRITTEN}?test_mode=true`),
      await other.send('POST', '/2/notes', note(100)),
      await other.send('POST', '/2/evaluate_note', { post_id: '100', note_text: 'a' }),
      await other.send('DELETE', '/2/notes/1'),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(body.detail).toBe('User must be an API Note Writer to access this endpoint.');
    }
  });
});

describe('evaluation', () => {
  it.each(['/2/evaluate_note', '/2/notes/evaluate'])(
    '%s scores claims above opinion',
    async (path) => {
      const score = async (note_text: string): Promise<number> => {
        const { body } = await ann.send('POST', path, { post_id: '100', note_text });
        return body.data.claim_opinion_score;
      };
      const claim = await score(note(100).info.text);
      expect(claim).toBeGreaterThan(0);
      expect(await score(note(100).info.text)).toBe(claim);
      expect(await score('I think this is ridiculous, and maybe the worst nonsense')).toBeLessThan(
        -3,
      );
    },
  );

  it('refuses a Post that does not exist and an empty text', async () => {
    const unknown = await ann.send('POST', '/2/evaluate_note', { post_id: '5', note_text: 'a' });
    expect(unknown.status).toBe(404);
    const empty = await ann.send('POST', '/2/evaluate_note', { post_id: '100', note_text: ' ' });
    expect(messagesOf(empty.body)).toEqual(['$.note_text: must not be empty']);
  });
});

describe('creation and deletion', () => {
  const TAGS =
    'disputed_claim_as_fact,factual_error,manipulated_media,misinterpreted_satire,missing_important_context,other,outdated_information';

  it('creates one note for a Post and writer', async () => {
    const bob = writer('bob');
    const { status, body } = await bob.send('POST', '/2/notes', note(110));
    expect([status, body.data]).toEqual([200, { id: expect.stringMatching(/^\d{1,19}$/) }]);
    const again = await bob.send('POST', '/2/notes', note(110));
    expect([again.status, again.body]).toMatchObject([
      400,
      { message: 'User already created a note for this post.' },
    ]);
    const { id } = body.data;
    expect((await ann.send('DELETE', `/2/notes/${id}`)).status).toBe(404);
    const deleted = await bob.send('DELETE', `/2/notes/${id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { data: { deleted: true } }]);
    expect((await bob.send('DELETE', `/2/notes/${id}`)).status).toBe(404);
    expect((await bob.send('POST', '/2/notes', note(110))).status).toBe(200);
  });

  it.each([
    ['no link', { text: 'no source' }, '$.info.text: must contain a link'],
    [
      'too long',
      { text: `https://a.com ${'x'.repeat(257)}` },
      'got 281 (the first character beyond it is at position',
    ],
    ['empty', { text: '' }, '$.info.text: must not be empty'],
    [
      'no classification',
      { classification: 'wrong' },
      '$.info.classification: "wrong" is not one of',
    ],
    ['no tags', { misleading_tags: [] }, 'must name at least one tag'],
    [
      'an unknown tag',
      { misleading_tags: ['x'] },
      `$.info.misleading_tags: [x] is not one of [${TAGS}]`,
    ],
    ['tags of what is not misleading', { classification: 'not_misleading' }, 'must be empty if'],
    ['an unknown member', { more: 1 }, '$.info.more: is not defined in the schema'],
    ['no sources', { trustworthy_sources: undefined }, 'trustworthy_sources: is required'],
  ])('refuses %s', async (_, info, message) => {
    const { status, body } = await ann.send('POST', '/2/notes', note(111, { info }));
    expect([status, messagesOf(body)[0]]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each(['test_mode', 'post_id', 'info'])('refuses a note without %s', async (name) => {
    const answer = await ann.send('POST', '/2/notes', { ...note(111), [name]: undefined });
    expect([answer.status, messagesOf(answer.body)]).toEqual([400, [`$.${name}: is required`]]);
  });

  it('accepts each tag', async () => {
    const ira = writer('ira');
    for (const [i, tag] of TAGS.split(',').entries()) {
      const info = { misleading_tags: [tag] };
      const { status } = await ira.send('POST', '/2/notes', note(130 + i, { info }));
      expect([tag, status]).toEqual([tag, 200]);
    }
  });

  it('takes 280 weighted characters', async () => {
    const carl = writer('carl');
    const text = `https://a.com ${'x'.repeat(256)}`;
    const info = { text, classification: 'not_misleading', misleading_tags: [] };
    expect((await carl.send('POST', '/2/notes', note(111, { info }))).status).toBe(200);
  });

  it('refuses a Post of the writer, of a protected account, and one that does not exist', async () => {
    const dora = writer('dora');
    const { body } = await dora.send('POST', '/2/tweets', { text: 'mine' });
    const { id } = body.data;
    expect((await dora.send('POST', '/2/notes', note(id))).status).toBe(403);
    expect((await dora.send('POST', '/2/notes', note('5'))).status).toBe(404);
    service.auth.accounts({ action: 'set', username: 'dora', profile: { protected: true } });
    expect((await ann.send('POST', '/2/notes', note(id))).status).toBe(404);
  });
});

describe('notes written', () => {
  it('lists them newest first, in pages, with the evaluators of test notes', async () => {
    const eve = writer('eve');
    const links = ['/source', '/gone', '/source'];
    for (const [i, path] of links.entries()) {
      now += 1000;
      await eve.send('POST', '/2/notes', note(120 + i, { link: receiver.url(path) }));
    }
    const all = 'note.fields=id,info,scoring_status,status,test_result';
    const first = await eve.get(`${WRITTEN}?test_mode=true&max_results=2&${all}`);
    const notes = first.body.data as Record<string, unknown>[];
    expect(notes.map(({ post_id }) => post_id)).toEqual(['122', '121']);
    expect(notes[1]).toMatchObject({
      status: 'unknown',
      info: { ...note(121).info, text: expect.stringContaining('/gone'), is_media_note: false },
      scoring_status: { has_access: true },
      test_result: {
        evaluator_type: 'UrlValidity',
        evaluator_score_bucket: 'Low',
        evaluation_outcome: [
          { evaluator_type: 'UrlValidity', evaluator_score_bucket: 'Low' },
          { evaluator_type: 'HarassmentAbuse', evaluator_score_bucket: 'High' },
          { evaluator_type: 'ClaimOpinion', evaluator_score_bucket: 'High' },
        ],
      },
    });
    const token = first.body.meta.next_token ?? '';
    const second = await eve.get(`${WRITTEN}?test_mode=true&pagination_token=${token}`);
    expect(second.body.data).toMatchObject([{ post_id: '120' }]);
    expect((await eve.get(`${WRITTEN}?test_mode=false`)).body).toEqual({
      meta: { result_count: 0 },
    });
    expect((await ann.get(`${WRITTEN}?test_mode=true&pagination_token=${token}`)).status).toBe(400);
  });

  it('reports links that cannot be reached as unknown', async () => {
    const fay = writer('fay');
    await fay.send('POST', '/2/notes', note(120, { link: 'https://nowhere.example/a' }));
    const { body } = await fay.get(`${WRITTEN}?test_mode=true&note.fields=test_result`);
    expect(body.data).toMatchObject([
      { test_result: { evaluator_type: 'UrlValidity', evaluator_score_bucket: 'unknown' } },
    ]);
  });

  it.each(['1', '100'])('may come in pages of %s', async (most) => {
    expect((await ann.get(`${WRITTEN}?test_mode=true&max_results=${most}`)).status).toBe(200);
  });

  it.each([
    ['', 'The `test_mode` query parameter can not be empty'],
    ['test_mode=maybe', 'The `test_mode` query parameter value [maybe] is not one of [true,false]'],
    ['test_mode=true&max_results=0', 'value [0] is not between 1 and 100'],
    [
      'test_mode=true&max_results=101',
      'The `max_results` query parameter value [101] is not between 1 and 100',
    ],
    [
      'test_mode=true&note.fields=text',
      'The `note.fields` query parameter value [text] is not one of',
    ],
  ])('refuses ?%s', async (query, message) => {
    const { status, body } = await ann.get(`${WRITTEN}?${query}`);
    expect([status, messagesOf(body)[0]]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('admission and the daily limit', () => {
  it('needs 50 good test notes, and then allows 10 notes in 24 hours', async () => {
    const gus = writer('gus');
    const early = await gus.send('POST', '/2/notes', note(100, { test: false }));
    expect(early.status).toBe(403);
    expect(early.body.detail).toContain('Needed: 50 test notes, of which there are 0.');
    for (let i = 0; i < 50; i++) await gus.send('POST', '/2/notes', note(100 + i));
    for (let i = 0; i < 10; i++) {
      expect((await gus.send('POST', '/2/notes', note(150 + i, { test: false }))).status).toBe(200);
    }
    const more = await gus.send('POST', '/2/notes', note(160, { test: false }));
    expect(more.status).toBe(429);
    expect(more.body.detail).toContain('Your daily writing limit is 10 notes in 24 hours');
    now += 86_400_001;
    expect((await gus.send('POST', '/2/notes', note(160, { test: false }))).status).toBe(200);
  });
});
