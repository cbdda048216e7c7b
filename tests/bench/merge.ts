import { recordsOf, type CellRecord, type ReportedCounts } from '#core/counts/ledger.ts';
import { DAY_MS, MINUTE_MS, cellSpan } from '#core/time/span.ts';
import { goal, shown, table, time, timing } from './measure.ts';
import { merge } from '#core/counts/merge-records.ts';

const CELL = cellSpan(240);
/** Merges per timing: a single one is too short for the clock and drowns in garbage collection. */
const MERGES = 20;

/** Counts by minute for part of a cell as a page reports them: floats, as read. */
function page(
  from: number,
  days: number,
  receipt: string,
  most: number,
  at: number,
): ReportedCounts {
  const start = CELL.start + from * DAY_MS;
  const end = start + days * DAY_MS;
  const counts = Float64Array.from(
    { length: (end - start) / MINUTE_MS },
    (_, i) => (i * 31 + from * 17) % most,
  );
  return { start, end, counts, receipt, note: { at, generation: 0, endpoint: 'all' } };
}

function recordOf(reported: ReportedCounts): CellRecord {
  const [record] = recordsOf('bench', 'minute', reported);
  if (!record) throw new Error('a page without a record');
  return record;
}

/** Times turning a page of minutes into a record and merging it into the stored record. */
export async function benchMerge(rounds: number): Promise<void> {
  const settled = CELL.end + 3 * DAY_MS;
  const rows = [['what', 'ms']];
  let worst = 0;
  const measure = async (
    name: string,
    before: CellRecord,
    reported: ReportedCounts,
  ): Promise<void> => {
    const all = await time(rounds, () => {
      for (let i = 0; i < MERGES; i++) merge(before, recordOf(reported));
    });
    const each = timing([all.min, all.median, all.max].map((ms) => ms / MERGES));
    rows.push([name, shown(each)]);
    worst = Math.max(worst, each.median);
  };
  for (const most of [97, 5000, 100_000]) {
    const counts = `counts below ${most.toLocaleString('en')}`;
    const known = recordOf(page(0, 20, 'a', most, settled));
    await measure(`16 days, 5 of 20 again, ${counts}`, known, page(15, 16, 'b', most, settled));
    const whole = recordOf(page(0, 31, 'c', most, CELL.end));
    await measure(
      `31 days over provisional ones, ${counts}`,
      whole,
      page(0, 31, 'd', most, settled),
    );
  }
  let many = recordOf(page(0, 31, 'm', 97, settled + 40 * DAY_MS));
  for (let day = 0; day < 31; day += 2) {
    many = merge(many, recordOf(page(day, 1, `r${day}`, 97, settled + day * DAY_MS)));
  }
  const over = page(0, 31, 'n', 97, settled + 20 * DAY_MS);
  await measure(`31 days into ${many.segments.length} stretches`, many, over);
  table('Merge of a page into a record of minutes', rows);
  goal('the slowest of these', worst, '≤', 1, ' ms');
}
