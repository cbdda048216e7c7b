import { describe, expect, it } from 'vitest';
import {
  compareRules,
  postTopics,
  realTopics,
  tryBudget,
  tryQuiet,
} from '#tests/support/data/alert-measures.ts';
import { realData } from '#tests/support/data/posts.ts';

const folder = realData();

describe.runIf(folder)('the figures of docs/alerts.md over real counts', () => {
  it('a factor keeps to the budget that chose it, and finds bursts', { tags: 'long' }, () => {
    const topics = postTopics(realTopics(folder ?? ''));
    const all = tryBudget(topics, 'week', 'all by hours', 4);
    expect(all.trials).toBeGreaterThan(400);
    expect(all.within).toBeGreaterThanOrEqual(0.95);
    expect(all.found.large).toBeGreaterThanOrEqual(0.9);
    const own = tryBudget(topics, 'week', 'each by its own', 4);
    expect(own.within).toBeGreaterThanOrEqual(0.95);
    expect(own.found.large).toBeGreaterThanOrEqual(0.87);
    expect(tryBudget(topics, 'day', 'each by its own', 0).within).toBeGreaterThanOrEqual(0.99);
    expect(tryBudget(topics, 'month', 'each by its own', 0).within).toBeGreaterThanOrEqual(0.8);
  });

  it('a floor takes most of the rises, and none of the bursts', { tags: 'long' }, () => {
    const [plain, , floor, last, bound] = compareRules(realTopics(folder ?? ''), 5);
    if (!plain || !floor || !last || !bound) throw new RangeError('expected five rules');
    expect(floor.rises.median).toBeLessThan(plain.rises.median / 4);
    expect(floor.found.large).toBeGreaterThanOrEqual(0.95);
    expect(last.rises.median).toBeGreaterThan(15);
    expect(bound.found.large).toBeLessThan(0.9);
  });

  it('silence is announced, and seldom where there is none', { tags: 'long' }, () => {
    const quiet = tryQuiet(realTopics(folder ?? ''), 5);
    expect(quiet.silences.median).toBeLessThan(1.5);
    expect(quiet.lowDays.high).toBeLessThan(0.5);
    expect(quiet.announced).toBeGreaterThan(0.9);
    expect(quiet.tenth).toBeGreaterThan(0.95);
    expect(quiet.half).toBeLessThan(0.1);
  });
});
