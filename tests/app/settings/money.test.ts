import { describe, expect, it } from 'vitest';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import { Spending } from '#app/settings/money.svelte.ts';
import { Fault, plainProblem } from '#contract/fault.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/platform-terms.ts';
import { ANSWER, OWN, PLATFORM, SPENDING } from './examples.ts';
import { MemoryDesk } from './memory-shelf.ts';
import { TestBoard } from './settings-board.svelte.ts';

async function opened(decimal = '.') {
  const board = new TestBoard([...OWN, PLATFORM]);
  const desk = new MemoryDesk(ANSWER, SPENDING);
  const money = new Spending(desk, board, decimal);
  await money.loadTerms();
  return { board, desk, money };
}

describe('the terms of the platform', () => {
  it('are not asked for where there is no platform', async () => {
    const board = new TestBoard(OWN);
    const desk = new MemoryDesk(ANSWER, SPENDING);
    const money = new Spending(desk, board, '.');
    await money.loadTerms();
    await money.loadSpending();
    expect([money.connected, money.answer, money.spending]).toEqual([false, null, null]);
  });

  it('are saved only when told so, whole, and then the board asks by them', async () => {
    const { board, desk, money } = await opened();
    money.terms.type('prices.all', '0.02');
    money.terms.chooseAccess('enterprise');
    expect([money.terms.dirty, money.terms.ready, desk.sent]).toEqual([true, true, []]);
    expect(await money.terms.save()).toBe(true);
    const { prices } = DEFAULT_PLATFORM_SETTINGS;
    const settings = {
      ...DEFAULT_PLATFORM_SETTINGS,
      access: 'enterprise',
      prices: { ...prices, all: 0.02 },
    };
    expect(desk.sent).toEqual([settings]);
    expect(board.source.platform?.settings).toEqual(settings);
    expect(board.asked).toBe(1);
    expect(money.terms.dirty).toBe(false);
  });

  it('are as they were after a discard', async () => {
    const { money } = await opened();
    money.terms.type('settleHours', '72');
    money.terms.chooseAccess('self-service');
    money.terms.discard();
    expect(money.terms.texts['settleHours']).toBe('24');
    expect([money.terms.access, money.terms.dirty]).toEqual(['pay-per-use', false]);
  });

  it('are not saved while a number is wrong', async () => {
    const { desk, money } = await opened();
    money.terms.type('settleHours', '');
    expect(money.terms.wrong).toEqual({ settleHours: 'Enter a number.' });
    expect([money.terms.ready, await money.terms.save(), desk.sent]).toEqual([false, false, []]);
  });

  it('keep what another tab saved meanwhile', async () => {
    const { desk, money } = await opened();
    money.terms.type('settleHours', '72');
    const caps = { ...DEFAULT_PLATFORM_SETTINGS.caps, day: { requests: 7, money: 1 } };
    await desk.change({ ...DEFAULT_PLATFORM_SETTINGS, caps });
    await money.terms.save();
    expect(desk.sent.at(-1)).toEqual({ ...DEFAULT_PLATFORM_SETTINGS, caps, settleHours: 72 });
  });

  it('go back to the public figures on save, with the token’s access and the caps as they were', async () => {
    const { desk, money } = await opened();
    money.terms.type('prices.all', '0.5');
    money.terms.chooseAccess('enterprise');
    await money.terms.save();
    money.caps.type('caps.day.money', '3');
    await money.caps.save();
    money.terms.publicFigures();
    await money.terms.save();
    const now = desk.sent.at(-1);
    expect(now?.prices).toEqual(DEFAULT_PLATFORM_SETTINGS.prices);
    expect([now?.access, now?.caps.day.money]).toEqual(['enterprise', 3]);
  });

  it('say why the service refused, and keep what was typed', async () => {
    const { desk, money } = await opened();
    money.terms.type('prices.all', '0.02');
    desk.fails = plainProblem(400, 'Bad Request', 'prices.all is too dear');
    expect(await money.terms.save()).toBe(false);
    expect(money.terms.refusal).toBe('The service rejected this: prices.all is too dear');
    expect(money.terms.texts['prices.all']).toBe('0.02');
    desk.fails = new Fault(0, { title: 'away', type: UNREACHABLE });
    await money.terms.save();
    expect(money.terms.refusal).toMatch(/^The service doesn’t answer/);
    desk.fails = null;
    expect(await money.terms.save()).toBe(true);
    expect(money.terms.refusal).toBe('');
  });
});

describe('caps', () => {
  it('are none where the field is empty, and nothing at all where it is zero', async () => {
    const { desk, money } = await opened(',');
    money.caps.type('caps.day.money', '');
    money.caps.type('caps.month.money', '12,50');
    money.caps.type('caps.month.requests', '0');
    await money.caps.save();
    expect(desk.sent.at(-1)?.caps).toEqual({
      day: { requests: null, money: null },
      month: { requests: 0, money: 12.5 },
    });
  });
});

describe('spending', () => {
  it('is dearest first until a column sorts it, then back the other way', async () => {
    const { money } = await opened();
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

  it('says in words why it could not be had, until it can', async () => {
    const { desk, money } = await opened();
    desk.fails = new Fault(0, { title: 'away', type: UNREACHABLE });
    await money.loadSpending();
    expect(money.spendingFault).toMatch(/^The service doesn’t answer/);
    desk.fails = null;
    await money.loadSpending();
    expect([money.spendingFault, money.spending]).toEqual(['', SPENDING]);
  });
});
