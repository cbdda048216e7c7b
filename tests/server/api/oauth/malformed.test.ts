import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { OAUTH } from '#contract/accounts/oauth.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { runs } from '#tests/support/run/runs.ts';
import { startService } from '#tests/support/service/service.ts';
import { addApp, basic, consentPath, signed } from '#tests/support/service/signing-in.ts';

const service = startService();
afterAll(() => service.close());
const app = addApp(service, 'Writer', { callbacks: ['http://127.0.0.1:9/back'] });

const paths = [...new Set(Object.values(OAUTH).map(({ path }) => path)), '/2/users/me'];
const NAMES =
  'grant_type code refresh_token redirect_uri code_verifier client_id client_secret token access_token oauth_callback oauth_token oauth_verifier account decision proof scope state __proto__ constructor';
const names = fc.constantFrom('', ...NAMES.split(' '));
const values = fc.oneof(
  unicodeText({ maxLength: 40 }),
  fc.constantFrom('authorization_code', 'refresh_token', 'client_credentials', 'oob', 'allow', '%'),
);
const pairs = fc.array(fc.tuple(names, values), { maxLength: 6 });
/** Characters that a header may have. */
const latin = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((n) => String.fromCharCode(n)),
});
const authorizations = fc.oneof(
  fc.constant(''),
  latin.map((text) => `OAuth ${text}`),
  latin.map((text) => `Basic ${text}`),
  latin.map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
  fc
    .array(fc.tuple(names, latin))
    .map((members) => `OAuth ${members.map(([name, value]) => `${name}="${value}"`).join(',')}`),
  fc.constant('the right Basic'),
  fc.constant('a right signature'),
);
const types = fc.constantFrom(
  'application/x-www-form-urlencoded',
  'application/json',
  'multipart/form-data',
  '',
);
const bodies = fc.oneof(
  pairs.map((all) => new URLSearchParams(all).toString()),
  fc.json(),
  unicodeText({ maxLength: 100 }),
);

it('no malformed request to sign in is an error of the service', async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.constantFrom('GET', 'POST'),
      authorizations,
      pairs,
      types,
      bodies,
      async (path, method, who, query, type, body) => {
        const address = `${path}?${new URLSearchParams(query).toString()}`;
        const authorization =
          who === 'the right Basic'
            ? basic(app.client_id, app.client_secret ?? '')
            : who === 'a right signature'
              ? signed(`https://api.x.com${path}`, app, { method })
              : who;
        const headers = { authorization, 'content-type': type };
        const init = method === 'POST' ? { method, headers, body } : { headers };
        const { status } = await service.request(address, init);
        seen.add(status);
        expect(status).toBeLessThan(500);
      },
    ),
    { numRuns: runs(2000) },
  );
  expect(seen.size).toBeGreaterThan(3);
  expect(service.log).toEqual([]);
});

it('no member of the address of consent is an error of the service', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('scope', 'state', 'code_challenge', 'response_type'), values),
      async (over) => {
        const answer = await service.request(consentPath(app, over));
        expect(answer.status).toBeLessThan(500);
        expect(await answer.text()).not.toContain('<script');
      },
    ),
    { numRuns: runs(300) },
  );
  expect(service.log).toEqual([]);
});
