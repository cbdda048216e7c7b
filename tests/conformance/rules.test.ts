import { describe, expect, it } from 'vitest';
import { stage } from '#tests/support/conformance.ts';

// Rows of platform-facts, section 5, and its additions about the rules of the filtered stream.

const on = stage([]);
const RULES = '/2/tweets/search/stream/rules';
const add = (app: ReturnType<typeof on.app>, ...values: readonly string[]) =>
  app.send('POST', RULES, { add: values.map((value) => ({ value })) });

describe('Rules of the filtered stream', () => {
  it.each([
    ['self-service', 1000, 1024],
    ['pay-per-use', 1000, 1024],
    ['enterprise', 25_000, 2048],
  ] as const)('%s has %i rules of %i characters', async (access, rules, characters) => {
    const app = on.app({ access });
    const { body } = await app.get(`${RULES}/counts`);
    expect(body.data).toMatchObject({ cap_per_client_app: rules, cap_per_project: rules });
    const long = 'a'.repeat(characters);
    const { meta } = (await add(app, long, `${long}a`)).body;
    expect(meta.summary).toMatchObject({ created: 1, invalid: 1 });
  });

  it('a setting of the app raises the rules of enterprise, and only those', async () => {
    for (const [access, rules] of [
      ['enterprise', 40_000],
      ['pay-per-use', 1000],
    ] as const) {
      const app = on.app({ access, stream_rules: 40_000 });
      const { body } = await app.get(`${RULES}/counts`);
      expect(body.data.cap_per_client_app).toBe(rules);
    }
  });

  it.each([
    '"social media"~5',
    'cat sample:15',
    'followers_count:1000..10000',
    'tweets_count:1000..10000',
    'following_count:1000..10000',
    'listed_count:10..100',
    'min_followers:1000',
    'bio:developer',
    'bio_name:phd',
    'bio_location:"big apple"',
    'url_title:snow',
    'url_description:weather',
    'url_contains:photos',
    'from_affiliate_of:XDevelopers',
    'to_affiliate_of:XDevelopers',
    'context:47.*',
  ])('%s is a rule, but no query', async (value) => {
    const app = on.app();
    expect((await add(app, value)).body.errors).toBeUndefined();
    const query = encodeURIComponent(value);
    expect((await app.get(`/2/tweets/search/recent?query=${query}`)).status).toBe(400);
  });

  it.each(['embedding:"climate"', 'cat embedding_threshold:0.4', 'source:"X for iPhone"'])(
    '%s is refused',
    async (value) => {
      const { body } = await add(on.app(), value);
      expect(body.errors[0].details[0]).toMatch(/^Reference to invalid operator '\w+'\. Operator/);
    },
  );
});
