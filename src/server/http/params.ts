import * as v from 'valibot';
import { invalidParameters, type Fault } from '#contract/fault.ts';

/**
 * 400 that names every member that a schema refuses.
 *
 * @param textOf - A member as sent; undefined if it is missing.
 */
export function wrongMembers(
  issues: readonly v.BaseIssue<unknown>[],
  textOf: (name: string) => string | undefined,
  messageOf = ({ message }: v.BaseIssue<unknown>): string => message,
): Fault {
  return invalidParameters(
    issues.map((issue) => {
      const parameter = String(issue.path?.[0]?.key ?? '');
      const value = textOf(parameter);
      return { parameter, ...(value !== undefined && { value }), message: messageOf(issue) };
    }),
  );
}

/**
 * Reads parameters, such as those in a request's path, by a schema of the contract.
 *
 * @throws {@link Fault} 400 that names every missing or malformed one.
 */
export function readParameterTexts<T>(
  texts: Readonly<Record<string, string>>,
  schema: v.GenericSchema<unknown, T>,
): T {
  const read = v.safeParse(schema, texts);
  if (read.success) return read.output;
  throw wrongMembers(read.issues, (name) => texts[name]);
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
  return { request: readParameterTexts(texts, schema), texts };
}
