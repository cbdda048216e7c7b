import { expect, it } from 'vitest';
import { addedText } from '#app/settings/calendars/add-calendar.ts';
import { readCalendar } from '#server/calendars/items.ts';
import { ics } from '#tests/server/calendars/calendar-texts.ts';

const FAIR = ['DTSTART:20260328T090000Z', 'SUMMARY:Fair'];
const LOCAL = ['DTSTART:20260328T090000', 'SUMMARY:Fair'];
const NEVER = ['DTSTART:20260231T090000Z', 'SUMMARY:Fair'];
const BROKEN = Array.from({ length: 30 }, (_, i) => [
  'DTSTART:20260328T090000Z',
  `RRULE:FREQ=NEVER${i}`,
]);

it.each<readonly [string, readonly (readonly string[])[], string]>([
  ['none', [FAIR], '“Plan” was added, with 1 event.'],
  ['none, but with a note', [LOCAL], '“Plan” was added, with 1 event.'],
  ['one', [FAIR, NEVER], '“Plan” was added, with 1 event. 1 event was left out'],
  [
    'some',
    [NEVER, NEVER, BROKEN[0] ?? []],
    '“Plan” was added, with 0 events. 3 events were left out',
  ],
  [
    'more than have notes',
    BROKEN,
    '“Plan” was added, with 0 events. At least 20 events were left out',
  ],
])('says how many events were left out: %s', (_, events, said) => {
  const { items, notes } = readCalendar(ics(...events), 'UTC');
  const text = addedText({ name: 'Plan', events: items.length, notes: [...notes] });
  expect(text.split(': Settings › Sources › Calendars says why.')[0]).toBe(said);
});
