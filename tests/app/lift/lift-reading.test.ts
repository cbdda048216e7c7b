import { describe, expect, it } from 'vitest';
import { languageControl } from '#app/lift/control-choices.ts';
import type { AccountsAsk } from '#app/api/account-counts-api.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { BoardNeed } from '#app/board/state/need-key.ts';
import { LiftReading } from '#app/lift/lift-reading.svelte.ts';
import type { Fault } from '#contract/fault.ts';
import type { AccountCounts } from '#core/lift/levels.ts';
import { liftReport } from '#tests/support/data/lift-reports.ts';
import { CountedRun } from './counted-run.svelte.ts';
import { distinct, liftParts } from '#app/lift/lift-parts.ts';

const TERMS = { money: 'USD' };

describe('the queries of a lift', () => {
  it('leave the Posts of the topic out of each control, and ask for those with the tag', () => {
    const question = {
      topic: 'oat OR "oat milk"',
      controls: ['soy', 'lang:en tea'],
      tag: '#launch',
    };
    expect(liftParts(question, 1024)).toEqual({
      topic: 'oat OR "oat milk"',
      controls: [{ query: 'soy -oat -"oat milk"' }, { query: 'lang:en tea -oat -"oat milk"' }],
      tagged: [
        { query: 'soy -oat -"oat milk" #launch' },
        { query: 'lang:en tea -oat -"oat milk" #launch' },
      ],
    });
    expect(liftParts({ ...question, tag: '' }, 1024).tagged).toEqual([]);
  });

  it('say why a control cannot be counted', () => {
    const { controls } = liftParts(
      { topic: 'oat OR #oat', controls: ['soy (', '#OAT OR oat'], tag: '' },
      1024,
    );
    expect(controls).toEqual([
      { problem: expect.stringMatching(/\.$/) },
      { problem: 'It is the topic itself, of which nothing is left without the topic.' },
    ]);
  });

  it.each([
    ['matcha lang:ja', 'en-GB', 'All Posts in Japanese', 'min_likes:0 lang:ja'],
    ['matcha', 'de-DE', 'All Posts in German', 'min_likes:0 lang:de'],
    ['matcha', undefined, 'All Posts in English', 'min_likes:0 lang:en'],
  ])('offer the language of %s for %s', (query, locale, name, all) => {
    expect(languageControl(query, locale, 1024)).toEqual({ name, query: all });
  });
});

const { scope, curve } = liftReport();
const ASKED = { scope, topic: 'oat', controls: [], tag: '', others: [], topics: [] };
const needOf = (revision: number, terms: unknown = null): BoardNeed =>
  ({ source: { revision }, policy: { terms } }) as unknown as BoardNeed;
function reading(): { readonly of: LiftReading; readonly runs: CountedRun[] } {
  const runs: CountedRun[] = [];
  const of = new LiftReading(() => {
    runs.push(new CountedRun());
    return runs.at(-1) as unknown as Run;
  });
  return { of, runs };
}

describe('the reading of a lift', () => {
  it('has no figure until the counts are there, and keeps it while newer ones are read', async () => {
    const { of, runs } = reading();
    const first = of.load(ASKED, needOf(1), 1024, true, null);
    expect([of.busy, of.lift]).toEqual([true, null]);
    runs[0]?.end('done', curve);
    await first;
    expect([of.busy, of.lift?.kind, of.scope]).toEqual([false, 'figure', scope]);
    const second = of.load({ ...ASKED, scope: { ...scope } }, needOf(2), 1024, true, null);
    expect([of.busy, of.lift?.kind, of.scope]).toEqual([false, 'figure', scope]);
    runs[0]?.end('done');
    await second;
    expect(runs.flatMap(({ calls }) => calls)).toEqual(['ask oat', 'ask oat']);
  });

  it('has no figure of another question', async () => {
    const { of, runs } = reading();
    const first = of.load(ASKED, needOf(1), 1024, true, null);
    runs[0]?.end('done', curve);
    await first;
    void of.load({ ...ASKED, controls: ['tea'] }, needOf(1), 1024, true, null);
    expect([of.busy, of.lift]).toEqual([true, null]);
    of.clear();
    expect([of.busy, of.lift, of.scope, of.curve]).toEqual([false, null, null, null]);
    expect(runs.map(({ isDisposed }) => isDisposed)).toEqual([true, true]);
  });

  it('reads again what failed, or what was declined', async () => {
    const { of, runs } = reading();
    const fault = { body: { type: 'x' } } as unknown as Fault;
    const first = of.load(ASKED, needOf(1, TERMS), 1024, true, null);
    runs[0]?.end('failed', null, fault);
    await first;
    expect([of.fault, of.busy, of.cancelled]).toEqual([fault, false, false]);
    const second = of.again();
    runs[0]?.end('cancelled', curve);
    await second;
    expect([of.fault, of.cancelled]).toEqual([null, true]);
    const third = of.again();
    runs[0]?.end('done', curve);
    await third;
    expect([of.cancelled, of.lift?.kind]).toEqual([false, 'figure']);
    expect(runs[0]?.calls).toEqual(['ask oat', 'refresh oat', 'refresh oat']);
  });

  it('names each query once', () => {
    const topics = ['tea', 'oat', 'tea'].map((query, i) => ({ name: `${i}`, query }));
    expect(distinct(topics).map(({ name }) => name)).toEqual(['0', '1']);
  });
});

