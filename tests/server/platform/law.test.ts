import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SpendingAnswer } from '#contract/counts/spending.ts';
import { brokenBody } from '#tests/support/service/faults.ts';
import { PLATFORM_FAULTS, type PlatformFault } from '#tests/support/service/platform.ts';
import { closeAfterEach, CLOSED, HEAD, relayed, type AskOptions } from './relayed.ts';

closeAfterEach();

const REQUESTS = [HEAD, CLOSED, { ...CLOSED, end_time: '2026-11-09T00:00:00Z' }];
const FATES: Record<string, PlatformFault | null> = {
  whole: null,
  busy: PLATFORM_FAULTS.unavailable,
  reset: PLATFORM_FAULTS.reset,
  broken: brokenBody,
  created: PLATFORM_FAULTS.refused(201, {}),
  moved: PLATFORM_FAULTS.moved('http://127.0.0.1/'),
};
const CAP = { requests: 12, money: 0.1 };

const request = fc.record({
  kind: fc.constant('ask' as const),
  of: fc.nat(REQUESTS.length - 1),
  /** The same number is the same ask; null sends none. */
  ask: fc.option(fc.nat(2)),
  endpoint: fc.constantFrom('recent' as const, 'all' as const),
  buy: fc.constantFrom(undefined, undefined, 'no', 'again', 'instead'),
  fate: fc.constantFrom('whole', 'whole', 'busy', 'reset', 'broken', 'created', 'moved'),
});
const step = fc.oneof(
  { weight: 8, arbitrary: fc.array(request, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
  { weight: 1, arbitrary: fc.constant('next day' as const) },
);

it('for any requests, failures and restarts, bills match reported prices, no cap is exceeded and no ask is bought twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 12 }), async (steps) => {
      const relay = await relayed({ limited: false });
      const none = { requests: null, money: null };
      await relay.change({ caps: { day: CAP, month: none } });
      const boughtOf = new Map<string, number>();
      let reported = 0;
      for (const each of steps) {
        if (each === 'restart') await relay.service.restart();
        else if (each === 'next day') relay.now += 86_400_000;
        else {
          const answers = await Promise.all(
            each.map(async ({ of, ask, endpoint, buy, fate }) => {
              const options: AskOptions = {
                endpoint,
                ...(buy === undefined ? {} : { buy }),
                ...(ask === null ? {} : { ask: `ask-${of}-${endpoint}-${ask}` }),
              };
              const fault = FATES[fate];
              if (fault) relay.platform.inject(() => true, fault, 1);
              const answer = await relay.ask(REQUESTS[of] ?? HEAD, options);
              return { answer, named: options.ask ?? null };
            }),
          );
          relay.platform.repair();
          for (const { answer, named } of answers) {
            if (answer.headers.get('x-vault') !== 'bought' || answer.status !== 200) continue;
            reported += Math.round(Number(answer.headers.get('x-price')) * 1e6);
            if (named !== null) boughtOf.set(named, (boughtOf.get(named) ?? 0) + 1);
          }
        }
        const spending = (await relay.json('/platform/spending')) as SpendingAnswer;
        for (const { requests, money } of spending.days) {
          expect(requests).toBeLessThanOrEqual(CAP.requests);
          expect(money).toBeLessThanOrEqual(CAP.money);
        }
        const all = spending.days.reduce((sum, { money }) => sum + Math.round(money * 1e6), 0);
        const perhaps = Math.round(spending.uncertain.money * 1e6);
        expect(all - perhaps).toBe(reported);
        expect([...boughtOf.values()].every((times) => times === 1)).toBe(true);
        expect(spending.days.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(
          relay.platform.sent.length,
        );
      }
    }),
    { numRuns: 12 },
  );
});
