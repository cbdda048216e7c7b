import { describe, expect, it, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import AlertDialog from '#app/alerts/AlertDialog.svelte';
import { Formatter } from '#app/format/formatter.ts';
import { plainProblem } from '#contract/fault.ts';
import type { BackTestOrder, WatchedTopic } from '#contract/alerts/alerts.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { button, memoryAlerts, OAT, pastOf } from './memory-alerts.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

/** The dialog over a service whose back-test of a budget has so many rises. */
async function open(
  service = memoryAlerts(),
  source: WatchedTopic['source'] = 'posts',
  end: string | null = null,
) {
  service.answers['POST /alerts/backtest'] ??= (body) =>
    pastOf({ day: 30, week: 12, month: 3 }[(body as WatchedTopic).budget]);
  await service.inbox.load();
  const onclose = vi.fn();
  mounted(AlertDialog, {
    name: 'Oat milk',
    topic: { query: 'oat', source, zone: 'Europe/Berlin' },
    end,
    client: service.client,
    inbox: service.inbox,
    format: new Formatter('en-GB', 'Europe/Berlin'),
    onclose,
  });
  const box = (): HTMLElement => {
    const found = document.querySelector<HTMLElement>('.dialog-box');
    if (!found) throw new Error('expected a dialog');
    return found;
  };
  const text = (): string => box().textContent.replaceAll(/\s+/g, ' ');
  const choose = (value: string): void =>
    box().querySelector<HTMLInputElement>(`input[value="${value}"]`)?.click();
  return { ...service, box, text, choose, onclose };
}

const rows = (box: HTMLElement): string[] =>
  [...box.querySelectorAll('[aria-label="It would have rung"] li')].map(({ textContent }) =>
    textContent.replaceAll(/\s+/g, ' ').trim(),
  );

describe('the dialog for an alert', () => {
  it('says how often the choice would have rung, the newest first, and moves with it', async () => {
    const { box, text } = await open();
    await expect
      .poll(text)
      .toContain(
        'Ring from 3.25 times the usual of an hour and at least 10 Posts In 98 of 100 tests on past counts, the next four weeks brought at most twice as many alerts as that. It would have rung 12 times in the last 13 weeks.',
      );
    expect(rows(box())[0]).toBe('14 Jun 2026, 14:00 Rise 12.');
    expect(box().querySelectorAll('.tick')).toHaveLength(12);
    box().querySelector<HTMLElement>('input[value=week]')?.focus();
    await userEvent.keyboard('{ArrowLeft}');
    await expect.poll(text).toContain('It would have rung 30 times');
    expect(rows(box())).toHaveLength(20);
    button(box(), 'All 30').click();
    await expect.poll(() => rows(box()).length).toBe(30);
    expect(await violationsIn(document.body)).toEqual([]);
  });

  it('rings from what the slider says until a budget is chosen again', async () => {
    const service = memoryAlerts();
    service.answers['POST /alerts/backtest'] = (body) => {
      const { factor } = body as WatchedTopic;
      return pastOf(factor === undefined ? 12 : 0, { factor: factor ?? 3.25 });
    };
    const { box, text, sent } = await open(service);
    await expect.poll(text).toContain('It would have rung 12 times');
    box().querySelector<HTMLElement>('[type=range]')?.focus();
    await userEvent.keyboard('{ArrowRight}{ArrowRight}');
    await expect.poll(text).toContain('It would not have rung in the last 13 weeks.');
    expect(text()).toContain('Ring from 4 times the usual of an hour and at least 10 Posts');
    expect(box().querySelector('svg.curve, .curve')).toBeNull();
    expect(await violationsIn(document.body)).toEqual([]);
    button(box(), 'Save').click();
    await expect
      .poll(() => sent.findLast(({ call }) => call === 'POST /alerts')?.body)
      .toMatchObject({ budget: 'week', factor: 4 });
  });

  it('shows the answer to the newest choice, whichever comes last', async () => {
    const service = memoryAlerts();
    const waiting: (() => void)[] = [];
    service.answers['POST /alerts/backtest'] = async (body) => {
      const { budget } = body as WatchedTopic;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return pastOf(budget === 'month' ? 3 : 12);
    };
    const { text, choose } = await open(service);
    choose('month');
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    await expect.poll(text).toContain('It would have rung 3 times');
    waiting[0]?.();
    await Promise.resolve();
    expect(text()).toContain('It would have rung 3 times');
  });

  it('says that Your posts end, so that it cannot ring', async () => {
    const service = memoryAlerts();
    service.answers['POST /alerts/backtest'] = () => pastOf(0, { weeks: 0, budget: 'short' });
    const { text } = await open(service, 'posts', '2018-05-30T22:00:00.000Z');
    await expect
      .poll(text)
      .toContain('Your posts end on 30 May 2018, so it cannot ring until new ones arrive.');
    document.body.replaceChildren();
    const sample = await open(service, 'sample', '2018-05-30T22:00:00.000Z');
    await expect.poll(sample.text).toContain('No history is known yet.');
    expect(sample.text()).not.toContain('Your posts');
  });

  it.each([
    [
      pastOf(4, { weeks: 5, factor: 3, budget: 'short' }),
      'Only 5 weeks of history are known, of 13. Until more is, it rings from 3 times its usual.',
    ],
    [
      pastOf(40, { factor: 60, budget: 'exceeded' }),
      'Even 60 times its usual is reached more often than about once a week.',
    ],
    [pastOf(0, { factor: null }), 'It would not have rung in the last 13 weeks.'],
  ])('says what its history lacks (%#)', async (past, words) => {
    const service = memoryAlerts();
    service.answers['POST /alerts/backtest'] = () => past;
    const { text } = await open(service);
    await expect.poll(text).toContain(words);
  });

  it('shows a refusal next to what was typed, then saves and sends a test', async () => {
    const service = memoryAlerts();
    const accept = service.answers['POST /alerts'];
    service.answers['POST /alerts'] = () => {
      throw plainProblem(422, 'Unprocessable Content', 'The address is of your own network.');
    };
    const { box, text, choose, sent, say } = await open(service);
    choose('month');
    button(box(), 'Also send to').click();
    await expect.poll(() => document.activeElement?.ariaLabel).toBe('Address of channel 1');
    button(box(), 'Save').click();
    await expect.poll(text).toContain('Type the address of channel 1, or remove the channel.');
    expect(sent.map(({ call }) => call)).not.toContain('POST /alerts');
    await userEvent.keyboard('https://10.0.0.1/hook');
    box().querySelector<HTMLElement>('[type=checkbox]')?.click();
    button(box(), 'Save').click();
    await expect
      .poll(() => box().querySelector('[role=alert]')?.textContent)
      .toBe('The address is of your own network.');
    expect(await violationsIn(document.body)).toEqual([]);
    expect(box().querySelector<HTMLInputElement>('[inputmode=url]')?.value).toBe(
      'https://10.0.0.1/hook',
    );
    service.answers['POST /alerts'] = accept!;
    button(box(), 'Save').click();
    await expect.poll(text).toContain('The alert is saved.');
    expect(sent.findLast(({ call }) => call === 'POST /alerts')?.body).toEqual({
      query: 'oat',
      source: 'posts',
      zone: 'Europe/Berlin',
      name: 'Oat milk',
      direction: 'rise',
      budget: 'month',
      quiet: { from: '22:00', to: '07:00' },
      channels: [{ kind: 'webhook', address: 'https://10.0.0.1/hook' }],
    });
    await expect.poll(text).toContain('hooks.slack.com');
    button(box(), 'Send a test').click();
    await expect.poll(() => say.mock.calls[0]?.[0]).toBe('A test of “Oat milk” is on its way.');
    expect(await violationsIn(document.body)).toEqual([]);
  });

  it('has the price of a month on the platform in its button, and buys history only when asked to', async () => {
    const service = memoryAlerts();
    service.answers['POST /alerts/backtest'] = (body) =>
      (body as BackTestOrder).agreed === 0.05
        ? pastOf(4, { price: { month: 3.6, history: 0 } })
        : pastOf(0, {
            unit: 'day',
            weeks: 0,
            factor: 3,
            budget: 'short',
            price: { month: 0.15, history: 0.05 },
          });
    const { box, text, sent } = await open(service, 'platform');
    await expect.poll(text).toContain('Alert me · up to $0.15 a month');
    expect(text()).toContain('The service asks the platform once a day.');
    button(box(), 'Buy the missing history for $0.05').click();
    await expect.poll(text).toContain('Alert me · up to $3.60 a month');
    expect(text()).not.toContain('Buy the missing history');
    expect(await violationsIn(document.body)).toEqual([]);
    button(box(), 'Alert me').click();
    await expect.poll(text).toContain('The alert is saved.');
    expect(sent.findLast(({ call }) => call === 'POST /alerts')?.body).toMatchObject({
      source: 'platform',
      agreed: 3.6,
    });
  });

  it('closes when saved without a channel, asks for notifications only if wanted, and closes by Escape', async () => {
    const service = memoryAlerts();
    service.notices.permission.mockReturnValue('default');
    service.answers['POST /alerts'] = () => ({ alert: { ...OAT, channels: [] } });
    const { box, onclose, notices } = await open(service);
    [...box().querySelectorAll<HTMLElement>('[type=checkbox]')].at(-1)?.click();
    button(box(), 'Save').click();
    await expect.poll(() => onclose.mock.calls.length).toBe(1);
    expect(notices.ask).toHaveBeenCalledOnce();
    await userEvent.keyboard('{Escape}');
    expect(onclose).toHaveBeenCalledTimes(2);
  });

  it('offers e-mail only if the service can send it, and at most five channels', async () => {
    const service = memoryAlerts();
    const { box } = await open(service);
    for (let i = 0; i < 5; i += 1) {
      button(box(), 'Also send to').click();
      await expect.poll(() => box().querySelectorAll('select').length).toBe(i + 1);
    }
    expect(() => button(box(), 'Also send to')).toThrow('expected a button');
    expect(box().querySelector('select')?.textContent).not.toContain('E-mail');
    service.state.kinds = [...service.state.kinds, 'email'];
    await service.inbox.load();
    await expect.poll(() => box().querySelector('select')?.textContent).toContain('E-mail');
  });

  it('offers no channel to a member', async () => {
    const service = memoryAlerts();
    service.state.kinds = [];
    const { box } = await open(service);
    button(box(), 'Save');
    expect(() => button(box(), 'Also send to')).toThrow('expected a button');
  });
});
