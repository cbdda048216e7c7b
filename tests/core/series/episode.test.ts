import { describe, expect, it } from 'vitest';
import { clearEpisode, episodeOf } from '#core/series/episode.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { curveOf, noise } from './a-curve.ts';

/** Ten expected per minute, give or take two: counts are above from 17 on. */
const baseline = { expected: () => 10, spread: () => 2 };
const quiet = (minutes: number): number[] => Array.from({ length: minutes }, () => 10);

describe('an episode', () => {
  it.each([
    {
      shape: 'a jump that falls off by steps',
      counts: [...quiet(20), 110, 90, 70, 50, 30, 20, ...quiet(20)],
      is: { onset: 20, summit: 20, halfLife: 3, end: 26 },
    },
    {
      shape: 'a slow rise to its summit',
      counts: [...quiet(20), 20, 40, 60, 80, 210, 30, ...quiet(20)],
      is: { onset: 20, summit: 24, halfLife: 1, end: 26 },
    },
    {
      shape: 'one minute alone',
      counts: [...quiet(20), 100, ...quiet(20)],
      is: { onset: 20, summit: 20, halfLife: 1, end: 21 },
    },
    {
      shape: 'a flicker before it that a quarter of an hour parts',
      counts: [...quiet(20), 60, ...quiet(15), 100, 90, ...quiet(20)],
      from: 30,
      is: { onset: 36, summit: 36, halfLife: 2, end: 38 },
    },
    {
      shape: 'a flicker before it within what was found as one',
      counts: [...quiet(20), 60, ...quiet(15), 100, 90, ...quiet(20)],
      is: { onset: 20, summit: 36, halfLife: 2, end: 38 },
    },
    {
      shape: 'a lull of some minutes on its way up and down',
      counts: [...quiet(20), 60, ...quiet(6), 100, 90, ...quiet(6), 40, ...quiet(20)],
      is: { onset: 20, summit: 27, halfLife: 2, end: 36 },
    },
    {
      shape: 'a second wave above half: the half-life waits for it',
      counts: [...quiet(20), 110, 30, 30, 80, 30, ...quiet(20)],
      is: { onset: 20, summit: 20, halfLife: 4, end: 25 },
    },
    {
      shape: 'two minutes as high: the first is the summit',
      counts: [...quiet(20), 50, 100, 100, 50, ...quiet(20)],
      is: { onset: 20, summit: 21, halfLife: 2, end: 24 },
    },
  ])('of $shape', ({ counts, is, from = 0 }) => {
    const curve = curveOf(counts, 0, MINUTE_MS);
    const near = { start: from * MINUTE_MS, end: counts.length * MINUTE_MS };
    const found = episodeOf(curve, baseline, near);
    expect(found).toEqual({ ...is, onsetKnown: true, halfLife: is.halfLife * MINUTE_MS });
  });

  it('extends over the nights of one event, to everything above its foot', () => {
    const day = [...quiet(600), ...Array.from({ length: 300 }, () => 40), ...quiet(540)];
    const low = [...quiet(700), 18, ...quiet(739)];
    const counts = [...low, ...day, ...day, ...quiet(660), 200, ...quiet(779), ...low];
    const curve = curveOf(counts, 0, MINUTE_MS);
    const near = { start: DAY_MS, end: 4 * DAY_MS };
    const whole = episodeOf(curve, baseline, near);
    expect(whole).toMatchObject({ onset: 1440 + 600, summit: 3 * 1440 + 660, end: 3 * 1440 + 661 });
    // By itself the last day is a separate event.
    const last = episodeOf(curve, baseline, { ...near, start: 3 * DAY_MS });
    expect(last).toMatchObject({ onset: 3 * 1440 + 660, end: 3 * 1440 + 661 });
  });

  it('bridges a lull of two of its buckets, whatever their length', () => {
    const hours = [...quiet(20), 50, 10, 10, 100, 10, 10, 40, 10, 10, 10, 40, ...quiet(20)];
    const near = { start: 0, end: DAY_MS };
    const found = episodeOf(curveOf(hours, 0, HOUR_MS), baseline, near);
    expect(found).toMatchObject({ onset: 20, summit: 23, end: 27 });
  });

  it('has an unknown onset if the start of the curve or a missing count hides it', () => {
    const near = { start: 0, end: 100 * MINUTE_MS };
    const cut = episodeOf(curveOf([50, 100, ...quiet(20)], 0, MINUTE_MS), baseline, near);
    expect(cut).toMatchObject({ onset: 0, onsetKnown: false });
    const hole = curveOf([...quiet(20), NaN, 50, 100, ...quiet(20)], 0, MINUTE_MS);
    expect(episodeOf(hole, baseline, near)).toMatchObject({ onset: 21, onsetKnown: false });
  });

  it('has no end and no half-life while it lasts', () => {
    const near = { start: 0, end: 100 * MINUTE_MS };
    const running = curveOf([...quiet(20), 100, 40, ...quiet(4)], 0, MINUTE_MS);
    expect(episodeOf(running, baseline, near)).toMatchObject({ end: null, halfLife: null });
    const hole = curveOf([...quiet(20), 100, NaN, ...quiet(20)], 0, MINUTE_MS);
    expect(episodeOf(hole, baseline, near)).toMatchObject({ end: null, halfLife: null });
  });

  it('takes its summit from the given time, and is null if nothing is above there', () => {
    const curve = curveOf([...quiet(20), 500, ...quiet(20), 100, ...quiet(20)], 0, MINUTE_MS);
    const near = { start: 30 * MINUTE_MS, end: 50 * MINUTE_MS };
    expect(episodeOf(curve, baseline, near)?.summit).toBe(41);
    expect(episodeOf(curve, baseline, { ...near, end: 40 * MINUTE_MS })).toBeNull();
  });
});

