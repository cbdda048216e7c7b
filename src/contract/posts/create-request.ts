import * as v from 'valibot';
import {
  booleanAt,
  choiceAt,
  idAt,
  listAt,
  objectAt,
  textAt,
  undefinedMember,
} from '#contract/body.ts';
import { ID } from '#contract/members.ts';
import { FORBIDDEN, PollRequest, REPLY_SETTINGS } from './polls.ts';
import { PostMedia } from './post-media.ts';

/** Most accents and other combining marks on one character: normalizing more takes time that grows with their square. */
const MAX_MARKS = 280;

function* longRuns(text: string): Generator<number> {
  for (const { index, 0: run } of text.matchAll(/\p{M}+/gu)) {
    if (run.length > MAX_MARKS) yield index;
  }
}

function tooManyMarks(name: string, text: string): string {
  const [index = 0] = longRuns(text);
  const position = Array.from(text.slice(0, index)).length + 1;
  return `'${name}' must not have more than ${MAX_MARKS} combining marks in a row (at position ${position})`;
}

function forbidden(name: string, text: string): string {
  const at = text.search(FORBIDDEN);
  const point = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const position = Array.from(text.slice(0, at)).length + 1;
  return `'${name}' must not contain the character U+${point} (at position ${position})`;
}

/** A text with only characters that a Post may contain. @param name - For messages. */
export function postText(name: string) {
  return v.pipe(
    v.string(({ received }) => `'${name}' must be a string, got ${received}`),
    v.check(
      (text) => !FORBIDDEN.test(text),
      ({ input }) => forbidden(name, input),
    ),
    v.check(
      (text) => longRuns(text).next().done === true,
      ({ input }) => tooManyMarks(name, input),
    ),
  );
}

const reply = objectAt('reply', {
  in_reply_to_tweet_id: idAt('reply.in_reply_to_tweet_id'),
  exclude_reply_user_ids: v.optional(
    v.pipe(
      listAt('reply.exclude_reply_user_ids'),
      v.metadata({ items: { type: 'string', pattern: ID.source } }),
      // Recorded (platform-facts-additions, section 3).
      v.check(
        (ids) => ids.every((id) => typeof id === 'string' && ID.test(id)),
        'Your exclude reply user IDs are invalid.',
      ),
      v.transform((ids) => ids.map(String)),
    ),
  ),
  auto_populate_reply_metadata: v.optional(booleanAt('reply.auto_populate_reply_metadata')),
});

/** Of these a Post has at most one (platform-facts, section 3). */
export const EXCLUSIVE = [
  'poll',
  'quote_tweet_id',
  'direct_message_deep_link',
  'media',
  'card_uri',
] as const;
/** Recorded (platform-facts-additions, section 3). */
export const ONLY_ONE = `You can only provide one of ${EXCLUSIVE.join(' or ')}.`;

/** The fields that an edit takes over from the Post that it replaces, so that its request must not name them. */
const NOT_EDITED = [
  'reply',
  'quote_tweet_id',
  'poll',
  'community_id',
  'share_with_followers',
  'nullcast',
  'for_super_followers_only',
] as const;

/** The members that do not fit the others. A member that is false is as good as absent. */
function* misfits(
  request: Readonly<Record<string, unknown>>,
): Generator<{ readonly key: string; readonly message: string }> {
  const sent = EXCLUSIVE.filter((name) => request[name] !== undefined);
  if (sent.length > 1) yield* sent.map((key) => ({ key, message: ONLY_ONE }));
  if (request.share_with_followers === true && request.community_id === undefined) {
    const key = 'share_with_followers';
    yield { key, message: `$.${key}: is allowed only with community_id` };
  }
  const { reply_settings: setting } = request;
  const ofPoll = (request.poll as PollRequest | undefined)?.reply_settings;
  if (setting !== undefined && ofPoll !== undefined && setting !== ofPoll) {
    const message = `$.poll.reply_settings: ${ofPoll} differs from reply_settings, which is ${String(setting)}`;
    yield { key: 'poll', message };
  }
  if (request.edit_options === undefined) return;
  for (const key of NOT_EDITED) {
    if (request[key] === undefined || request[key] === false) continue;
    yield { key, message: `$.${key}: is not allowed with edit_options` };
  }
}

/** Body of `POST /2/tweets`. `server/posts/editor/compose.ts` checks the length of the text. */
export const CreateRequest = v.pipe(
  v.strictObject(
    {
      text: v.exactOptional(postText('text')),
      media: v.optional(PostMedia),
      reply: v.optional(reply),
      quote_tweet_id: v.optional(idAt('quote_tweet_id')),
      reply_settings: v.optional(choiceAt('reply_settings', REPLY_SETTINGS)),
      poll: v.optional(PollRequest),
      community_id: v.optional(idAt('community_id')),
      share_with_followers: v.optional(booleanAt('share_with_followers')),
      edit_options: v.optional(
        objectAt('edit_options', { previous_post_id: idAt('edit_options.previous_post_id') }),
      ),
      geo: v.optional(objectAt('geo', { place_id: v.optional(textAt('geo.place_id')) })),
      card_uri: v.optional(textAt('card_uri')),
      direct_message_deep_link: v.optional(textAt('direct_message_deep_link')),
      paid_partnership: v.optional(booleanAt('paid_partnership')),
      made_with_ai: v.optional(booleanAt('made_with_ai')),
      nullcast: v.optional(booleanAt('nullcast')),
      for_super_followers_only: v.optional(booleanAt('for_super_followers_only')),
    },
    ({ path }) => undefinedMember(String(path?.at(-1)?.key)),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    // Also of a request with other faults, so that all are reported at once.
    const request = dataset.value as { readonly text?: unknown; readonly media?: unknown };
    const { text, media: attached } = request;
    if (attached !== undefined) return;
    if (text !== undefined && (typeof text !== 'string' || text.trim() !== '')) return;
    addIssue({
      message:
        text === undefined
          ? "A Post without media must have a 'text'"
          : `'text' must be a non-empty string`,
      path: [{ type: 'object', origin: 'value', input: { ...request }, key: 'text', value: text }],
    });
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const request: Readonly<Record<string, unknown>> = dataset.value;
    for (const { key, message } of misfits(request)) {
      const value = request[key];
      addIssue({
        message,
        path: [{ type: 'object', origin: 'value', input: { ...request }, key, value }],
      });
    }
  }),
);
export type CreateRequest = v.InferOutput<typeof CreateRequest>;
