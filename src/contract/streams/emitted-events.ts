import * as v from 'valibot';
import { Username } from '#contract/accounts/accounts.ts';
import { EVENT_TYPES, type EventType } from './events.ts';

const id = v.pipe(v.string(), v.regex(/^\d{1,19}$/, 'must have 1 to 19 digits'));
const instant = v.pipe(v.string(), v.regex(/^\d{13}$/, 'must be epoch milliseconds, 13 digits'));
const text = (most: number) =>
  v.pipe(
    v.string(),
    v.minLength(1, 'must not be empty'),
    v.maxLength(most, `must have at most ${most} characters`),
  );
const target = v.strictObject({ recipient_id: id });
const list = <S extends v.GenericSchema>(item: S) =>
  v.pipe(
    v.array(item),
    v.minLength(1, 'must have an element'),
    v.maxLength(100, 'must have at most 100 elements'),
  );
const participants = list(id);

/** Direct messages in the form of version 1.1; `participant_ids` is only in join and leave events (specification, Versioning). */
const messages = v.strictObject({
  direct_message_events: list(
    v.variant('type', [
      v.strictObject({
        type: v.literal('message_create'),
        id,
        created_timestamp: instant,
        message_create: v.strictObject({
          target,
          sender_id: id,
          message_data: v.strictObject({ text: text(10_000) }),
        }),
      }),
      v.strictObject({
        type: v.picklist(['participants_join', 'participants_leave']),
        id,
        created_timestamp: instant,
        participant_ids: participants,
      }),
    ]),
  ),
});
const mark = { created_timestamp: instant, sender_id: id, target };
const reads = v.strictObject({
  direct_message_mark_read_events: list(v.strictObject({ ...mark, last_read_event_id: id })),
});
const typings = v.strictObject({
  direct_message_indicate_typing_events: list(v.strictObject(mark)),
});
const conversation = { conversation_id: text(100), encoded_event: v.exactOptional(text(65_536)) };
const chat = v.strictObject({ ...conversation, encoded_event: text(65_536) });
const chatJoin = v.strictObject({
  ...conversation,
  participant_ids: v.exactOptional(participants),
});
const chatChange = v.strictObject(conversation);
const broadcast = v.strictObject({ broadcast_id: text(100) });
const broadcastChat = v.strictObject({ broadcast_id: text(100), text: text(10_000) });

/** The texts that the documents show of a changed profile, of which one may be empty. */
const shown = v.pipe(v.string(), v.maxLength(1000, 'must have at most 1000 characters'));
const profileChange = v.strictObject({ before: shown, after: shown });
const block = v.strictObject({ target_id: id });

/**
 * The payload of an event that no operation causes, by its type, without the accounts, which deliveries
 * add. Sources: platform-facts, section 6.3; platform-facts-additions, section 6.
 */
const PAYLOADS = {
  'profile.update.profile_picture': profileChange,
  'profile.update.banner_picture': profileChange,
  'block.block': block,
  'block.unblock': block,
  'dm.sent': messages,
  'dm.received': messages,
  'dm.read': reads,
  'dm.indicate_typing': typings,
  'chat.sent': chat,
  'chat.received': chat,
  'chat.conversation_join': chatJoin,
  'chat.conversation.member_added': chatChange,
  'chat.conversation.member_removed': chatChange,
  'chat.conversation.admin_added': chatChange,
  'chat.conversation.admin_removed': chatChange,
  'chat.update.group_name': chatChange,
  'chat.update.restrictions': chatChange,
  'spaces.start': broadcast,
  'spaces.end': broadcast,
  'broadcast.start': broadcast,
  'broadcast.end': broadcast,
  'broadcast.chat': broadcastChat,
} as const satisfies Partial<Record<EventType, v.GenericSchema>>;

/** A type of event that only an order to emit it causes. */
export type EmittedType = keyof typeof PAYLOADS;
export const EMITTED_TYPES = EVENT_TYPES.filter((type): type is EmittedType => type in PAYLOADS);

export const EmitOrder = v.strictObject({
  event: v.picklist(EMITTED_TYPES),
  /** The account that the event happens to. */
  username: Username,
  payload: v.record(v.string(), v.unknown()),
});
export type EmitOrder = v.InferOutput<typeof EmitOrder>;

/** The first rule that a payload breaks, with the field and its value; null if it breaks none. */
export function payloadFault(type: EmittedType, payload: unknown): string | null {
  if (Array.isArray(payload)) return 'The payload must be an object, got a list.';
  const read = v.safeParse(PAYLOADS[type], payload, { abortEarly: true });
  if (read.success) return null;
  const [issue] = read.issues;
  const path = v.getDotPath(issue) ?? 'The payload';
  if (issue.input === undefined) return `${path} is missing.`;
  const value = JSON.stringify(issue.input).slice(0, 100);
  const isOwnRule = issue.message.startsWith('must ');
  const rule = isOwnRule
    ? issue.message
    : issue.expected === 'never'
      ? 'is not a field of this event'
      : `must be ${issue.expected ?? 'of another form'}`;
  return `${path} ${rule}, got ${value}.`;
}

/** The ids of accounts that a payload names. */
export function accountsIn(payload: unknown): string[] {
  if (Array.isArray(payload)) return payload.flatMap(accountsIn);
  if (typeof payload !== 'object' || payload === null) return [];
  return Object.entries(payload).flatMap(([name, value]: [string, unknown]) => {
    if (['sender_id', 'recipient_id', 'target_id'].includes(name)) return [String(value)];
    if (name === 'participant_ids' && Array.isArray(value)) return value.map(String);
    return accountsIn(value);
  });
}
