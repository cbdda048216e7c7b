import { describe, expect, it } from 'vitest';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import { Spending } from '#app/settings/money.svelte.ts';
import { Fault, plainProblem } from '#contract/fault.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { ANSWER, OWN, PLATFORM, SPENDING } from './examples.ts';
import { MemoryPlatformApi } from './fakes.ts';
import { TestBoard } from './settings-board.svelte.ts';

async function openSpending(decimal = '.') {
  const board = new TestBoard([...OWN, PLATFORM]);
  const api = new MemoryPlatformApi(ANSWER, SPENDING);
  const money = new Spending(api, board, decimal);
  await money.loadTerms();
  return { board, api, money };
}

describe('the terms of the platform', () => {
  it('are not requested without a platform', async () => {
    const board = new TestBoard(OWN);
    const api = new MemoryPlatformApi(ANSWER, SPENDING);
    const money = new Spending(api, board, '.');
    await money.loadTerms();
    await money.loadSpending();
    expect([money.connected, money.answer, money.spending.value]).toEqual([false, null, null]);
  });

  it('are saved as a whole and only on demand; then the board loads by them', async () => {
    const { board, api, money } = await openSpending();
    money.terms.set('prices.all', '0.02');
    money.terms.set('access', 'enterprise');
    expect([money.terms.dirty, money.terms.ready, api.sent]).toEqual([true, true, []]);
    expect(await money.terms.save()).toBe(true);
    const { prices } = DEFAULT_PLATFORM_SETTINGS;
    const settings = {
      ...DEFAULT_PLATFORM_SETTINGS,
      access: 'enterprise',
      prices: { ...prices, all: 0.02 },
    };
    expect(api.sent).toEqual([settings]);
    expect(board.source.platform?.settings).toEqual(settings);
    expect(board.loads).toBe(1);
    expect(money.terms.dirty).toBe(false);
  });

  it('return to the saved values after a discard', async () => {
    const { money } = await openSpending();
    money.terms.set('settleHours', '72');
    money.terms.set('access', 'self-service');
    money.terms.discard();
    expect(money.terms.values['settleHours']).toBe('24');
    expect([money.terms.values['access'], money.terms.dirty]).toEqual(['pay-per-use', false]);
  });

  it('are not saved while a number is invalid', async () => {
    const { api, money } = await openSpending();
    money.terms.set('settleHours', '');
    expect(money.terms.wrong).toEqual({ settleHours: 'Enter a number.' });
    expect([money.terms.ready, await money.terms.save(), api.sent]).toEqual([false, false, []]);
  });

  it('keep what another tab has saved in the meantime', async () => {
    const { api, money } = await openSpending();
    money.terms.set('settleHours', '72');
    const caps = { ...DEFAULT_PLATFORM_SETTINGS.caps, day: { requests: 7, money: 1 } };
    await api.change({ ...DEFAULT_PLATFORM_SETTINGS, caps });
    await money.terms.save();
    expect(api.sent.at(-1)).toEqual({ ...DEFAULT_PLATFORM_SETTINGS, caps, settleHours: 72 });
  });

  it('reset to the public figures on save, except the token’s access and the caps', async () => {
    const { api, money } = await openSpending();
    money.terms.set('prices.all', '0.5');
    money.terms.set('access', 'enterprise');
    await money.terms.save();
    money.caps.set('caps.day.money', '3');
    await money.caps.save();
    money.publicFigures();
    await money.terms.save();
    const now = api.sent.at(-1);
    expect(now?.prices).toEqual(DEFAULT_PLATFORM_SETTINGS.prices);
    expect([now?.access, now?.caps.day.money]).toEqual(['enterprise', 3]);
  });

  it('explain why the service refused, and keep what was typed', async () => {
    const { api, money } = await openSpending();
    money.terms.set('prices.all', '0.02');
    api.fails = plainProblem(400, 'Bad Request', 'prices.all is too dear');
    expect(await money.terms.save()).toBe(false);
    expect(money.terms.refusal).toBe('The service rejected this: prices.all is too dear');
    expect(money.terms.values['prices.all']).toBe('0.02');
    api.fails = new Fault(0, { title: 'away', type: UNREACHABLE });
    await money.terms.save();
    expect(money.terms.refusal).toMatch(/^The service doesn’t answer/);
    api.fails = null;
    expect(await money.terms.save()).toBe(true);
    expect(money.terms.refusal).toBe('');
  });
});

describe('caps', () => {
  it('are absent if the field is empty, and allow nothing if it is zero', async () => {
    const { api, money } = await openSpending(',');
    money.caps.set('caps.day.money', '');
    money.caps.set('caps.month.money', '12,50');
    money.caps.set('caps.month.requests', '0');
    await money.caps.save();
    expect(api.sent.at(-1)?.caps).toEqual({
      day: { requests: null, money: null },
      month: { requests: 0, money: 12.5 },
    });
  });
});

describe('spending', () => {
  it('is ordered by cost until a column sorts it, then by that column in either direction', async () => {
    const { money } = await openSpending();
    await money.loadSpending();
    const requests = (): number[] => money.rows.map((row) => row.requests);
    expect(requests()).toEqual([245, 155, 12]);
    money.sort('requests');
    expect(requests()).toEqual([245, 155, 12]);
    money.sort('requests');
    expect(requests()).toEqual([12, 155, 245]);
    money.group('day');
    expect(requests()).toEqual([36, 376]);
  });

  it('explains why it could not be loaded, until it can', async () => {
    const { api, money } = await openSpending();
    api.fails = new Fault(0, { title: 'away', type: UNREACHABLE });
    await money.loadSpending();
    expect(money.spending.fault).toMatch(/^The service doesn’t answer/);
    api.fails = null;
    await money.loadSpending();
    expect([money.spending.fault, money.spending.value]).toEqual(['', SPENDING]);
  });
});
