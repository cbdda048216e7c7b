import { describe, expect, it } from 'vitest';
import { markIn, readAmount, readCount, type DecimalMark } from '#core/import/number.ts';

describe('a count', () => {
  it.each<[text: string, count: number | null]>([
    ['1234', 1234],
    ['12,345', 12_345],
    ['1.234.567', 1_234_567],
    ["12'345", 12_345],
    ['12 345', 12_345],
    ['12.0', 12],
    ['1.2K', null],
    ['12,34', null],
    ['-5', null],
  ])('%s', (text, count) => expect(readCount(text)).toBe(count));
});

describe('an amount', () => {
  it.each<
    [text: string, mark: DecimalMark | null, shows: DecimalMark | null, amount: number | null]
  >([
    ['12.5', null, '.', 12.5],
    ['1,50', null, ',', 1.5],
    ['$23.45', null, '.', 23.45],
    ['US$ 1,234.56', null, '.', 1234.56],
    ['1.234,56 €', null, ',', 1234.56],
    ["CHF 1'234.50", null, '.', 1234.5],
    ['1 234,50 zł', null, ',', 1234.5],
    ['12,345', null, null, 12_345],
    ['12,345', ',', null, 12.345],
    ['1.234', null, null, 1.234],
    ['1.234', ',', null, 1234],
    ['0.125', null, '.', 0.125],
    ['0.000001', null, '.', 0.000001],
    ['1,234,567', null, null, 1_234_567],
    ['1.2K', null, null, null],
    ['12.', null, '.', null],
    ['1,23,456', null, null, null],
    ['-5', null, null, null],
    ['', null, null, null],
  ])('%s where the mark is %s', (text, mark, shows, amount) => {
    expect(markIn(text)).toBe(shows);
    expect(readAmount(text, mark)).toBe(amount && Math.round(amount * 1_000_000));
  });
});
