import * as v from 'valibot';
import { ID } from './parameters.ts';

/** What a text column can not store. */
const UNSTORED = /[\0\p{Surrogate}]/u;

/** An id as a member of a body. */
export function idIn(name: string) {
  return v.pipe(
    v.string(({ received }) => `$.${name}: must be a string, got ${received}`),
    v.regex(ID, ({ input }) => `$.${name}: [${input}] does not match ${ID.source}`),
  );
}

/** A boolean as a member of a body. */
export function booleanIn(name: string) {
  return v.boolean(({ received }) => `$.${name}: must be a boolean, got ${received}`);
}

/** A text as a member of a body, with its length in code points. */
export function textIn(name: string, least: number, most: number) {
  return v.pipe(
    v.string(({ received }) => `$.${name}: must be a string, got ${received}`),
    v.check(
      (text) => {
        const length = Array.from(text).length;
        return length >= least && length <= most;
      },
      ({ input }) =>
        `$.${name}: must have ${least} to ${most} characters, got ${Array.from(input).length}`,
    ),
    v.check((text) => !UNSTORED.test(text), `$.${name}: must not contain NUL or half a character`),
  );
}

/** A body without further members. The message for one is recorded (platform-facts-additions 1.7). */
export function bodyOf<T extends v.ObjectEntries>(members: T) {
  return v.strictObject(members, ({ expected, path }) => {
    const name = String(path?.at(-1)?.key);
    return expected === 'never'
      ? `$.${name}: is not defined in the schema and the schema does not allow additional properties`
      : `$.${name}: is required`;
  });
}
