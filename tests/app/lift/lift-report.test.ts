import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costText, togetherText } from '#app/lift/lift-report.ts';
import { Formatter } from '#app/format/formatter.ts';
import { liftReports } from '#tests/support/data/lift-reports.ts';

const format = new Formatter('en-GB', 'UTC');

describe('the cost of an additional Post', () => {
  it('is there exactly if the band says a rise and the spend is known', () => {
    fc.assert(
      fc.property(liftReports, (report) => {
        const rises = report.figure.band.low > 0 && report.figure.band.additional.low >= 1;
        expect(costText(report, format) !== '').toBe(rises);
        const campaign = { ...report.campaign, spend: null };
        expect(costText({ ...report, campaign }, format)).toBe('');
      }),
      { numRuns: 20 },
    );
  });

  it('has its currency, and the ends of the band the other way round', () => {
    const [report] = fc.sample(liftReports, { numRuns: 1, seed: 1 });
    if (!report) throw new Error('expected a report');
    const additional = { low: 100, high: 400 };
    const figure = {
      ...report.figure,
      additional: 200,
      band: { ...report.figure.band, low: 0.2, additional },
    };
    expect(costText({ ...report, figure }, format)).toBe(
      'An additional Post cost about €6 (€3 to €12).',
    );
    const campaign = { ...report.campaign, spend: 17.49 };
    expect(costText({ ...report, figure, campaign }, format)).toBe(
      'An additional Post cost about €0.087 (€0.044 to €0.17).',
    );
  });
});

describe('campaigns of the same time', () => {
  it('are named, because the lift is that of all', () => {
    expect(togetherText({ together: [] })).toBe('');
    expect(togetherText({ together: ['A', 'B'] })).toBe(
      '“A” and “B” ran at the same time: the lift is that of all of them.',
    );
  });
});
