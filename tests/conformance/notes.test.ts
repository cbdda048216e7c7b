import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#contract/operations.ts';
import { stage, type As } from '#tests/support/conformance.ts';
import { NOTE_WRITER, noteOrders, requestOf } from '#tests/support/notes.ts';

// Rows of the specification's tables of operations and dates, of its Authentication 7, of platform-facts 8 and 12, and of
// platform-facts-additions, section 8.

const on = stage(
  ['11', '12', '13'].map((id) => ({
    id,
    createdAt: '2026-11-21T09:00:00Z',
    text: 'The harbour bridge collapsed',
    lang: 'en',
    authorId: '7',
    username: 'zoe',
  })),
);
const order = noteOrders(on.service, () => on.now);
const writer = (name: string): As => on.user(name, NOTE_WRITER);
const alice = writer('alice');

const ELIGIBLE = '/2/notes/search/posts_eligible_for_notes';
const WRITTEN = '/2/notes/search/notes_written';
const LINK = 'https://127.0.0.1:1/source';
const INFO = {
  text: `It opened on 3 May 2023: ${LINK}`,
  classification: 'misinformed_or_potentially_misleading',
  misleading_tags: ['factual_error'],
  trustworthy_sources: true,
};
const TOO_MANY = {
  title: 'Too Many Requests',
  type: 'about:blank',
  status: 429,
  detail: 'Too Many Requests',
};
const noteOn = (post_id: string, info: object = {}) => ({
  test_mode: true,
  post_id,
  info: { ...INFO, ...info },
});

describe('Authentication', () => {
  it.each([
    ['neither', {}],
    ['only registration', { ai_developer: true }],
    ['only approval', { note_writer: true }],
  ])('7: notes need registration as an AI developer and approval: %s', async (_, profile) => {
    const other = on.user(`other_${Object.keys(profile).join('').slice(0, 5)}`, profile);
    for (const path of [ELIGIBLE, WRITTEN]) {
      const { status, body } = await other.get(`${path}?test_mode=true`);
      expect([status, body.detail]).toEqual([
        403,
        'User must be an API Note Writer to access this endpoint.',
      ]);
    }
  });

  it('notes take OAuth 1.0a with user context', async () => {
    // The signature of these tests covers paths without parameters.
    const { status } = await on.signer('alice').send('DELETE', '/2/notes/1');
    expect(status).toBe(404);
  });
});

describe('Limits', () => {
  const limitsOf = (name: string) =>
    OPERATIONS.find(({ method, path }) => `${method} ${path}` === name)?.limits;

  it.each([
    `GET ${ELIGIBLE}`,
    `GET ${WRITTEN}`,
    'POST /2/evaluate_note',
    'POST /2/notes',
    'DELETE /2/notes/:id',
  ])('%s: 90 in 15 minutes', (name) => {
    expect(limitsOf(name)?.user).toEqual({ requests: 90, windowSeconds: 900 });
  });

  it('250 notes a day', () => {
    expect(limitsOf('POST /2/notes')?.userDay).toEqual({ requests: 250, windowSeconds: 86_400 });
  });

  it('90 in 15 minutes: the next one is 429, until the window ends', async () => {
    const carol = on.user('carol', NOTE_WRITER, { access: 'enterprise', limited: true });
    const began = Math.floor(on.now / 1000);
    for (let i = 1; i <= 90; i++) {
      const { status, headers } = await carol.get(`${WRITTEN}?test_mode=true`);
      expect([status, headers.get('x-rate-limit-remaining')]).toEqual([200, String(90 - i)]);
    }
    const { status, headers, body } = await carol.get(`${WRITTEN}?test_mode=true`);
    expect(status).toBe(429);
    expect(body).toEqual(TOO_MANY);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(headers.get('x-rate-limit-limit')).toBe('90');
    expect(headers.get('x-rate-limit-remaining')).toBe('0');
    expect(headers.get('x-rate-limit-reset')).toBe(String(began + 900));
    // Another operation has its own window.
    expect((await carol.get(`${ELIGIBLE}?test_mode=true`)).status).toBe(200);
    on.now += 900_000;
    expect((await carol.get(`${WRITTEN}?test_mode=true`)).status).toBe(200);
  });

  it('250 writes a day: the next one is 429, until the day ends', async () => {
    const dave = on.user('dave', NOTE_WRITER, { access: 'enterprise', limited: true });
    const began = Math.floor(on.now / 1000);
    const write = () => dave.send('POST', '/2/notes', noteOn('12'));
    for (let i = 1; i <= 250; i++) {
      if (i % 90 === 0) on.now += 900_000;
      const { status, headers } = await write();
      expect(status).toBe(i === 1 ? 200 : 400);
      expect(headers.get('x-user-limit-24hour-remaining')).toBe(String(250 - i));
    }
    on.now += 900_000;
    const { status, headers, body } = await write();
    expect([status, body]).toEqual([429, TOO_MANY]);
    expect(headers.get('x-user-limit-24hour-limit')).toBe('250');
    expect(headers.get('x-user-limit-24hour-remaining')).toBe('0');
    expect(headers.get('x-user-limit-24hour-reset')).toBe(String(began + 86_400));
    expect((await dave.get(`${WRITTEN}?test_mode=true`)).status).toBe(200);
    on.now = (began + 86_400) * 1000;
    expect((await write()).status).toBe(400);
  });

  it.each([
    [ELIGIBLE, '1', '0'],
    [ELIGIBLE, '100', '101'],
    [WRITTEN, '1', '0'],
    [WRITTEN, '100', '101'],
  ])('%s: max_results may be %s, not %s', async (path, allowed, refused) => {
    const status = async (n: string): Promise<number> =>
      (await alice.get(`${path}?test_mode=true&max_results=${n}`)).status;
    expect([await status(allowed), await status(refused)]).toEqual([200, 400]);
  });
});

