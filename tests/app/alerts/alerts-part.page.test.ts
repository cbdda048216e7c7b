import { describe, expect, it, vi } from 'vitest';
import AlertsPart from '#app/alerts/AlertsPart.svelte';
import { Formatter } from '#app/format/formatter.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { button, memoryAlerts, message, OAT } from './memory-alerts.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const RECENT = message('3', '2026-06-15T11:00:00.000Z');
const EARLIER = message('2', '2026-06-14T11:00:00.000Z', { read: true });

describe('the inbox of alerts', () => {
  it('lists messages and rules, marks the unread ones as read but shows them as new, and leads to the event', async () => {
    const service = memoryAlerts([OAT], [RECENT, EARLIER]);
    const onshow = vi.fn();
    const { inbox } = service;
    const made = mounted(AlertsPart, {
      inbox,
      format: new Formatter('en-GB'),
      onshow,
    });
    const text = (): string => made.target.textContent.replaceAll(/\s+/g, ' ');
    await expect.poll(text).toContain('15 Jun 2026, 11:00 New Oat milk is at 4.1 times its usual');
    await expect.poll(() => inbox.unread).toBe(0);
    expect(service.sent.findLast(({ call }) => call.endsWith('/read'))?.body).toEqual({
      until: RECENT.at,
    });
    await inbox.load();
    const rows = [...made.target.querySelectorAll('[aria-labelledby="alert-messages"] li')];
    expect(rows.map((row) => row.textContent.includes('New'))).toEqual([true, false]);
    expect(text()).toContain(
      'Rings from 3.25 times the usual of an hour and at least 10 Posts, at most about once a week; nothing is sent from 22:00 to 07:00.',
    );
    expect(text()).toContain('not delivered: The server answered with status 404.');
    expect(await violationsIn(made.target)).toEqual([]);
    button(made.target, '312 Posts').click();
    expect(onshow.mock.calls[0]?.[0]).toMatchObject({ message: { id: '3' }, alert: { id: '1' } });
  });

  it('removes an alert with its messages, and brings both back', async () => {
    const service = memoryAlerts([OAT], [EARLIER]);
    const made = mounted(AlertsPart, {
      inbox: service.inbox,
      format: new Formatter('en-GB'),
      onshow: () => undefined,
    });
    const rows = (): number => made.target.querySelectorAll('li').length;
    await expect.poll(() => service.inbox.messages.length).toBe(1);
    button(made.target, 'Remove Oat milk').click();
    await expect.poll(rows).toBe(0);
    expect(service.say.mock.calls[0]?.[0]).toBe('The alert “Oat milk” was removed.');
    service.say.mock.calls[0]?.[1]?.();
    await expect.poll(() => service.inbox.messages.length).toBe(1);
  });
});

describe('the messages of alerts', () => {
  it('come by pages, and again only if some changed', async () => {
    const many = Array.from({ length: 120 }, (_, i) =>
      message(String(200 - i), new Date(Date.UTC(2026, 5, 15) - i * 3_600_000).toISOString(), {
        read: true,
      }),
    );
    const service = memoryAlerts([OAT], many);
    const { inbox, state } = service;
    const ids = (): string[] => inbox.messages.map(({ message: { id } }) => id);
    await inbox.load();
    expect([ids().length, inbox.received.value?.more]).toEqual([50, true]);
    await inbox.loadOlder();
    await inbox.loadOlder();
    expect([ids().length, inbox.received.value?.more]).toEqual([120, false]);
    const { messages } = inbox;
    await inbox.received.load();
    expect(service.calls().at(-1)).toBe('GET /alerts/messages?mark=120+0');
    expect(inbox.messages).toEqual(messages);
    state.messages = [message('201', '2026-06-15T01:00:00.000Z'), ...many];
    await inbox.received.load();
    expect(ids()).toEqual(state.messages.map(({ id }) => id));
  });

  it('are requested once without an alert, and with one at each interval while someone sees the page', async () => {
    const none = memoryAlerts();
    none.inbox.follow();
    await expect.poll(() => none.inbox.all.value).not.toBeNull();
    none.poll();
    expect(none.calls()).toEqual(['GET /alerts']);

    const some = memoryAlerts([OAT], [RECENT]);
    some.inbox.follow();
    await expect.poll(() => some.inbox.unread).toBe(1);
    some.isHidden.mockReturnValue(true);
    some.poll();
    expect(some.calls()).toEqual(['GET /alerts', 'GET /alerts/messages']);
    some.isHidden.mockReturnValue(false);
    some.poll();
    await expect.poll(() => some.calls().length).toBe(3);
  });

  it('notify of those that came since, once, if the user allows it', async () => {
    const service = memoryAlerts([OAT], [EARLIER]);
    service.notices.permission.mockReturnValue('granted');
    service.isHidden.mockReturnValue(true);
    service.inbox.follow();
    await expect.poll(() => service.inbox.received.value).not.toBeNull();
    service.state.messages = [RECENT, EARLIER];
    service.poll();
    await expect.poll(() => service.notices.show.mock.calls.length).toBe(1);
    expect(service.notices.show.mock.calls[0]?.slice(0, 2)).toEqual([
      'Oat milk',
      'Oat milk is at 4.1 times its usual: 312 Posts.',
    ]);
    const { value } = service.inbox.received;
    service.state.messages = [{ ...RECENT, read: true }, EARLIER];
    service.poll();
    await expect.poll(() => service.inbox.received.value === value).toBe(false);
    expect(service.notices.show).toHaveBeenCalledOnce();
  });
});
