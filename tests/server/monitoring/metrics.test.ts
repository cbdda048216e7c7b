import { expect, test } from 'vitest';
import { openMetrics, type Amounts } from '#server/monitoring/metrics.ts';
import { readOpenMetrics } from '#tests/support/service/open-metrics.ts';

const NOTHING: Amounts = {
  posts: new Map(),
  chunks: new Map(),
  bytes: new Map(),
  spent: [],
  purchases: 0,
  deliveries: 0,
};
const request = { bytes: 1, id: null, method: 'GET', ms: 12, status: 200 };

test('metrics are OpenMetrics with the amounts of the moment', async () => {
  let amounts: Amounts = {
    ...NOTHING,
    posts: new Map([['posts', 1_160_349]]),
    spent: [{ month: '2026-11', requests: 3, dollars: 0.015 }],
    deliveries: 7,
  };
  const metrics = openMetrics({ version: '0.1.0', amounts: () => amounts });
  metrics.onRequest({ ...request, route: '/2/tweets/:id' });
  metrics.onRequest({ ...request, route: '/2/tweets/:id', ms: 700 });
  const read = metrics.import();
  read({ rows: 10 });
  read({ rows: 30 });
  // A replay begins again.
  read({ rows: 5 });
  read({ read: 32, added: 20, already: 10, refused: 2 });
  const families = readOpenMetrics(await metrics.text());
  const of = (name: string) =>
    families.get(`groundswell_${name}`)?.samples.map(({ labels, value }) => [labels, value]);
  expect(of('posts')).toEqual([[{ source: 'posts' }, 1_160_349]]);
  expect(of('platform_month_spent_dollars')).toEqual([[{ month: '2026-11' }, 0.015]]);
  expect(of('deliveries_pending')).toEqual([[{}, 7]]);
  expect(of('import_rows_read')).toEqual([[{}, 32]]);
  expect(of('imports_running')).toEqual([[{}, 1]]);
  expect(of('import_rows')).toEqual([
    [{ outcome: 'added' }, 20],
    [{ outcome: 'already' }, 10],
    [{ outcome: 'refused' }, 2],
  ]);
  expect(of('http_requests')).toEqual([
    [{ route: '/2/tweets/:id', method: 'GET', status: '200' }, 2],
  ]);
  const sum = families
    .get('groundswell_http_request_duration_seconds')
    ?.samples.find(({ name }) => name.endsWith('_sum'));
  expect(sum?.value).toBeCloseTo(0.712);
  for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes']) {
    expect(families.get(name)?.samples[0]?.value).toBeGreaterThanOrEqual(0);
  }

  amounts = NOTHING;
  read(null);
  const later = readOpenMetrics(await metrics.text());
  expect(later.get('groundswell_posts')?.samples).toEqual([]);
  expect(later.get('groundswell_imports_running')?.samples[0]?.value).toBe(0);
  metrics.close();
});

test('what is no OpenMetrics is not read as such', () => {
  const wrong = [
    'a 1\n# EOF\n',
    '# TYPE a counter\na 1\n# EOF\n',
    '# TYPE a gauge\na 1\na 1\n# EOF\n',
    '# TYPE a gauge\na{b="1",} 1\n# EOF\n',
    '# TYPE a gauge\na{b=1} 1\n# EOF\n',
    '# TYPE a gauge\na one\n# EOF\n',
    '# TYPE a gauge\na 1\n',
    '# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\n# EOF\n',
    '# TYPE a histogram\na_bucket{le="1"} 3\na_bucket{le="+Inf"} 2\na_count 2\na_sum 1\n# EOF\n',
  ];
  for (const text of wrong) expect(() => readOpenMetrics(text)).toThrow(SyntaxError);
});