describe('the other topics of a lift', () => {
  const topics = Array.from({ length: 7 }, (_, i) => ({
    name: `T${i}`,
    query: `tea${i}`,
    colour: 1,
  }));

  it.each([
    ['are asked for where counts are free', null, 'ask'],
    ['are only peeked at where counts cost money, though the topic is bought', TERMS, 'peek'],
  ])('%s, and at most five', (_, terms, how) => {
    const { of, runs } = reading();
    void of.load({ ...ASKED, topics }, needOf(1, terms), 1024, true, null);
    expect(runs.flatMap(({ calls }) => calls)).toEqual([
      'ask oat',
      ...[0, 1, 2, 3, 4].map((i) => `${how} tea${i}`),
    ]);
  });
});

describe('the accounts of a lift', () => {
  const question = { ...ASKED, controls: ['soy', 'tea'], tag: '#launch' };
  const days = { span: scope.span, unit: 'day', zone: 'UTC', length: 7 };
  const buckets = Float64Array.from(curve.counts, (count) => Math.ceil(count / 2));
  const windows = Float64Array.from({ length: buckets.length - 6 }, (_, i) =>
    buckets.slice(i, i + 7).reduce((sum, count) => sum + count, 0),
  );

  it('are counted for the topic and for each control without it, once, over the days of the counts', async () => {
    const asked: AccountsAsk[] = [];
    const count = (ask: AccountsAsk): Promise<AccountCounts> => {
      asked.push(ask);
      return Promise.resolve({ buckets, windows });
    };
    const { of } = reading();
    for (const revision of ['1', '1', '2']) {
      void of.load(question, needOf(1), 1024, true, { of: revision, count });
    }
    const wanted = ['oat', 'soy -oat', 'tea -oat'].map((query) => ({ query, ...days }));
    await expect.poll(() => asked).toEqual([...wanted, ...wanted]);
  });

  it('follow the figure of the Posts, and stay while newer ones are counted or fail', async () => {
    const { of, runs } = reading();
    const answers: ((found: AccountCounts | Promise<never>) => void)[] = [];
    const count = (): Promise<AccountCounts> => new Promise((resolve) => answers.push(resolve));
    const first = of.load(ASKED, needOf(1), 1024, true, { of: '1', count });
    runs[0]?.end('done', curve);
    await first;
    const accounts = () => (of.lift?.kind === 'figure' ? of.lift.accounts?.kind : 'no figure');
    expect(accounts()).toBeUndefined();
    answers[0]?.({ buckets, windows });
    await expect.poll(accounts).toBe('measure');
    void of.load(ASKED, needOf(1), 1024, true, { of: '2', count });
    answers[1]?.(Promise.reject(new Error('away')));
    await expect.poll(() => of.accountsFault).toEqual(new Error('away'));
    expect(accounts()).toBe('measure');
    void of.load(ASKED, needOf(1), 1024, true, null);
    expect(accounts()).toBeUndefined();
  });

  it.each([
    ['of a source that does not say', question, false],
    ['of a control that cannot be counted', { ...question, controls: ['('] }, true],
    [
      'of a campaign that has not ended',
      {
        ...question,
        scope: { ...scope, campaign: { ...scope.campaign, end: scope.span.end + 1 } },
      },
      true,
    ],
  ])('%s are not asked for', (_, asked, isCounted) => {
    let questions = 0;
    const count = (): Promise<never> => Promise.reject(new Error(`question ${(questions += 1)}`));
    const { of } = reading();
    void of.load(asked, needOf(1), 1024, true, isCounted ? { of: 'posts 1', count } : null);
    expect(questions).toBe(0);
  });
});
