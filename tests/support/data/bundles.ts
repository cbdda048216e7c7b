import { formatView } from '#app/board/state/view.ts';
import { seriesKey } from '#app/counts/cache/records.ts';
import { seriesRowOf } from '#app/counts/cache/series-row.ts';
import { writeBundle } from '#app/export/bundle.ts';
import type { BundleSeries } from '#app/export/fixed.ts';
import type { CountsFile } from '#contract/counts/report.ts';
import { recordsOf, SETTLE_MS } from '#core/counts/ledger.ts';
import { DAY_MS } from '#core/time/span.ts';

const START = Date.UTC(2026, 4, 1);

/** A bundle with one answer about the first three days of May 2026. @param count - Of the second day; the others have 4. */
export async function bundleOf(
  count: number,
  {
    source = 'posts' as 'posts' | 'platform',
    id = 'a1',
    rules = 1,
    generation = 0,
    index = 0,
    fetchedAt = START + 30 * DAY_MS,
  } = {},
): Promise<CountsFile> {
  const key = seriesKey(source, id, 'tea', rules);
  const span = { start: START, end: START + 3 * DAY_MS };
  const note = { at: fetchedAt, generation, endpoint: 'all' } as const;
  const counts = [4, count, 4];
  const requested = {
    id: 'r',
    request: 'r',
    series: key,
    granularity: 'day',
    endpoint: 'all',
    purpose: 'count',
    requested: span,
    reported: span,
    total: 8 + count,
    at: fetchedAt,
    generation,
    index,
    price: 0,
    bytes: 9,
    accepted: true,
    faults: [],
    revisions: [],
  } as const;
  const series: BundleSeries = {
    from: 'bundle',
    label: 'Tea',
    query: 'tea',
    source,
    contents: {
      row: { ...seriesRowOf(key, 0), query: 'tea' },
      store: null,
      run: null,
      requests: [],
      receipts: [requested],
      records: recordsOf(key, 'day', { ...span, counts, receipt: 'r', note }),
    },
    settleMs: SETTLE_MS,
    asOf: span.end,
  };
  const blob = await writeBundle({
    name: '',
    view: formatView({
      source,
      zone: 'UTC',
      range: { from: '2026-05-01', to: '2026-05-03' },
      resolution: 'day',
      series: [{ query: 'tea', label: 'Tea', hidden: false }],
    }),
    notes: [],
    span,
    past: [],
    series: [{ place: 0, label: 'Tea', counts: { from: 'fixed', series } }],
    cache: null,
  });
  return { name: 'a.groundswell', bytes: new Uint8Array(await blob.arrayBuffer()) };
}