describe('Community notes', () => {
  it('2025-09-17: POST /2/evaluate_note answers with a number, as does /2/notes/evaluate', async () => {
    for (const path of ['/2/evaluate_note', '/2/notes/evaluate']) {
      const { status, body } = await alice.send('POST', path, {
        post_id: '11',
        note_text: INFO.text,
      });
      expect([status, body]).toEqual([200, { data: { claim_opinion_score: expect.any(Number) } }]);
    }
  });

  it('2025-07-08: a note is written once for a Post, listed and deleted', async () => {
    const { status, body } = await alice.send('POST', '/2/notes', noteOn('11'));
    expect([status, body]).toEqual([200, { data: { id: expect.stringMatching(/^\d{1,19}$/) } }]);
    const again = await alice.send('POST', '/2/notes', noteOn('11'));
    expect(again.body.message).toBe('User already created a note for this post.');
    const fields = 'id,info,scoring_status,status,test_result';
    const written = await alice.get(`${WRITTEN}?test_mode=true&note.fields=${fields}`);
    expect(written.body.data[0]).toMatchObject({ id: body.data.id, post_id: '11', info: INFO });
    expect(written.body.meta).toEqual({ result_count: 1 });
    const gone = await alice.send('DELETE', `/2/notes/${body.data.id}`);
    expect(gone.body).toEqual({ data: { deleted: true } });
  });

  it('2025-07-08: Posts are eligible for which notes were requested, with their ends in meta', async () => {
    order(requestOf(['11', '12']));
    const { body } = await alice.get(`${ELIGIBLE}?test_mode=true&tweet.fields=author_id`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['12', '11']);
    expect(body.meta).toEqual({ result_count: 2, newest_id: '12', oldest_id: '11' });
  });

  it.each([
    ['no test_mode', { post_id: '12', info: INFO }],
    ['no post_id', { test_mode: true, info: INFO }],
    ['no info', { test_mode: true, post_id: '12' }],
    ['a text without a link', noteOn('12', { text: 'It opened later' })],
    ['a text of 281', noteOn('12', { text: `${LINK} ${'x'.repeat(257)}` })],
    ['no classification', noteOn('12', { classification: undefined })],
    ['another classification', noteOn('12', { classification: 'wrong' })],
    ['no tags', noteOn('12', { misleading_tags: undefined })],
    ['another tag', noteOn('12', { misleading_tags: ['wrong'] })],
    ['no trustworthy_sources', noteOn('12', { trustworthy_sources: undefined })],
  ])('a note with %s is invalid', async (_, body) => {
    const { status, body: answer } = await alice.send('POST', '/2/notes', body);
    expect([status, answer.title]).toEqual([400, 'Invalid Request']);
  });

  it.each([
    'disputed_claim_as_fact',
    'factual_error',
    'manipulated_media',
    'misinterpreted_satire',
    'missing_important_context',
    'other',
    'outdated_information',
  ])('%s is a tag', async (tag) => {
    const name = `w_${tag.slice(0, 12)}`;
    const info = { misleading_tags: [tag] };
    const { status } = await writer(name).send('POST', '/2/notes', noteOn('13', info));
    expect(status).toBe(200);
  });

  it('test notes have three evaluators with a bucket each, other notes none', async () => {
    const bob = writer('bob');
    await bob.send('POST', '/2/notes', noteOn('11'));
    const { body } = await bob.get(`${WRITTEN}?test_mode=true&note.fields=test_result`);
    const { evaluation_outcome: outcome } = body.data[0].test_result;
    expect(outcome.map((one: { evaluator_type: string }) => one.evaluator_type)).toEqual([
      'UrlValidity',
      'HarassmentAbuse',
      'ClaimOpinion',
    ]);
  });

  it('large and xl feeds are not available in test mode, and only after 100 notes', async () => {
    for (const size of ['large', 'xl']) {
      const status = async (test: boolean): Promise<number> =>
        (await alice.get(`${ELIGIBLE}?test_mode=${test}&post_selection=feed_size:${size}`)).status;
      expect([await status(true), await status(false)]).toEqual([400, 403]);
    }
  });
});
