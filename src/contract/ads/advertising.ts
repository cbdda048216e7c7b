import * as v from 'valibot';

/**
 * The advertiser interface: what its operations have in common. Paths are those of version 5, which the specification
 * describes; the service answers the same under the later versions (platform-facts, section 0).
 */

/** Path of the version that the specification describes. */
export const ADVERTISER_BASE = '/5';

/** A path of the advertiser interface, of any version that clients use (platform-facts-additions, section 10). */
const VERSIONED = /^\/(?:[5-9]|1[0-2])(?=\/)/;

/** True if a path belongs to the advertiser interface. */
export function isAdvertiserPath(path: string): boolean {
  return VERSIONED.test(path);
}

/** A path with the version that {@link ADVERTISER_BASE} names, if it belongs to the advertiser interface. */
export function toBaseVersion(path: string): string {
  return path.replace(VERSIONED, ADVERTISER_BASE);
}

/** Beginning of a message about a malformed value (recorded, platform-facts, section 10). */
export function expected(what: string, parameter: string) {
  return ({ input }: { input: unknown }): string => {
    const got = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
    return `Expected ${what}, got "${got}" for ${parameter}`;
  };
}

/** A whole number in a range, in a query or a form. */
export function wholeFrom(parameter: string, least: number, most: number) {
  const message = expected(`a whole number from ${least} to ${most}`, parameter);
  return v.pipe(
    v.string(),
    v.metadata({ type: 'integer', minimum: least, maximum: most }),
    v.regex(/^-?\d{1,15}$/, message),
    v.transform(Number),
    v.check((n) => n >= least && n <= most, message),
  );
}

/** The parameters of a page of a listing. */
export function paged({ max, default: usual }: { readonly max: number; readonly default: number }) {
  return {
    count: v.optional(wholeFrom('count', 1, max), String(usual)),
    cursor: v.optional(v.pipe(v.string(), v.nonEmpty(expected('a cursor', 'cursor')))),
  };
}

/** A value of a list. */
export function oneOf<const T extends readonly string[]>(parameter: string, values: T) {
  return v.picklist(values, expected(`one of ${values.join(', ')}`, parameter));
}

/** The parameters of an operation; others are refused. */
export function parametersOf<T extends v.ObjectEntries>(entries: T) {
  return v.strictObject(entries, (issue) => {
    const name = String(issue.path?.at(-1)?.key);
    return issue.expected === 'never'
      ? `"${name}" is not a parameter of this operation`
      : `"${name}" is a missing parameter`;
  });
}

const request = v.object({ params: v.record(v.string(), v.unknown()) });

/** The answer about one entity. */
export function entityAnswer<T extends v.GenericSchema>(data: T) {
  return v.object({ request, data });
}

/** The answer of a listing. `next_cursor` is null on the last page. */
export function listAnswer<T extends v.GenericSchema>(data: T) {
  return v.object({
    request,
    next_cursor: v.nullable(v.string()),
    total_count: v.optional(v.number()),
    data: v.array(data),
  });
}
