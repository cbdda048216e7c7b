import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { MOST_CALENDAR_BYTES } from '#contract/accounts/calendars.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { PUBLIC_ONLY } from '#server/fetcher/target.ts';
import { ics } from '#tests/server/calendars/calendar-texts.ts';
import { callerOf } from '#tests/support/service/callers.ts';
import { localHost } from '#tests/support/service/local-host.ts';
import {
  startService,
  type ServiceOptions,
  type TestService,
} from '#tests/support/service/service.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const LAUNCH = ics([
  'UID:a',
  'SUMMARY:Launch',
  'DTSTART:20260601T090000Z',
  'RRULE:FREQ=WEEKLY;COUNT=2',
]);
const MOVED = ics(['UID:a', 'SUMMARY:Launch', 'DTSTART:20260605T090000Z']);

let answer: (response: ServerResponse) => void = (response) => void response.end(LAUNCH);
const ADDRESS = `${await localHost((_, response) => answer(response))}/secret.ics`;

const opened: TestService[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((service) => service.close()));
});

/** A service whose clock the test sets, and its calls in JSON. */
function start(options: ServiceOptions = {}) {
  const clock = { at: NOON };
  const service = startService({ now: () => clock.at, ...options });
  opened.push(service);
  const { get, post, send } = callerOf(service);
  const events = async (zone = 'UTC', start = '2026-06-01T00:00:00Z') => {
    const query = { start_time: start, end_time: '2026-07-01T00:00:00Z', zone };
    return (await get(`/calendars/events?${new URLSearchParams(query)}`)).body;
  };
  const starts = async (): Promise<string[]> =>
    (await events()).events.map((event: { start: string }) => event.start.slice(0, 10));
  const list = async () => (await get('/calendars')).body.calendars;
  return { service, clock, get, post, send, events, starts, list };
}

describe('/calendars/holidays', () => {
  it('adds those of a country once, with its next years from day to day', async () => {
    const { service, list, clock, events, get, post } = start();
    const { countries } = (await get('/calendars/holidays')).body;
    expect(countries).toContainEqual(expect.objectContaining({ code: 'FR', name: 'France' }));
    const place = { country: 'DE', region: 'BE' };
    const added = await post('/calendars/holidays', place);
    expect(added).toMatchObject({
      status: 200,
      body: { calendar: { name: 'Public holidays in Germany, Berlin', host: null, notes: [] } },
    });
    expect(await post('/calendars/holidays', place)).toMatchObject({
      status: 422,
      body: { detail: 'This calendar is there already.' },
    });
    expect(await post('/calendars/holidays', { ...place, region: 'X' })).toMatchObject({
      status: 422,
      body: { detail: 'Germany has no region “X”.' },
    });
    const berlin = await events('Europe/Berlin', '2026-05-01T00:00:00Z');
    expect(berlin.lacks).toEqual([]);
    expect(berlin.events).toContainEqual(
      expect.objectContaining({
        title: 'Whit Monday',
        start: '2026-05-24T22:00:00.000Z',
        end: '2026-05-25T22:00:00.000Z',
        calendar: 'Public holidays in Germany, Berlin',
      }),
    );
    const before = (await list())[0].events;
    clock.at += 366 * DAY_MS;
    await service.tick();
    expect((await list())[0].events).toBeGreaterThan(before);
  });
});