describe('a clear episode', () => {
  const START = Date.UTC(2026, 3, 1);
  const near = { start: START + 4 * DAY_MS, end: START + 5 * DAY_MS };
  const rising = (base: number, more: number) => {
    const of = noise(6);
    const counts = Array.from({ length: 9 * 1440 }, () => of(base));
    for (let i = 0; i < 120; i += 1) counts[4 * 1440 + 600 + i] = of(base + more * (1 - i / 120));
    return curveOf(counts, START, MINUTE_MS);
  };

  it.each([
    ['the minute of a great one', 20, 300, MINUTE_MS],
    ['5 minutes of a middling one', 0.2, 9, 5 * MINUTE_MS],
    ['an hour of a slight one', 0.05, 0.5, HOUR_MS],
  ])('is determined from %s, with the right onset', (_, base, more, width) => {
    const found = clearEpisode(rising(base, more), 'UTC', near);
    if (!found || found === 'unknown') throw new Error('expected an episode');
    expect(found.width).toBe(width);
    const onset = found.curve.bounds[found.episode.onset] ?? 0;
    expect(Math.abs(onset - (near.start + 10 * HOUR_MS))).toBeLessThanOrEqual(width);
    expect(found.episode.onsetKnown).toBe(true);
  });

  it('is null in plain noise, and unknown with too few buckets', () => {
    const level = curveOf(
      Array.from({ length: 3000 }, () => 7),
      START,
      MINUTE_MS,
    );
    expect(clearEpisode(level, 'UTC', { start: START, end: START + DAY_MS })).toBeNull();
    expect(clearEpisode(curveOf([1, 90, 2], START), 'UTC', near)).toBe('unknown');
  });

  it('of several days has the half-life of its days, whatever the minute of its summit', () => {
    const random = noise(4);
    const begin = 15;
    const excess = [1, 3, 2.5, 2, 1, 0.8];
    const counts = Array.from({ length: 30 * 1440 }, (_, i) => {
      const more = excess[Math.floor(i / 1440) - begin] ?? 0;
      // One minute has a hundred times the usual.
      return random(20 * (1 + more)) + (i === (begin + 1) * 1440 + 700 ? 2000 : 0);
    });
    const curve = curveOf(counts, START, MINUTE_MS);
    const event = { start: START + begin * DAY_MS, end: START + (begin + 6) * DAY_MS };
    const of = (foundBy?: number): number | null => {
      const found = clearEpisode(curve, 'UTC', event, foundBy);
      if (!found || found === 'unknown') throw new Error('expected an episode');
      return found.episode.halfLife;
    };
    // From the second day, the highest, to the end of the fourth.
    expect(of(DAY_MS)).toBe(3 * DAY_MS);
    expect(of()).toBe(MINUTE_MS);
  });

  it('of an hour has the half-life of its minutes, though it was found by days', () => {
    const random = noise(4);
    const begin = 15;
    const counts = Array.from({ length: 30 * 1440 }, (_, i) => {
      const since = i - begin * 1440 - 720;
      return random(1) + (since >= 0 && since < 90 ? 60 - Math.floor(since / 2) : 0);
    });
    const event = { start: START + begin * DAY_MS, end: START + (begin + 2) * DAY_MS };
    const found = clearEpisode(curveOf(counts, START, MINUTE_MS), 'UTC', event, DAY_MS);
    if (!found || found === 'unknown') throw new Error('expected an episode');
    expect(found.episode.halfLife).toBeGreaterThanOrEqual(60 * MINUTE_MS);
    expect(found.episode.halfLife).toBeLessThan(70 * MINUTE_MS);
  });
});
