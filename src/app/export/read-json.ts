import * as v from 'valibot';
import { decimal } from '#core/export/bytes.ts';
import { LONG_AFTER, LONG_BEFORE, uniqueLabels } from '#core/export/csv.ts';
import { CountRows } from './read-csv.ts';
import { CsvError, type CsvReading } from './csv-problem.ts';

/** As `json.ts` writes it. */
const JsonFile = v.object({
  program: v.literal('Groundswell'),
  version: v.literal(1),
  series: v.array(v.object({ label: v.string(), query: v.string(), source: v.string() })),
  buckets: v.array(
    v.object({
      start: v.string(),
      end: v.string(),
      local: v.string(),
      counts: v.array(v.nullable(v.number())),
      states: v.array(v.string()),
      fetched: v.array(v.nullable(v.string())),
    }),
  ),
});

/**
 * Reads a JSON file as `json.ts` writes it. Repeated labels get a number, as in a CSV file.
 *
 * @returns All series, or only the first problem; its line is that of the bucket.
 */
export function readJsonFile(text: string): CsvReading {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const rule = 'JSON as Groundswell writes it; this is damaged or was cut off';
    return { ok: false, problem: { line: 1, column: '', value: text.slice(0, 40), rule } };
  }
  const file = v.safeParse(JsonFile, parsed);
  if (!file.success) {
    const [issue] = file.issues;
    const column = v.getDotPath(issue) ?? '';
    const rule = `${issue.expected ?? 'something else'}, as Groundswell writes it`;
    return { ok: false, problem: { line: 1, column, value: issue.received, rule } };
  }
  const { series, buckets } = file.output;
  const labels = uniqueLabels(series.map(({ label }) => label));
  const rows = new CountRows(', ', (cell) => cell);
  try {
    rows.take({ line: 1, cells: [...LONG_BEFORE, ...LONG_AFTER] });
    for (const [s, { query, source }] of series.entries()) {
      for (const [i, { start, end, local, counts, states, fetched }] of buckets.entries()) {
        const count = counts[s] ?? null;
        const cells = [
          query,
          labels[s] ?? '',
          start,
          end,
          local,
          count === null ? '' : decimal(count),
          states[s] ?? '',
          source,
          fetched[s] ?? '',
        ];
        rows.take({ line: i + 2, cells });
      }
    }
    return { ok: true, series: rows.end(buckets.length + 2) };
  } catch (error) {
    if (error instanceof CsvError) return { ok: false, problem: error.problem };
    throw error;
  }
}
