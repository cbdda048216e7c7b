import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonBlocks, type JsonJob } from '#core/export/json.ts';
import { readJsonFile } from '#app/export/read-json.ts';
import { uniqueLabels } from '#core/export/csv.ts';
import { STATES } from '#core/series/series.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { isoLocal, zoneTable } from '#core/time/zone.ts';
import { exportJobs } from '#tests/support/data/export-jobs.ts';
import { runs } from '#tests/support/run/runs.ts';

const START = Date.UTC(2026, 2, 8, 5);

function written(job: JsonJob): string {
  const span = { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 1 };
  const decoder = new TextDecoder();
  let out = '';
  for (const { bytes } of jsonBlocks(job, zoneTable(job.zone, span))) {
    out += decoder.decode(bytes, { stream: true });
  }
  return out;
}

test('reads back to the same series', () => {
  fc.assert(
    fc.property(exportJobs, ({ zone, bounds, series }) => {
      const text = written({ form: 'json', zone, resolution: 'hour', bounds, series });
      const back = readJsonFile(text);
      if (!back.ok) throw new Error(back.problem.rule);
      const labels = uniqueLabels(series.map(({ label }) => label));
      for (const [i, { label, query, source, curve }] of back.series.entries()) {
        expect(label).toBe(labels[i]);
        expect([query, source]).toEqual([series[i]?.query, series[i]?.source]);
        expect(curve.bounds).toEqual(bounds);
        expect(curve.counts).toEqual(series[i]?.counts.map((count) => count + 0));
        expect(curve.states).toEqual(series[i]?.states);
        expect(curve.fetchedAt).toEqual(series[i]?.fetchedAt);
      }
    }),
    { numRuns: runs(100) },
  );
});

test.each([
  ['a file cut off', '{"program":"Groundswell","version":1,', /damaged or was cut off/],
  ['another version', '{"program":"Groundswell","version":2}', /as Groundswell writes it/],
  ['no buckets', '{"program":"Groundswell","version":1,"series":[],"buckets":[]}', /one row/],
])('names what is wrong with %s', (_, text, rule) => {
  const reading = readJsonFile(text);
  if (reading.ok) throw new Error('expected a problem');
  expect(reading.problem.rule).toMatch(rule);
});

test('parses to the queries and buckets of the view, missing counts as null', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), {
        maxLength: 3,
      }),
      fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(NaN)), {
        maxLength: 5,
      }),
      fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu'),
      (names, values, zone) => {
        const counts = Float64Array.from(values, (value) => value + 0);
        const job: JsonJob = {
          form: 'json',
          zone,
          resolution: 'hour',
          bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => START + i * HOUR_MS),
          series: names.map(([query, label]) => ({
            query,
            label,
            source: 'posts',
            counts,
            states: Uint8Array.from(counts, (_, i) => i),
            fetchedAt: Float64Array.from(counts, (count) => (count > 0 ? START : Number.NaN)),
          })),
        };
        const table = zoneTable(zone, { start: START, end: START + HOUR_MS * 9 });
        const iso = (at: number): string => new Date(at).toISOString();
        expect(JSON.parse(written(job))).toEqual({
          program: 'Groundswell',
          version: 1,
          zone,
          resolution: 'hour',
          series: names.map(([query, label]) => ({ label, query, source: 'posts' })),
          buckets: [...counts].map((count, i) => ({
            start: iso(START + i * HOUR_MS),
            end: iso(START + (i + 1) * HOUR_MS),
            local: isoLocal(table, START + i * HOUR_MS),
            counts: names.map(() => (Number.isNaN(count) ? null : count)),
            states: names.map(() => STATES[i]),
            fetched: names.map(() => (count > 0 ? iso(START) : null)),
          })),
        });
      },
    ),
  );
});

test('consists of blocks of about a megabyte', () => {
  const n = 20_000;
  const series = {
    query: 'q',
    label: 'l',
    source: 'posts',
    counts: new Float64Array(n),
    states: new Uint8Array(n),
    fetchedAt: new Float64Array(n).fill(START),
  };
  const bounds = Float64Array.from({ length: n + 1 }, (_, i) => START + i * HOUR_MS);
  const job: JsonJob = { form: 'json', zone: 'UTC', resolution: 'hour', bounds, series: [series] };
  const table = zoneTable('UTC', { start: START, end: bounds.at(-1) ?? 0 });
  const blocks = [...jsonBlocks(job, table)];
  expect(blocks.length).toBeGreaterThan(2);
  for (const { bytes } of blocks) expect(bytes.length).toBeLessThanOrEqual(2 ** 20);
  expect(blocks.at(-1)?.rows).toBe(n);
});
