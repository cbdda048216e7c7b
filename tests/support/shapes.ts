import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

type Json = Readonly<Record<string, unknown>>;

/** The platform's shapes; see `tests/vectors/shapes.md`. */
const SHAPES = JSON.parse(
  readFileSync(new URL('../vectors/shapes.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, Json>>; schemas: Json };

const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'platform', components: { schemas: withRefs(SHAPES.schemas) } });

/** Schemas whose references name the document. */
function withRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRefs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' ? `platform${String(member)}` : withRefs(member),
    ]),
  );
}

const PATHS = Object.entries(SHAPES.paths).map(([path, methods]) => ({
  form: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  /** Paths with fewer parameters come first, as `/2/users/me` before `/2/users/{id}`. */
  parameters: path.split('{').length,
  methods,
}));
PATHS.sort((a, b) => a.parameters - b.parameters);

const compiled = new Map<unknown, ValidateFunction>();

function validatorOf(schema: unknown): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const validate = ajv.compile(withRefs(schema) as Json);
  compiled.set(schema, validate);
  return validate;
}

/** The schema of an answer; undefined if the platform's documents have none. */
function schemaOf(method: string, path: string, status: number): unknown {
  const plain = path.replace(/^\/sample(?=\/2\/)/, '').replace(/^\/2\/posts(?=\/|$)/, '/2/tweets');
  return PATHS.find(({ form }) => form.test(plain))?.methods[method.toLowerCase()]?.[status];
}

/** Whether the request asks for post names, which the schemas do not have. */
function isInPostNames(url: URL): boolean {
  const names = [...url.searchParams].flat().join(',');
  return /\bpost\.fields\b|_post_|posts?\b|post_count/.test(names);
}

/** Whether an answer may be too long to copy, as counts by the minute and by the hour, or has chosen members. */
function isSpecial({ pathname, searchParams }: URL): boolean {
  if (searchParams.has('webhook_config.fields')) return true;
  if (!pathname.includes('/counts/')) return false;
  return searchParams.get('granularity') !== 'day' || searchParams.has('search_count.fields');
}

/** Longest answer that is checked, in characters. */
const MOST = 200_000;

/**
 * Compares an answer of the service with the platform's shape.
 *
 * @returns What differs, or null; also where the documents do not describe the answer.
 */
export async function differenceOf(request: Request, answer: Response): Promise<string | null> {
  const url = new URL(request.url);
  const schema = schemaOf(request.method, url.pathname, answer.status);
  const { headers } = answer;
  const isJson =
    headers.get('content-type')?.startsWith('application/json') === true &&
    !headers.has('content-encoding');
  if (schema === undefined || !isJson || isInPostNames(url) || isSpecial(url)) {
    return null;
  }
  const text = await answer.clone().text();
  if (text === '' || text.length > MOST) return null;
  const validate = validatorOf(schema);
  if (validate(JSON.parse(text))) return null;
  const errors = ajv.errorsText(validate.errors, { separator: '; ' });
  return `${request.method} ${url.pathname} ${answer.status}: ${errors}`;
}
