import { describe, expect, test } from 'vitest';
import type { Plan } from '#app/counts/cache/records.ts';
import { FREE_REQUESTS, PlanApproval, sumPlans } from '#app/counts/fetch/approval.svelte.ts';

const plan = (all: number, recent = 0): Plan => ({
  granularity: 'hour',
  span: { start: 0, end: 1 },
  recent,
  all,
  money: all / 100 + recent / 200,
  leastMs: all * 1_000,
  bytes: all * 7,
  days: 31 * all,
  owned: all,
  held: 1,
  minuteBytes: all * 300,
});

const never = new AbortController().signal;

/** The result of a promise if it is settled, else `waits`. */
async function settledOrWaiting(promise: Promise<unknown>): Promise<unknown> {
  return await Promise.race([promise, Promise.resolve().then(() => 'waits')]);
}

describe('the approval', () => {
  test('approves a total of a few requests by itself once no run is reading', async () => {
    const approval = new PlanApproval();
    const [one, two, three] = [approval.reading(), approval.reading(), approval.reading()];
    const first = approval.pass('a', plan(2), never);
    one();
    one();
    const second = approval.pass('b', plan(FREE_REQUESTS - 3, 1), never);
    two();
    expect(await settledOrWaiting(first)).toBe('waits');
    three();
    expect(await Promise.all([first, second])).toEqual([true, true]);
    expect(approval.waiting).toEqual([]);
  });

  test.each([
    ['approves', (approval: PlanApproval) => approval.agree(), true],
    ['declines', (approval: PlanApproval) => approval.decline(), false],
  ])('holds more requests until the user %s them', async (_, decide, go) => {
    const approval = new PlanApproval();
    const passing = [
      approval.pass('a', plan(FREE_REQUESTS + 1), never),
      approval.pass('b', plan(1), never),
    ];
    expect(approval.waiting.map(({ name }) => name)).toEqual(['a', 'b']);
    decide(approval);
    expect(await Promise.all(passing)).toEqual([go, go]);
    expect(approval.waiting).toEqual([]);
  });

  test('approves only a few requests by itself until the next action of the user', async () => {
    const approval = new PlanApproval();
    expect(await approval.pass('a', plan(FREE_REQUESTS - 1), never)).toBe(true);
    expect(await approval.pass('b', plan(1), never)).toBe(true);
    const third = approval.pass('c', plan(1), never);
    expect(approval.waiting.map(({ name }) => name)).toEqual(['c']);
    approval.decline();
    expect(await third).toBe(false);
    approval.renew();
    expect(await approval.pass('d', plan(FREE_REQUESTS), never)).toBe(true);
  });

  test('approves one page per series for a live board, but no longer plans', async () => {
    const approval = new PlanApproval();
    approval.live = true;
    const read = approval.reading();
    const heads = Array.from({ length: 9 }, (_, i) => approval.pass(String(i), plan(0, 1), never));
    read();
    expect(await Promise.all(heads)).toEqual(heads.map(() => true));
    const more = approval.pass('more', plan(FREE_REQUESTS + 1), never);
    expect(approval.waiting).toHaveLength(1);
    approval.decline();
    expect(await more).toBe(false);
  });

  test('holds even a few requests if their plan needs explicit approval', async () => {
    const approval = new PlanApproval();
    const passing = approval.pass('a', plan(1), never, { explicit: true });
    expect(approval.waiting).toHaveLength(1);
    approval.agree();
    expect(await passing).toBe(true);
  });

  test('drops the plan of an aborted run, and approves the rest if it is only a few requests', async () => {
    const approval = new PlanApproval();
    const controller = new AbortController();
    const gone = approval.pass('a', plan(30), controller.signal);
    const remaining = approval.pass('b', plan(2), never);
    expect(approval.waiting).toHaveLength(2);
    controller.abort();
    await expect(gone).rejects.toThrow(/abort/i);
    expect(await remaining).toBe(true);
  });
});

