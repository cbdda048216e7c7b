import * as v from 'valibot';
import { choiceAt, listAt, objectAt } from '#contract/body.ts';

/** Values of `reply_settings` in a request; in answers there is also `everyone` (platform-facts, section 3). */
export const REPLY_SETTINGS = ['following', 'mentionedUsers', 'subscribers', 'verified'] as const;

/** Bounds of a poll (platform-openapi, TweetCreateRequest). Lengths are in code points. */
const OPTIONS = { min: 2, max: 4, longest: 25 } as const;
const MINUTES = { min: 5, max: 10_080 } as const;

/** Characters that no part of a Post may contain: those listed by twitter-text, NUL, and lone surrogates. */
export const FORBIDDEN = /[\0\ufeff\ufffe\uffff\p{Surrogate}]/u;

/** The fault of an option; null if it has none. */
function faultOf(option: unknown): string | null {
  if (typeof option !== 'string') {
    return `must be a string, got ${option === null ? 'null' : typeof option}`;
  }
  const { length } = Array.from(option);
  if (length < 1 || length > OPTIONS.longest) {
    return `has ${length} characters; expected 1 to ${OPTIONS.longest}`;
  }
  return FORBIDDEN.test(option) ? 'contains a character that no Post may contain' : null;
}

const options = v.pipe(
  listAt('poll.options'),
  v.metadata({ items: { type: 'string', minLength: 1, maxLength: OPTIONS.longest } }),
  v.check(
    ({ length }) => length >= OPTIONS.min && length <= OPTIONS.max,
    ({ input }) =>
      `$.poll.options: the number of options [${input.length}] is not between ${OPTIONS.min} and ${OPTIONS.max}`,
  ),
  v.rawTransform(({ dataset, addIssue, NEVER }): string[] => {
    const at = dataset.value.findIndex((option) => faultOf(option) !== null);
    // Checked above: every option without a fault is a text.
    if (at === -1) return dataset.value as string[];
    addIssue({ message: `$.poll.options[${at}]: ${faultOf(dataset.value[at])}` });
    return NEVER;
  }),
);

/** The poll of a new Post. */
export const PollRequest = objectAt('poll', {
  options,
  duration_minutes: v.pipe(
    v.number(({ received }) => `$.poll.duration_minutes: must be an integer, got ${received}`),
    v.integer(({ received }) => `$.poll.duration_minutes: must be an integer, got ${received}`),
    v.check(
      (minutes) => minutes >= MINUTES.min && minutes <= MINUTES.max,
      ({ input }) =>
        `$.poll.duration_minutes: [${input}] is not between ${MINUTES.min} and ${MINUTES.max}`,
    ),
  ),
  reply_settings: v.optional(choiceAt('poll.reply_settings', REPLY_SETTINGS)),
});
export type PollRequest = v.InferOutput<typeof PollRequest>;
