import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { finishDraft } from '#server/import/draft.ts';
import { IdMaker } from '#server/import/id-maker.ts';
import { instantOf, readId, snowflake } from '#core/import/id.ts';
import { readInstant } from '#core/import/instant.ts';

const NOW = Date.UTC(2026, 10, 21);

describe('time of a row', () => {
  const aug = Date.UTC(2017, 7, 27, 4, 5, 34);
  const TIMES: readonly [string, number | null][] = [
    ['2017-08-27T04:05:34Z', aug],
    ['2017-08-27T04:05:34.200Z', aug + 200],
    ['2017-08-27T04:05:34.2Z', aug + 200],
    ['2017-08-27T04:05:34.123456Z', aug + 123],
    ['2017-08-27 04:05:34', aug],
    ['2017-08-27 04:05:34 UTC', aug],
    ['2017-08-27T04:05', aug - 34_000],
    ['2017-08-27T00:05:34-04:00', aug],
    ['2017-08-27T09:35:34+0530', aug],
    ['Sun Aug 27 04:05:34 +0000 2017', aug],
    ['Sun Aug 27 06:05:34 +0200 2017', aug],
    ['1503806734', aug],
    ['1503806734200', aug + 200],
    ['2016-02-29T00:00:00Z', Date.UTC(2016, 1, 29)],
    ['2017-02-29T00:00:00Z', null],
    ['2017-13-01T00:00:00Z', null],
    ['2017-08-27T24:00:00Z', null],
    ['2017-08-27T04:05:3xZ', null],
    ['2017-08-27', null],
    ['08/27/2017 04:05', null],
    ['Sun Ugu 27 04:05:34 +0000 2017', null],
    ['yesterday', null],
  ];
  test.each(TIMES)('%s', (text, instant) => expect(readInstant(text)).toBe(instant));

  it('from toISOString is that instant', () => {
    const instants = fc.date({
      min: new Date(0),
      max: new Date('2100-01-01'),
      noInvalidDate: true,
    });
    fc.assert(fc.property(instants, (date) => readInstant(date.toISOString()) === date.getTime()));
  });
});

describe('id', () => {
  test.each([
    ['1', 1n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['9223372036854775808', null],
    ['0', null],
    ['', null],
    ['-1', null],
    ['9.2e17', null],
    ['12345678901234567890', null],
  ])('%j is %s', (text, id) => expect(readId(text)).toBe(id));

  it('contains its time since 2010-11-04, as the platform states', () => {
    // A real Post of 2017-10-23T12:30:10Z.
    expect(instantOf(922440008971292672n)).toBe(Date.UTC(2017, 9, 23, 12, 30, 10, 902));
    expect(instantOf(20n)).toBe(null);
    expect(instantOf(snowflake(NOW, 77))).toBe(NOW);
  });

  it('made for a row is the same at every import and differs for each equal row', () => {
    const make = (): bigint[] => {
      const ids = new IdMaker();
      return Array.from({ length: 1000 }, (_, i) =>
        ids.make(NOW, 'a', i % 3 === 0 ? 'same' : `text ${i % 100}`),
      );
    };
    const ids = make();
    expect(new Set(ids).size).toBe(1000);
    // Ids of the platform are below 2^62 until 2045.
    expect(ids.every((id) => id >= 2n ** 62n && id < 2n ** 63n)).toBe(true);
    expect(make()).toEqual(ids);
  });

  it('made for equal rows does not depend on the rows between them', () => {
    const one = new IdMaker();
    const other = new IdMaker();
    const row = (ids: IdMaker, text: string): bigint => ids.make(NOW, 'a', text);
    const first = [row(one, 'x'), row(one, 'x'), row(one, 'x')];
    const second = [
      row(other, 'x'),
      row(other, 'y'),
      row(other, 'x'),
      row(other, 'z'),
      row(other, 'x'),
    ];
    expect([second[0], second[2], second[4]]).toEqual(first);
  });

  it('made for many rows stays unique beyond the first table', () => {
    const ids = new IdMaker();
    const made = new Set(Array.from({ length: 60_000 }, (_, i) => ids.make(NOW + i, 'a', 'x')));
    expect(made.size).toBe(60_000);
  });
});

describe('a draft', () => {
  const finish = (id: bigint | null, createdAt: number | null) =>
    finishDraft({ id, createdAt, post: { text: 'x' }, text: 'x', rest: null }, new IdMaker(), NOW);

  test.each([
    [null, null, 'has neither an id nor a time'],
    [20n, null, 'has no time, and its id does not contain one'],
    [
      1n,
      Date.UTC(2006, 2, 20),
      'its time 2006-03-20T00:00:00.000Z is before 2006-03-21, when the archive begins',
    ],
    [1n, NOW + 86_400_001, 'its time 2026-11-22T00:00:00.001Z is in the future'],
  ])('with id %s and time %s is refused: %s', (id, createdAt, reason) => {
    expect(finish(id, createdAt)).toBe(reason);
  });

  it('gets its time from the id, or its id from the content', () => {
    expect(finish(snowflake(NOW - 5, 0), null)).toMatchObject({ createdAt: NOW - 5 });
    expect(finish(null, NOW)).toMatchObject({ createdAt: NOW });
    expect(finish(5n, NOW + 86_400_000)).toMatchObject({ id: 5n });
    expect(finish(5n, Date.UTC(2006, 2, 21))).toMatchObject({ id: 5n });
  });
});
