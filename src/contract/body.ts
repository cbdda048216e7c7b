import * as v from 'valibot';
import { UNSTORED } from '#core/text/unstored.ts';
import { ID } from './members.ts';

/** The message for an unknown member of a body (recorded, platform-facts-additions 1.7). */
export function undefinedMember(name: string): string {
  return `$.${name}: is not defined in the schema and the schema does not allow additional properties`;
}

/** An id in a body, by the path of its member. */
export function idAt(path: string) {
  return v.pipe(
    v.string(({ received }) => `$.${path}: must be a string, got ${received}`),
    v.regex(ID, ({ input }) => `$.${path}: [${input}] does not match ${ID.source}`),
  );
}

export function booleanAt(path: string) {
  return v.boolean(({ received }) => `$.${path}: must be a boolean, got ${received}`);
}

/** A text in a body that is not empty. */
export function textAt(path: string) {
  return v.pipe(
    v.string(({ received }) => `$.${path}: must be a string, got ${received}`),
    v.nonEmpty(`$.${path}: must not be empty`),
  );
}

/** One of several texts in a body. */
export function choiceAt<const T extends readonly string[]>(path: string, choices: T) {
  return v.picklist(
    choices,
    ({ received }) => `$.${path}: ${received} is not one of [${choices.join(',')}]`,
  );
}

/** A list in a body, of any values: check its length before its elements, which may be many. */
export function listAt(path: string) {
  return v.array(v.unknown(), ({ received }) => `$.${path}: must be an array, got ${received}`);
}

/** An object in a body that has no other members. */
export function objectAt<T extends v.ObjectEntries>(path: string, entries: T) {
  return v.strictObject(entries, ({ expected, path: at, received }) => {
    const name = at?.at(-1)?.key;
    if (name === undefined) return `$.${path}: must be an object, got ${received}`;
    const member = `${path}.${String(name)}`;
    return expected === 'never' ? undefinedMember(member) : `$.${member}: is required`;
  });
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
    return expected === 'never' ? undefinedMember(name) : `$.${name}: is required`;
  });
}