describe('an approval by the user', () => {
  test('covers only the plans that were shown: one that comes in the meantime is shown later', async () => {
    const approval = new PlanApproval();
    const first = approval.pass('a', plan(6), never);
    expect(approval.waiting.map(({ name }) => name)).toEqual(['a']);
    const read = approval.reading();
    const second = approval.pass('b', plan(244), never);
    approval.agree();
    expect(await first).toBe(true);
    expect(await settledOrWaiting(second)).toBe('waits');
    expect(approval.waiting).toEqual([]);
    read();
    expect(approval.waiting.map(({ name }) => name)).toEqual(['b']);
    approval.decline();
    expect(await second).toBe(false);
  });

  test('does not cover a withdrawn plan, which is reported as changing while runs are reading', async () => {
    const approval = new PlanApproval();
    const controller = new AbortController();
    const gone = approval.pass('a', plan(30), controller.signal);
    const read = approval.reading();
    controller.abort();
    await expect(gone).rejects.toThrow(/abort/i);
    expect([approval.waiting.length, approval.changing]).toEqual([0, true]);
    const again = approval.pass('a', plan(20), never);
    read();
    expect([approval.waiting.length, approval.changing]).toEqual([1, false]);
    approval.decline();
    expect(await again).toBe(false);
  });

  test('approves no request of a foreign view by itself, and what loads later together with it', async () => {
    const approval = new PlanApproval();
    const later = [{ name: 'a: earlier period', plan: plan(2) }];
    const first = approval.pass('a', plan(1), never, { foreign: true, later });
    expect(approval.waiting.map(({ name, foreign }) => [name, foreign])).toEqual([
      ['a', true],
      ['a: earlier period', true],
    ]);
    approval.agree();
    expect(await first).toBe(true);
    expect(await approval.pass('a', plan(2), never)).toBe(true);
    // The approval leaves the few requests of the user's own acts as they were.
    expect(await approval.pass('a', plan(FREE_REQUESTS), never)).toBe(true);
    void approval.pass('a', plan(1), never);
    expect(approval.waiting).toHaveLength(1);
  });

  test('approves ahead only the plans that were shown, each once', async () => {
    const approved = async (): Promise<PlanApproval> => {
      const approval = new PlanApproval();
      const later = [{ name: 'a: earlier period', plan: plan(20) }];
      const first = approval.pass('a', plan(1), never, { foreign: true, later });
      approval.agree();
      await first;
      return approval;
    };
    const elsewhere = { ...plan(20), span: { start: 5, end: 6 } };
    for (const [name, other] of [
      ['b', plan(20)],
      ['a', plan(21)],
      ['a', { ...plan(20), money: 0.21 }],
      ['a', elsewhere],
    ] as const) {
      const approval = await approved();
      void approval.pass(name, other, never);
      expect(approval.waiting).toHaveLength(1);
    }
    const approval = await approved();
    expect(await approval.pass('a', plan(20), never)).toBe(true);
    void approval.pass('a', plan(20), never);
    expect(approval.waiting).toHaveLength(1);
  });

  test('approves nothing ahead after a plan was declined', async () => {
    const approval = new PlanApproval();
    const later = [{ name: 'a: earlier period', plan: plan(20) }];
    const first = approval.pass('a', plan(1), never, { foreign: true, later });
    approval.agree();
    await first;
    const second = approval.pass('b', plan(30), never);
    approval.decline();
    expect(await second).toBe(false);
    void approval.pass('a', plan(20), never);
    expect(approval.waiting).toHaveLength(1);
  });

  test('lets a foreign view refresh by itself on no live board', () => {
    const approval = new PlanApproval();
    approval.live = true;
    void approval.pass('a', plan(0, 1), never, { foreign: true });
    expect(approval.waiting).toHaveLength(1);
  });
});

test('sumPlans adds up every plan, and computes the time of all requests together', () => {
  const least = (recent: number, all: number): number => recent * 10 + all;
  const sum = sumPlans([plan(3), { ...plan(4, 2), minuteBytes: null }], least);
  expect(sum).toMatchObject({ recent: 2, all: 7, requests: 9, leastMs: 27, days: 217, owned: 7 });
  expect(sum.money).toBeCloseTo(0.08);
  expect(sum.minuteBytes).toBe(900 + 28);
  expect(sumPlans([{ ...plan(1), minuteBytes: null }], least).minuteBytes).toBeNull();
});
