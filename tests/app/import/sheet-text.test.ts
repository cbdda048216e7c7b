import { describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { orderOptions, timeWords } from '#app/import/sheet-text.ts';
import { planTable, type TablePlan } from '#core/import/table.ts';

const format = new Formatter('en-GB', 'UTC');

function planOf(...dates: string[]): TablePlan {
  const rows = ['date', ...dates].map((date, i) => ({
    kind: 'columns' as const,
    line: i + 1,
    fields: [date, i === 0 ? 'text' : 'tea'],
  }));
  return planTable(rows, {}, {}, Date.UTC(2026, 10, 21));
}

describe('the orders of a date', () => {
  it('are shown by the first date of the file that has both', () => {
    const plan = planOf('04/03/2024 05:06', '05/03/2024 05:06');
    expect(orderOptions(plan, format)).toEqual([
      ['DMY', 'Day first: 04/03/2024 is 4 Mar 2024'],
      ['MDY', 'Month first: 04/03/2024 is 3 Apr 2024'],
    ]);
  });

  it('are shown where the file decides, too', () => {
    const plan = planOf('13/03/2024');
    expect(orderOptions(plan, format)).toEqual([
      ['DMY', 'Day first: 13/03/2024 is 13 Mar 2024'],
      ['MDY', 'Month first: 13/03/2024 is not a date'],
    ]);
  });

  it('need no choice where points are between the numbers', () => {
    expect(timeWords(planOf('4.3.2024'))).toBe('Day and month in numbers, the day first');
  });
});
