import { toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { Authentication, Endpoint, RateLimit } from '#contract/endpoint.ts';
import { SCOPE_TEXTS } from '#contract/accounts/oauth.ts';
import type { Json } from '#core/import/json.ts';
import { API_VERSION } from '#server/http/headers.ts';
import { demandsOf } from './operation-demands.ts';
import { pascalCase, textOf } from './operation-texts.ts';
import {
  openapiSchema,
  schemaEntries,
  parameterOf,
  allowed,
  SHARED,
  CONVERSION,
} from './openapi-schemas.ts';

const SECURITY: Readonly<Partial<Record<Authentication, string>>> = {
  app: 'BearerToken',
  oauth1: 'UserToken',
  oauth2: 'OAuth2UserToken',
};

function securityOf({ authentication, scopes = [] }: Endpoint): Json[] {
  return authentication.flatMap((kind) => {
    const name = SECURITY[kind];
    return name === undefined ? [] : [{ [name]: kind === 'oauth2' ? scopes : [] }];
  });
}

const PROBLEM = { schema: { $ref: '#/components/schemas/Problem' } };
const FAILURE = {
  description: 'The request has failed.',
  content: { 'application/json': PROBLEM, 'application/problem+json': PROBLEM },
};

function limitOf({ requests, windowSeconds }: RateLimit): Json {
  return { requests, window_seconds: windowSeconds };
}

/** The facts for which the description format has no members. */
function extensionsOf({ limits = {}, access, source }: Endpoint): Json {
  const named = Object.entries(limits).map(([of, limit]) => [of, limitOf(limit)] as const);
  return {
    ...(named.length > 0 && { 'x-rate-limits': Object.fromEntries(named) }),
    ...(access && { 'x-access-levels': access.levels }),
    ...(source !== undefined && { 'x-source': source }),
  };
}

/** The body that an operation takes. */
function requestOf({ body, form }: Endpoint, example: unknown): Json {
  const schema = body ?? form;
  if (!schema) return {};
  const type = body ? 'application/json' : 'application/x-www-form-urlencoded';
  const content = { schema: openapiSchema(schema), ...(example !== undefined && { example }) };
  return { requestBody: { required: true, content: { [type]: content } } };
}

/** The names of an operation, also at another path of it. */
function headOf(endpoint: Endpoint, path: string): Json {
  const { id, summary, note = '' } = textOf(endpoint);
  const isOther = path !== endpoint.path;
  const same = isOther ? `The same as ${endpoint.method} ${templateOf(endpoint.path)}.` : '';
  const description = [same, demandsOf(endpoint), note].filter((text) => text !== '').join(' ');
  // The version is left out: other paths differ in what follows it.
  const place = isOther ? `At${pascalCase(path.replace(/^\/[\d.]+\//, ''))}` : '';
  return { operationId: `${id}${place}`, summary, description };
}

function operationOf(endpoint: Endpoint, path: string): Json {
  const { params, query, response, status = 200, otherStatuses = [] } = endpoint;
  const parameters = [
    ...schemaEntries(params).map(([name, schema]) => parameterOf('path', name, schema)),
    ...schemaEntries(query).map(([name, schema]) => parameterOf('query', name, schema)),
  ];
  const content = response && {
    content: { 'application/json': { schema: openapiSchema(response) } },
  };
  const successes = [status, ...otherStatuses].map((each) => [
    each,
    { description: 'The request has succeeded.', ...(each !== 204 && content) },
  ]);
  const failure = { $ref: '#/components/responses/Problem' };
  return {
    ...headOf(endpoint, path),
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...requestOf(endpoint, textOf(endpoint).body),
    responses: {
      ...Object.fromEntries(successes),
      '4XX': failure,
      '5XX': failure,
    },
    ...extensionsOf(endpoint),
  };
}

/** The path in the form of the description: `/2/users/{id}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function pathsOf(operations: readonly Endpoint[]): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of operations) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      const methods = (paths[templateOf(path)] ??= {});
      methods[endpoint.method.toLowerCase()] = operationOf(endpoint, path);
    }
  }
  return paths;
}

/** The parts of the description of operations that are the same at any address. */
function partsOf(operations: readonly Endpoint[]) {
  return {
    paths: pathsOf(operations),
    schemas: allowed(toJsonSchemaDefs(SHARED, CONVERSION)) as Json,
  };
}

const known = new WeakMap<readonly Endpoint[], ReturnType<typeof partsOf>>();

/**
 * Describes operations (OpenAPI 3.0.3). Only the first description of a list converts its schemas, because that takes
 * half a second.
 *
 * @param operations - A list that does not change.
 * @param origin - Address of this service, such as `http://127.0.0.1:4319`.
 */
export function openapiOf(operations: readonly Endpoint[], origin: string): Json {
  const parts = known.get(operations) ?? partsOf(operations);
  known.set(operations, parts);
  return {
    openapi: '3.0.3',
    info: {
      title: 'Groundswell',
      version: API_VERSION,
      description: 'The interface of the platform, over the Posts of this service.',
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
    },
    servers: [{ url: origin }],
    paths: parts.paths,
    components: {
      schemas: parts.schemas,
      responses: { Problem: FAILURE },
      securitySchemes: {
        BearerToken: { type: 'http', scheme: 'bearer' },
        UserToken: { type: 'http', scheme: 'OAuth' },
        OAuth2UserToken: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${origin}/i/oauth2/authorize`,
              tokenUrl: `${origin}/2/oauth2/token`,
              scopes: SCOPE_TEXTS,
            },
          },
        },
      },
    },
  };
}