describe('/calendars', () => {
  it('takes a file, and gives its events of a time in the zone of the board', async () => {
    const { events, list, post } = start();
    const text = ics(
      ['UID:day', 'SUMMARY:Fair', 'LOCATION:Hall 3', 'DTSTART;VALUE=DATE:20260610'],
      ['UID:old', 'SUMMARY:Past', 'DTSTART:20200610T090000Z'],
    );
    const { body } = await post('/calendars/file', { name: 'Fairs.ics', text });
    expect(body.calendar).toEqual({
      id: '1',
      name: 'Fairs',
      host: null,
      events: 2,
      read_at: '2026-06-01T12:00:00.000Z',
      fault: null,
      notes: [],
    });
    expect(await list()).toEqual([body.calendar]);
    expect(await events('Europe/Berlin')).toEqual({
      events: [
        {
          id: '1 day',
          start: '2026-06-09T22:00:00.000Z',
          end: '2026-06-10T22:00:00.000Z',
          title: 'Fair',
          detail: 'Hall 3',
          url: null,
          calendar: 'Fairs',
        },
      ],
      lacks: [],
    });
  });

  it('downloads an address each day, and after a failure each hour, with the events of before', async () => {
    answer = (response) => void response.end(LAUNCH);
    const { service, clock, starts, list, post } = start();
    const { body } = await post('/calendars/address', { url: ADDRESS });
    expect(body.calendar).toMatchObject({ name: '127.0.0.1', host: '127.0.0.1', fault: null });
    expect(JSON.stringify(await list())).not.toContain('secret');
    expect(await starts()).toEqual(['2026-06-01', '2026-06-08']);
    answer = (response) => void response.end(MOVED);
    clock.at += DAY_MS - MINUTE_MS;
    await service.tick();
    expect(await starts()).toEqual(['2026-06-01', '2026-06-08']);
    clock.at += MINUTE_MS;
    await service.tick();
    expect(await starts()).toEqual(['2026-06-05']);
    answer = (response) => void response.writeHead(503).end();
    clock.at += DAY_MS;
    await service.tick();
    const fault = 'The host answered with status 503.';
    expect(await list()).toMatchObject([{ fault, read_at: '2026-06-02T12:00:00.000Z' }]);
    expect(await starts()).toEqual(['2026-06-05']);
    answer = (response) => void response.end(LAUNCH);
    clock.at += HOUR_MS;
    await service.tick();
    expect(await list()).toMatchObject([{ fault: null }]);
    expect(await starts()).toEqual(['2026-06-01', '2026-06-08']);
  });

  it('removes a calendar, restores it for 30 minutes, and then forgets it', async () => {
    const { service, clock, starts, post, send } = start();
    await post('/calendars/file', { name: 'a.ics', text: MOVED });
    expect((await send('DELETE', '/calendars/1')).body).toEqual({ removed: true });
    expect((await send('DELETE', '/calendars/1')).body).toEqual({ removed: false });
    expect(await starts()).toEqual([]);
    clock.at += 29 * MINUTE_MS;
    await service.tick();
    expect((await post('/calendars/1/restore')).body).toEqual({ restored: true });
    expect(await starts()).toEqual(['2026-06-05']);
    await send('DELETE', '/calendars/1');
    clock.at += 31 * MINUTE_MS;
    await service.tick();
    expect((await post('/calendars/1/restore')).body).toEqual({ restored: false });
  });

  it('has them after a restart', async () => {
    const { service, starts, post } = start();
    await post('/calendars/file', { name: 'a.ics', text: MOVED });
    await service.restart();
    expect(await starts()).toEqual(['2026-06-05']);
  });

  it.each([
    [
      'file',
      { name: 'a.ics', text: 'id,title' },
      'Line 1: This is not a calendar (.ics), which begins with BEGIN:VCALENDAR.',
    ],
    [
      'file',
      { name: 'a.ics', text: `BEGIN:VCALENDAR\n${'x'.repeat(MOST_CALENDAR_BYTES)}` },
      'The calendar is larger than 5 MiB.',
    ],
    [
      'address',
      { url: ADDRESS.replace('http', 'ftp') },
      'The URL must be an absolute one, such as https://example.com/file, without a fragment.',
    ],
    [
      'address',
      { url: 'http://169.254.169.254/a.ics' },
      'The URL leads to an address that is not public (linkLocal).',
    ],
  ])('refuses a %s with the reason', async (what, body, detail) => {
    const { list, post } = start();
    expect(await post(`/calendars/${what}`, body)).toMatchObject({
      status: 422,
      body: { detail },
    });
    expect(await list()).toEqual([]);
  });

  it.each([
    ['is none', (response: ServerResponse) => void response.end('<html>'), /^Line 1: /],
    [
      'is too large',
      (response: ServerResponse) => void response.end(Buffer.alloc(MOST_CALENDAR_BYTES + 1, 'x')),
      /^The calendar is larger than 5 MiB\.$/,
    ],
    [
      'is not there',
      (response: ServerResponse) => void response.writeHead(404).end(),
      /^The host answered with status 404\.$/,
    ],
  ])('refuses an address whose calendar %s', async (_, sent, detail) => {
    answer = sent;
    const { post } = start();
    const refused = await post('/calendars/address', { url: ADDRESS });
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringMatching(detail) } });
  });

  it('refuses addresses that are private unless they are allowed, and one that is there', async () => {
    answer = (response) => void response.end(LAUNCH);
    const guarded = start({ outgoing: { rules: PUBLIC_ONLY } });
    const refused = await guarded.post('/calendars/address', {
      url: 'https://127.0.0.1/a',
    });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('not public (loopback)') },
    });
    const { post } = start();
    await post('/calendars/address', { url: ADDRESS });
    expect((await post('/calendars/address', { url: ADDRESS })).body.detail).toBe(
      'This calendar is there already.',
    );
  });

  it('has an address once, also if it is added twice at a time or again after it was removed', async () => {
    answer = (response) => void response.end(LAUNCH);
    const { list, post, send } = start();
    const add = () => post('/calendars/address', { url: ADDRESS });
    const both = await Promise.all([add(), add()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    await send('DELETE', '/calendars/1');
    await add();
    expect((await post('/calendars/1/restore')).body).toEqual({ restored: false });
    expect(await list()).toMatchObject([{ id: '2' }]);
  });

  it('says which calendar has too many events, and has those of the others', async () => {
    const { events, post } = start();
    const busy = ics(['UID:a', 'DTSTART:20260101T090000Z', 'RRULE:FREQ=MINUTELY']);
    await post('/calendars/file', { name: 'busy.ics', text: busy });
    const days = Array.from({ length: 28 }, (_, i) => `202606${String(i + 1).padStart(2, '0')}`);
    const other = ics(...days.map((day) => [`UID:${day}`, `DTSTART;VALUE=DATE:${day}`]));
    await post('/calendars/file', { name: 'other.ics', text: other });
    const { events: found, lacks } = await events();
    expect(lacks).toEqual(['busy has too many events in this time. Zoom in for all.']);
    expect(found.filter((each: { calendar: string }) => each.calendar === 'other')).toHaveLength(
      28,
    );
    expect(found.length).toBeGreaterThan(4000);
  });

  it('has the events of a file also after a character that ends a text in the store', async () => {
    const { starts, list, post } = start();
    const text = ics(['UID:a', 'SUMMARY:A\0B', 'DTSTART:20260605T090000Z']);
    await post('/calendars/file', { name: '../\u202Ea.ics', text });
    expect(await starts()).toEqual(['2026-06-05']);
    expect(await list()).toMatchObject([{ name: 'a' }]);
  });

  it('refuses a zone that does not exist', async () => {
    const { get } = start();
    const query = 'start_time=2026-06-01T00:00:00Z&end_time=2026-06-02T00:00:00Z&zone=Nowhere';
    expect((await get(`/calendars/events?${query}`)).status).toBe(400);
  });
});
