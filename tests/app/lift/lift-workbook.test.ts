import { unzipSync } from 'fflate';
import fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import { plainWorkbook } from '#app/export/xlsx.ts';
import { Formatter } from '#app/format/formatter.ts';
import { liftPicture } from '#app/lift/lift-picture.ts';
import { costText, reportText, togetherText, type LiftReport } from '#app/lift/lift-report.ts';
import { liftSheets } from '#app/lift/lift-workbook.ts';
import { bucketsIn } from '#core/series/window.ts';
import { isoLocal } from '#core/time/zone.ts';
import { liftReport, liftReports } from '#tests/support/data/lift-reports.ts';
import { runs } from '#tests/support/run/runs.ts';

const WRITTEN = Date.UTC(2026, 10, 30, 10, 30);

async function written(report: LiftReport) {
  const format = new Formatter('en-GB', report.scope.table.zone);
  const parts: Uint8Array[] = [];
  for await (const { bytes } of plainWorkbook(liftSheets(report, format, WRITTEN))) {
    parts.push(bytes.slice());
  }
  const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  const { sheets } = await readXlsx(bytes);
  const rowsOf = (name: string) => {
    const [header = [], ...rows] = sheets.find((sheet) => sheet.name === name)?.rows ?? [];
    const cell = (row: (typeof rows)[number], of: string) => row[header.indexOf(of)];
    return { rows, cell };
  };
  const lift = rowsOf('Lift');
  const facts = new Map(lift.rows.map(([name, value]) => [String(name), value]));
  return { bytes, names: sheets.map(({ name }) => name), facts, rowsOf };
}

it('has the figures of the lift as numbers, and the sentences of the drawer', async () => {
  await fc.assert(
    fc.asyncProperty(liftReports, async (report) => {
      const { names, facts } = await written(report);
      expect(names).toEqual(['Lift', 'Windows', 'Days']);
      const { figure } = report;
      const { everyday, accounts } = figure;
      const expected: Record<string, number> = {
        Lift: figure.lift,
        'Band, level': figure.level / 100,
        'Band, low': figure.band.low,
        'Band, high': figure.band.high,
        'Rank, larger than': figure.rank.larger,
        'Rank, smaller than': figure.rank.smaller,
        'Rank, of separate earlier windows': figure.rank.of,
        Posts: figure.posts,
        'Additional Posts': figure.additional,
        'Additional Posts, low': figure.band.additional.low,
        'Additional Posts, high': figure.band.additional.high,
        'Smallest visible lift': figure.visible,
        'Lift to plan for': figure.planned,
        ...(figure.strict && { 'Band at 95%, low': figure.strict.low }),
        ...(everyday.kind === 'measure' && { 'Everyday: Lift': everyday.lift }),
        ...(accounts?.kind === 'measure' && {
          'Accounts: Lift': accounts.lift,
          'Different accounts': accounts.posts,
          'Additional accounts': accounts.additional,
        }),
        ...(figure.control && {
          'Control, weight': figure.control.weight,
          'Control, explained share of earlier swings': figure.control.explained,
        }),
        ...(report.chosen && { 'Control changed after the end, times': report.chosen.changes }),
      };
      for (const [name, value] of Object.entries(expected)) {
        expect(facts.get(name), name).toBeCloseTo(value, 12);
      }
      expect(facts.get('Written (UTC)')).toEqual(new Date(WRITTEN));
      expect(facts.has('Control, weight')).toBe(figure.control !== null);
      expect(facts.has('Different accounts')).toBe(accounts !== null);
      const text = reportText(report);
      const said = Object.entries({
        Result: text.headline,
        Chance: text.chance,
        'Everyday level': text.everyday,
        'Use of the control': text.control,
        Method: text.method,
        Check: text.backTest,
      });
      expect(said.map(([name]) => facts.get(name) ?? null)).toEqual(said.map(([, is]) => is));
      const sentences = [...facts.values()].filter((value) => value === text.accounts);
      expect(sentences).toHaveLength(text.accounts === null ? 0 : 1);
    }),
    { numRuns: runs(50) },
  );
});

it('has every dot of the picture, and every day of the campaign', async () => {
  await fc.assert(
    fc.asyncProperty(liftReports, async (report) => {
      const { rowsOf } = await written(report);
      const windows = rowsOf('Windows');
      const { dots } = liftPicture(report, 338);
      expect(windows.rows).toHaveLength(dots.length);
      const drawn = dots.map(({ kind, start, lift }) => `${kind} ${start} ${lift.toFixed(9)}`);
      const listed = windows.rows.map((row) => {
        const start = windows.cell(row, 'start_utc') as Date;
        const lift = Number(windows.cell(row, 'lift'));
        const local = isoLocal(report.scope.table, start.getTime());
        expect(windows.cell(row, 'start_local')).toBe(local);
        expect((windows.cell(row, 'date') as Date).toISOString().slice(0, 10)).toBe(
          local.slice(0, 10),
        );
        expect(Number(windows.cell(row, 'theta_minus_centre'))).toBeCloseTo(Math.log1p(lift), 9);
        return `${String(windows.cell(row, 'kind'))} ${start.getTime()} ${lift.toFixed(9)}`;
      });
      expect(listed.toSorted()).toEqual(drawn.toSorted());

      const days = rowsOf('Days');
      const { curve, scope, figure } = report;
      const { first, end } = bucketsIn(curve.bounds, scope.campaign.start, scope.campaign.end);
      const column = (name: string): number[] =>
        days.rows.map((row) => Number(days.cell(row, name)));
      expect(column('tweet_count')).toEqual(Array.from(curve.counts.slice(first, end)));
      for (const name of ['expected', 'low', 'high'] as const) {
        for (const [i, value] of column(name).entries()) {
          expect(value).toBeCloseTo(figure.without[name][i] ?? NaN, 9);
        }
      }
    }),
    { numRuns: runs(50) },
  );
});

it('names what is known, takes no text for a formula, and is no file of counts', async () => {
  const { bytes, facts } = await written(liftReport({ isControlled: true }));
  expect([facts.get('Campaign'), facts.get('Query'), facts.get('Control')]).toEqual([
    '=Launch & more',
    '-oat milk',
    'soy',
  ]);
  expect(facts.get('Choice of the control')).toMatch(/^Control chosen .*, changed 2 times after/);
  for (const [name, xml] of Object.entries(unzipSync(bytes))) {
    if (name.includes('sheet')) expect(new TextDecoder().decode(xml)).not.toMatch(/<f[ >]/);
  }
  expect(new TextDecoder('latin1').decode(bytes.slice(0, 200))).not.toContain('groundswell');
  const campaign = { ...liftReport().campaign, spend: 1_000, currency: 'EUR' };
  const shared = liftReport({ times: 4, over: { campaign, together: ['Spring'] } });
  const paid = await written(shared);
  const format = new Formatter('en-GB', 'UTC');
  expect(paid.facts.get('Cost')).toMatch(/^An additional Post cost/);
  expect(paid.facts.get('Cost')).toBe(costText(shared, format));
  expect(paid.facts.get('Other campaigns')).toBe(togetherText(shared));
  const plain = await written(liftReport());
  expect([...plain.facts.keys()].filter((name) => /control/i.test(name))).toEqual([]);
});
