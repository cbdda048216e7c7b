import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
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

  it(
    'becomes types of openapi-typescript, and is valid for swagger-parser, without a warning',
    { tags: 'long' },
    async () => {
      const { body } = await read('/openapi.json');
      const file = join(service.folder, 'openapi.json');
      const types = join(service.folder, 'openapi.ts');
      writeFileSync(file, JSON.stringify(body));
      const node = (...args: string[]): string => {
        const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
        expect(status, stdout + stderr).toBe(0);
        return stdout + stderr;
      };
      const said = node('node_modules/openapi-typescript/bin/cli.js', file, '--output', types);
      expect(said).not.toMatch(/warn|error|⚠|✖/i);
      expect(
        node(
          'node_modules/@typescript/native/bin/tsc',
          '--ignoreConfig',
          '--noEmit',
          '--strict',
          types,
        ),
      ).toBe('');
      const program = `import reader from '@apidevtools/swagger-parser'; await reader.validate(process.argv[1]);`;
      expect(node('--input-type=module', '--eval', program, file)).toBe('');
    },
  );

  it('has each operation once, with an id of its own, a summary and a description', async () => {
    const described = operationsOf(await read('/openapi.json'));
    const ids = described.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(OPERATIONS.flatMap(pathsOf).length);
    const odd = described.filter(
      ({ operationId, summary, description }) =>
        !/^[a-z][A-Za-z0-9]*$/.test(operationId) ||
        !/^[A-Z][^:{}]{5,79}[^.]$/.test(summary) ||
        !/^[A-Z].*\.$/.test(description),
    );
    expect(odd.map(({ operationId }) => operationId)).toEqual([]);
    const about = (id: string) => described.find(({ operationId }) => operationId === id);
    expect(about('likePost')?.description).toBe(
      'Takes a signature of OAuth 1.0a or a token of OAuth 2.0 with the scopes like.write, tweet.read, and users.read. Needs enterprise access. At most 50 requests per user in 15 minutes; 1,000 requests per user in 24 hours. A request costs $0.015.',
    );
    expect(about('getUsersMentions')?.description).toMatch(
      / Costs \$0\.005 for each Post of the answer, \$0\.001 if the owner of the app reads its own account\.$/,
    );
    expect(about('createPostsAtPosts')?.description).toMatch(
      /^The same as POST \/2\/tweets\. .* A Post with a link costs \$0\.2, /,
    );
    const summaries = ['createTargetingCriterion', 'getMediaLibraryEntry', 'batchLineItems'].map(
      (id) => about(id)?.summary,
    );
    expect(summaries).toEqual([
      'Creates a targeting criterion of an ad account',
      'Shows a media library entry of an ad account',
      'Creates, changes and deletes line items of an ad account in a batch',
    ]);
  });

  it('has nothing that a generator of clients cannot read: open lists, and schemas that are not there', async () => {
    const { body } = await read('/openapi.json');
    const odd: string[] = [];
    const visit = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, items, $ref } = value as Readonly<Record<string, unknown>>;
      if (type === 'array' && Object.keys(items ?? {}).length === 0) odd.push(`${at}: items`);
      if (typeof $ref === 'string' && !isThere(body, $ref)) odd.push(`${at}: ${$ref}`);
      for (const [name, member] of Object.entries(value)) visit(member, `${at}/${name}`);
    };
    visit(body, '');
    expect(odd).toEqual([]);
  });

  it('has an example of every body and of every parameter that must be given, which the operation accepts', async () => {
    const described = operationsOf(await read('/openapi.json'));
    const faults = OPERATIONS.flatMap((operation) => {
      const { operationId: id } = described.find(
        ({ method, path }) => method === operation.method && path === templateOf(operation.path),
      ) as Described;
      const { parameters = [], requestBody } = described.find(
        ({ operationId }) => operationId === id,
      ) as Described;
      const wrong = parameters.flatMap(({ name, in: place, required, schema, example }) => {
        const known = schema.enum !== undefined || schema.default !== undefined;
        if (example === undefined) return required && !known ? [`${id} ${name}`] : [];
        const group = place === 'path' ? operation.params : operation.query;
        const { entries } = group as unknown as { entries: Record<string, v.GenericSchema> };
        const text = String(example);
        const read = v.safeParse(entries[name] as v.GenericSchema, text);
        return read.success ? [] : [`${id} ${name}: ${read.issues[0].message}`];
      });
      const schema = operation.body ?? operation.form;
      if (!schema) return wrong;
      const [content] = Object.values(requestBody?.content ?? {});
      const read = v.safeParse(schema, content?.example);
      return read.success ? wrong : [...wrong, `${id} body: ${read.issues[0].message}`];
    });
    expect(faults).toEqual([]);
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
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly required: boolean;
    readonly example?: unknown;
    readonly schema: { readonly enum?: unknown; readonly default?: unknown };
  }[];
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> };
}

function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** The operations of a description, with method and path. */
function operationsOf({ body }: { readonly body: Record<string, unknown> }): Described[] {
  const paths = body['paths'] as Record<string, Record<string, Described>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** True if a reference within a document leads to something. */
function isThere(document: unknown, ref: string): boolean {
  const found = ref
    .split('/')
    .slice(1)
    .reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
  return found !== undefined;
}

function pathsOf({ path, aliases = [] }: { path: string; aliases?: readonly string[] }): string[] {
  return [path, ...aliases];
}

it('lists exactly the operations that the service serves', () => {
  const served = service.app.routes
    .filter(
      ({ method, path }) => method !== 'ALL' && /^\/(?:2|5|oauth|oauth2|i|1\.1)\/(?!\*)/.test(path),
    )
    .map(({ method, path }) => `${method} ${path}`);
  const listed = OPERATIONS.flatMap((endpoint) =>
    pathsOf(endpoint).map((path) => `${endpoint.method} ${path}`),
  );
  const aside = new Set(['GET /openapi.json']);
  expect(new Set(served)).toEqual(new Set(listed.filter((text) => !aside.has(text))));
});
