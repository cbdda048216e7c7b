import * as v from 'valibot';
import { parseInstant } from './instant.ts';
import { ID } from './members.ts';

/** Beginning of a message about a parameter and its value (recorded, platform-facts 1.7). */
export function about(parameter: string, value: unknown): string {
  return `The \`${parameter}\` query parameter value [${String(value)}]`;
}

/** The parameter of a path. */
export function pathOf<T extends string>(name: T, form: RegExp = ID) {
  const value = v.pipe(
    v.string(),
    v.regex(form, ({ input }) => `${about(name, input)} does not match ${form.source}`),
  );
  return v.object({ [name]: value } as Record<T, typeof value>);
}

/** The names of the parameters of a path, such as `id` of `/2/users/:id/likes`. */
export type PathNames<P extends string> = P extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | PathNames<`/${More}`>
    : Rest
  : never;

/** The parameters of a path, all ids; null if it has none. */
export function idsIn<P extends string>(path: P) {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name as PathNames<P>);
  type Ids = ReturnType<typeof pathOf<PathNames<P>>>['entries'];
  const entries = Object.fromEntries(names.map((name) => [name, pathOf(name).entries[name]]));
  return names.length === 0 ? null : v.object(entries as Ids);
}

/** An optional Post id, read as bigint. */
export function id(parameter: string) {
  const message = (issue: { input: unknown }): string =>
    `${about(parameter, issue.input)} does not match ${ID.source}`;
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(ID, message),
      v.transform((text) => BigInt(text)),
    ),
  );
}

/** The boolean that a text names in any case, since Python clients send `True`; null for any other text. */
export function readFlag(text: string): boolean | null {
  const word = text.toLowerCase();
  return word === 'true' || (word === 'false' ? false : null);
}

/** A parameter that is `true` or `false`, in any case. */
export function flag(
  parameter: string,
  message = ({ input }: { input: string }): string =>
    `${about(parameter, input)} is not one of [true,false]`,
) {
  return v.pipe(
    v.string(),
    v.metadata({ type: 'boolean' }),
    v.check((text) => readFlag(text) !== null, message),
    v.transform((text) => readFlag(text) === true),
  );
}

/** A parameter that is one of several words. */
export function choiceIn<const T extends readonly string[]>(parameter: string, choices: T) {
  return v.picklist(
    choices,
    ({ input }) => `${about(parameter, input)} is not one of [${choices.join(',')}]`,
  );
}

/** The values of a list, which commas separate, with or without blanks. */
export function splitList(text: string): string[] {
  return text.split(',').map((value) => value.trim());
}

/** Most values of a list of ids or usernames (platform-openapi, getPostsByIds). */
const MOST_VALUES = 100;

/** Up to 100 values of a form, separated by commas. Messages as recorded (platform-facts 1.7). */
export function values(parameter: string, form: RegExp = ID) {
  return v.pipe(
    v.string(),
    v.transform(splitList),
    v.check(
      (list) => list.length <= MOST_VALUES,
      ({ input }) =>
        `The number of values in the \`${parameter}\` query parameter list [${input.length}] is not between 1 and ${MOST_VALUES}`,
    ),
    v.rawCheck(({ dataset, addIssue }) => {
      const odd = dataset.typed ? dataset.value.find((value) => !form.test(value)) : undefined;
      if (odd === undefined) return;
      addIssue({ message: `${about(parameter, odd)} does not match ${form.source}` });
    }),
  );
}

/** An optional instant, read as epoch ms at a whole second. */
export function instant(parameter: string) {
  return v.optional(
    v.pipe(
      v.string(),
      v.metadata({ format: 'date-time' }),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const read = parseInstant(dataset.value);
        if (read !== null) return read;
        addIssue({
          message: `${about(parameter, dataset.value)} is not a valid RFC 3339 date-time such as 2024-01-31T08:30:00Z`,
        });
        return NEVER;
      }),
    ),
  );
}

/** An optional page token. */
export function token(parameter: string) {
  return v.optional(
    v.pipe(
      v.string(),
      v.nonEmpty((issue) => `${about(parameter, issue.input)} is not a valid token`),
    ),
  );
}

/** A whole number in a range. Messages as recorded (platform-facts 1.7). */
export function wholeBetween(parameter: string, least: number, most: number) {
  return v.pipe(
    v.string(),
    v.metadata({ type: 'integer', minimum: least, maximum: most }),
    v.regex(/^-?\d{1,9}$/, (issue) => `${about(parameter, issue.input)} is not a valid Int`),
    v.transform(Number),
    v.check(
      (n) => n >= least && n <= most,
      (issue) => `${about(parameter, issue.input)} is not between ${least} and ${most}`,
    ),
  );
}

export const QUERY = v.pipe(
  v.string(),
  v.check((query) => query.trim() !== '', `Invalid 'query':''. 'query' must be a non-empty string`),
);

/** The message for a missing parameter (recorded, platform-facts 1.7). */
export function missingParameter(name: string): string {
  return `The \`${name}\` query parameter can not be empty`;
}

/**
 * The schema of a query that has some parameters and no others. The message for an unknown one is recorded (platform-facts
 * 1.7).
 *
 * @param missing - The message for a missing parameter.
 * @__NO_SIDE_EFFECTS__
 */
export function onlyParameters<const T extends v.ObjectEntries>(
  parameters: T,
  missing: (name: string) => string = missingParameter,
) {
  return v.strictObject(parameters, ({ expected, path }) => {
    const name = String(path?.at(-1)?.key);
    return expected === 'never'
      ? `The query parameter [${name}] is not one of [${Object.keys(parameters).join(',')}]`
      : missing(name);
  });
}

/** The parameters of an endpoint that has none. */
export const NO_PARAMETERS = onlyParameters({});
