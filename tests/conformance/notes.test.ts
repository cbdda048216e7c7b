import { describe, expect, it } from 'vitest';
import { stage, type As } from '#tests/support/conformance.ts';
import { NOTE_WRITER } from '#tests/support/notes.ts';

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
  it('250 writes a day: the next one is 429, until the day ends', { tags: 'long' }, async () => {
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
});
