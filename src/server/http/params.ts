import * as v from 'valibot';
import { invalidParameters, type Fault } from '#contract/fault.ts';

function wrong(
  issues: readonly v.BaseIssue<unknown>[],
  texts: Readonly<Record<string, string>>,
): Fault {
  return invalidParameters(
    issues.map((issue) => {
      const parameter = String(issue.path?.[0]?.key ?? '');
      const value = texts[parameter];
      return { parameter, ...(value === undefined ? {} : { value }), message: issue.message };
    }),
  );
}

/**
 * Reads the parameters in a request's path by a schema of the contract.
 *
 * @throws {@link Fault} 400 that names every malformed parameter.
 */
export function readPath<T>(
  texts: Readonly<Record<string, string>>,
  schema: v.GenericSchema<unknown, T>,
): T {
  const read = v.safeParse(schema, texts);
  if (read.success) return read.output;
  throw wrong(read.issues, texts);
}

/**
 * Reads the parameters of a request by a schema of the contract.
 *
 * @returns The schema's output, and the parameters as sent.
 * @throws {@link Fault} 400 that names every parameter that is unknown, repeated, missing or malformed.
 */
export function readParameters<T>(
  search: URLSearchParams,
  schema: v.GenericSchema<unknown, T>,
): { request: T; texts: Readonly<Record<string, string>> } {
  const texts: Record<string, string> = Object.fromEntries(search);
  const repeated = Object.keys(texts).filter((name) => search.getAll(name).length > 1);
  if (repeated.length > 0) {
    throw invalidParameters(
      repeated.map((name) => ({
        parameter: name,
        value: search.getAll(name).join(','),
        message: `The \`${name}\` query parameter may be given only once`,
      })),
    );
  }
  const read = v.safeParse(schema, texts);
  if (read.success) return { request: read.output, texts };
  throw wrong(read.issues, texts);
}
