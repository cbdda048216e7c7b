import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { OPERATIONS } from '#contract/operations.ts';
import { openapiOf } from '#server/api/description/openapi.ts';

type Json = Readonly<Record<string, unknown>>;

/** The platform's shapes; see `tests/vectors/shapes.md`. */
const SHAPES = JSON.parse(
  readFileSync(new URL('../../vectors/shapes.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, Json>>; schemas: Json };

// Compiling the schemas takes longer than checking the answers of tests: each shared one is compiled once, as it is.
const code = { optimize: false };
const ajv = new Ajv({ strict: false, allErrors: true, logger: false, inlineRefs: false, code });
addFormats.default(ajv);
ajv.addSchema({ $id: 'platform', components: { schemas: withRefs(SHAPES.schemas, 'platform') } });

/**
 * This service's own description. Its objects have only the members that it names, unless it says otherwise: to
 * programs it promises no more than those, but a test should notice every other.
 */
const OWN = openapiOf(OPERATIONS, 'http://127.0.0.1') as {
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: Json & { readonly responses: { readonly Problem: Answered } };
};
ajv.addSchema({ $id: 'own', components: withRefs(closed(OWN.components), 'own') });

interface Answered {
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

interface Described {
  readonly responses: Record<string, Answered>;
}

/** Schemas whose references name the document. */
function withRefs(value: unknown, document: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withRefs(each, document));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' ? `${document}${String(member)}` : withRefs(member, document),
    ]),
  );
}

/** Schemas without further members where they do not say that there may be some. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, closed(member)]);
  const isObject = 'type' in value && value.type === 'object';
  return { ...(isObject && { additionalProperties: false }), ...Object.fromEntries(members) };
}

function formsOf<T>(paths: Readonly<Record<string, T>>) {
  const forms = Object.entries(paths).map(([path, methods]) => ({
    form: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    /** Paths with fewer parameters come first, as `/2/users/me` before `/2/users/{id}`. */
    parameters: path.split('{').length,
    methods,
  }));
  return forms.sort((a, b) => a.parameters - b.parameters);
}

const PLATFORM_PATHS = formsOf(SHAPES.paths);
const OWN_PATHS = formsOf(OWN.paths);

const compiled = new Map<unknown, ValidateFunction>();

function validatorOf(schema: unknown, document: 'platform' | 'own'): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const validate = ajv.compile(
    withRefs(document === 'own' ? closed(schema) : schema, document) as Json,
  );
  compiled.set(schema, validate);
  return validate;
}

/** The schema of an answer by the platform's documents; undefined if they have none. */
function platformSchema(method: string, path: string, status: number): unknown {
  const plain = path.replace(/^\/2\/posts(?=\/|$)/, '/2/tweets');
  const found = PLATFORM_PATHS.find(({ form }) => form.test(plain));
  return found?.methods[method.toLowerCase()]?.[status];
}

const NOTHING = { not: {} };

/** The schema of an answer by this service's description; undefined for what is not an operation of it. */
function ownSchema(method: string, path: string, status: number): unknown {
  const operation = OWN_PATHS.find(({ form }) => form.test(path))?.methods[method.toLowerCase()];
  if (!operation) return undefined;
  const { responses } = operation;
  const described =
    responses[status] ?? (status < 400 ? undefined : OWN.components.responses.Problem);
  // No schema describes a success of another status, or an answer in JSON that has none.
  return described?.content?.['application/json']?.schema ?? NOTHING;
}

/** True if the request asks for post names, which the schemas do not have. */
function isInPostNames(url: URL): boolean {
  const names = [...url.searchParams].flat().join(',');
  return /\bpost\.fields\b|_post_|posts?\b|post_count/.test(names);
}

/** True if an answer may be too long to copy, as counts by the minute and by the hour, or has chosen members. */
function isSpecial({ pathname, searchParams }: URL): boolean {
  if (searchParams.has('webhook_config.fields')) return true;
  if (!pathname.includes('/counts/')) return false;
  return searchParams.get('granularity') !== 'day' || searchParams.has('search_count.fields');
}

/** Paths whose answers go on. */
const STREAMS: ReadonlySet<string> = new Set(
  OPERATIONS.filter(({ streams }) => streams).map(({ path }) => path),
);

/** Longest answer that is checked, in characters. */
const MOST = 200_000;

/**
 * Compares an answer of the service with the platform's shape, and with the service's own description.
 *
 * @returns The difference, or null; also where neither describes the answer.
 */
export async function differenceOf(request: Request, answer: Response): Promise<string | null> {
  const url = new URL(request.url);
  const path = url.pathname.replace(/^\/sample(?=\/2\/)/, '');
  const { headers, status } = answer;
  const isJson =
    headers.get('content-type')?.startsWith('application/json') === true &&
    !headers.has('content-encoding');
  if (!isJson || isSpecial(url)) return null;
  const schemas = {
    own: ownSchema(request.method, path, status),
    platform: isInPostNames(url) ? undefined : platformSchema(request.method, path, status),
  };
  if (schemas.own === undefined && schemas.platform === undefined) return null;
  // A stream does not end; tests compare its lines.
  if (STREAMS.has(path)) return null;
  const text = await answer.clone().text();
  if (text === '' || text.length > MOST) return null;
  const json: unknown = JSON.parse(text);
  for (const document of ['own', 'platform'] as const) {
    const schema = schemas[document];
    if (schema === undefined) continue;
    const validate = validatorOf(schema, document);
    if (validate(json)) continue;
    const errors = ajv.errorsText(validate.errors, { separator: '; ' });
    return `${request.method} ${url.pathname} ${status} (${document}): ${errors}`;
  }
  return null;
}
