import { expect, test } from 'vitest';
import { accountsIn, EMITTED_TYPES, payloadFault } from '#contract/streams/emitted-events.ts';

const message = {
  type: 'message_create',
  id: '9',
  created_timestamp: '1700000000000',
  message_create: {
    target: { recipient_id: '8' },
    sender_id: '7',
    message_data: { text: 'hello' },
  },
};
const join = {
  type: 'participants_join',
  id: '9',
  created_timestamp: '1700000000000',
  participant_ids: ['5', '6'],
};

test('a payload of the documented form is valid, and names accounts', () => {
  const payload = { direct_message_events: [message, join] };
  expect(payloadFault('dm.sent', payload)).toBe(null);
  expect(accountsIn(payload)).toEqual(['8', '7', '5', '6']);
  expect(accountsIn({ target_id: '9' })).toEqual(['9']);
  expect(payloadFault('spaces.start', { broadcast_id: '1' })).toBe(null);
});

test.each([
  ['dm.sent', {}, 'direct_message_events is missing.'],
  ['dm.sent', { direct_message_events: [] }, 'direct_message_events must have an element, got [].'],
  [
    'dm.received',
    { direct_message_events: [{ ...message, id: 'x' }] },
    'direct_message_events.0.id must have 1 to 19 digits, got "x".',
  ],
  [
    'dm.received',
    { direct_message_events: [{ ...message, participant_ids: ['7'] }] },
    'direct_message_events.0.participant_ids is not a field of this event, got "participant_ids".',
  ],
  ['spaces.end', { broadcast_id: 5 }, 'broadcast_id must be string, got 5.'],
  ['block.block', {}, 'target_id is missing.'],
  ['profile.update.profile_picture', { before: 'a', after: 1 }, 'after must be string, got 1.'],
  ['chat.sent', [], 'The payload must be an object, got a list.'],
] as const)(
  '%s with %j is refused, with the field, its value and the rule',
  (type, payload, fault) => {
    expect(payloadFault(type, payload)).toBe(fault);
  },
);

test('every type that nothing else causes can be emitted, and no other', () => {
  const kinds = new Set(EMITTED_TYPES.map((type) => type.split('.')[0]));
  expect([...kinds].sort()).toEqual(['block', 'broadcast', 'chat', 'dm', 'profile', 'spaces']);
  const ofProfiles = EMITTED_TYPES.filter((type) => type.startsWith('profile.'));
  expect(ofProfiles.map((type) => type.slice('profile.update.'.length)).sort()).toEqual([
    'banner_picture',
    'profile_picture',
  ]);
});
