import type { Formatter } from '#app/format/formatter.ts';
import { bucketsIn } from '#core/series/window.ts';
import { isoLocal, wallTime } from '#core/time/zone.ts';
import { liftWindows } from './lift-picture.ts';
import { liftFacts, liftFigures, type LiftFact, type LiftReport } from './lift-report.ts';
import type { PlainSheet, SheetCell } from '#app/export/xlsx/plain-sheet.ts';
import type { SheetColumn } from '#app/export/xlsx/sheet.ts';

/** Names of the sheets that every lift has. */
export const LIFT_SHEETS = ['Lift', 'Windows'] as const;

const column = (name: string, width: number): SheetColumn => ({ name, width });
const count = (value: number): SheetCell => ({ value, as: 'count' });
const plain = (value: number): SheetCell => ({ value, as: 'plain' });

/** The columns of local time: the date and, for hours, the time of day. */
const localColumns = ({ scope }: LiftReport): SheetColumn[] =>
  scope.unit === 'hour' ? [column('date', 12), column('time', 8)] : [column('date', 12)];

function localCells({ scope: { table, unit } }: LiftReport, at: number): SheetCell[] {
  const value = wallTime(table, at);
  const date: SheetCell = { value, as: 'date' };
  return unit === 'hour' ? [date, { value, as: 'time' }] : [date];
}

const INSTANTS = [column('start_utc', 20), column('start_local', 26)];

const instantCells = ({ scope: { table } }: LiftReport, at: number): SheetCell[] => [
  { value: at, as: 'instant' },
  isoLocal(table, at),
];

function windowsSheet(report: LiftReport): PlainSheet {
  return {
    name: LIFT_SHEETS[1],
    columns: [
      ...localColumns(report),
      column('kind', 12),
      column('topic', 24),
      column('lift', 10),
      column('theta_minus_centre', 20),
      ...INSTANTS,
    ],
    rows: liftWindows(report).map(({ kind, name, start, value }) => [
      ...localCells(report, start),
      kind,
      name || report.topic.name,
      { value: Math.expm1(value), as: 'percent' },
      plain(value),
      ...instantCells(report, start),
    ]),
  };
}

function daysSheet(report: LiftReport): PlainSheet {
  const { curve, scope, figure } = report;
  const { first, end } = bucketsIn(curve.bounds, scope.campaign.start, scope.campaign.end);
  const { expected, low, high } = figure.without;
  return {
    name: scope.unit === 'day' ? 'Days' : 'Hours',
    columns: [
      ...localColumns(report),
      column('tweet_count', 13),
      column('expected', 13),
      column('low', 13),
      column('high', 13),
      ...INSTANTS,
    ],
    rows: Array.from({ length: end - first }, (_, i) => {
      const start = curve.bounds[first + i] ?? NaN;
      return [
        ...localCells(report, start),
        count(curve.counts[first + i] ?? NaN),
        ...[expected, low, high].map((of) => plain(of[i] ?? NaN)),
        ...instantCells(report, start),
      ];
    }),
  };
}

function cellOf(fact: LiftFact): SheetCell {
  if (!('as' in fact)) return fact.value;
  return { value: fact.value, as: fact.as === 'share' ? 'percent' : fact.as };
}

/**
 * The sheets of a lift: the sentences and figures, every window of the strip, and the buckets of the campaign.
 *
 * @param clock - The time of writing, epoch ms.
 */
export function liftSheets(
  report: LiftReport,
  format: Formatter,
  clock: number,
): readonly PlainSheet[] {
  const facts = [...liftFacts({ ...report, now: clock }, format), ...liftFigures(report)];
  return [
    {
      name: LIFT_SHEETS[0],
      columns: [column('name', 44), column('value', 96)],
      rows: facts.map((fact): SheetCell[] => [fact.name, cellOf(fact)]),
    },
    windowsSheet(report),
    daysSheet(report),
  ];
}
