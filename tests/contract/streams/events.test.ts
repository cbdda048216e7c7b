import { expect, test } from 'vitest';
import {
  EVENT_NAMES,
  EVENT_TYPES,
  eventRule,
  eventType,
  RETIRED_EVENT_NAMES,
} from '#contract/streams/events.ts';

test.each([
  ['profile.update.handle', 'profile.update.screenname'],
  ['profile.update.verified_badge', 'profile.update.verified'],
  ['profile.update.affiliate_badge', 'profile.update.affiliate'],
  ['chat.conversation.join', 'chat.conversation_join'],
])('%s and %s are two names of one type', (other, type) => {
  expect([eventType(other), eventType(type)]).toEqual([type, type]);
});

test('no name has two types, and the retired names are none', () => {
  expect(new Set(EVENT_NAMES).size).toBe(EVENT_NAMES.length);
  expect(EVENT_NAMES.length).toBe(EVENT_TYPES.length + 4);
  for (const [retired, type] of RETIRED_EVENT_NAMES) {
    expect([eventType(retired), eventType(type)]).toEqual([null, type]);
  }
});

test('events of direct messages need a permission of OAuth 1.0a that only apps with messages have', () => {
  expect(eventRule('dm.received')).toMatchObject({
    private: { scope: 'dm.read', permission: 'read-write-dm' },
    filter: 'user-direction',
  });
});
