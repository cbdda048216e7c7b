import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { FACTS, type NoteLine } from '#app/export/note.ts';
import { xlsxBlocks } from '#app/export/xlsx.ts';
import { joined } from '#app/report/figures.ts';
import { diffFiles } from '#app/report/main.ts';
import type { CountsFile } from '#contract/counts/report.ts';
import { bytesIn } from '#core/export/bytes.ts';
import { csvBlocks, type ExportSeries } from '#core/export/csv.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { bundleOf } from '#tests/support/data/bundles.ts';
import type { DiffReason, TopicDiff } from '#contract/counts/report-diff.ts';

const START = Date.UTC(2026, 4, 1);
const NOW = START + 30 * DAY_MS;
const utf8 = (text: string) => new TextEncoder().encode(text);

interface Given extends Partial<Omit<ExportSeries, 'counts' | 'states'>> {
  readonly states?: readonly number[];
  readonly start?: number;
  readonly width?: number;
}

function given(counts: readonly number[], over: Given = {}) {
  const { states, start = START, width = DAY_MS, ...said } = over;
  const { bounds, ...curve } = curveOf(counts, {
    start,
    width,
    ...(states && { states: [...states] }),
  });
  const series = { query: 'tea', label: 'Tea', source: 'posts', ...curve, ...said };
  const table = zoneTable('UTC', { start: bounds[0]!, end: bounds.at(-1)! });
  return { bounds, series: [series], table };
}

/** A CSV file: counts without a note. */
function csv(counts: readonly number[], over?: Given): CountsFile {
  const { table, ...job } = given(counts, over);
  const commas = { form: 'long', separator: ',', mark: false, timed: true } as const;
  return { name: 'a.csv', bytes: joined(csvBlocks({ ...commas, ...job }, table)) };
}

/** A workbook with a note. */
async function book(
  count: number,
  notes: Readonly<Record<string, string>>,
  { fact = FACTS.query, fetchedAt = NOW }: { fact?: string; fetchedAt?: number } = {},
): Promise<CountsFile> {
  const { table, ...job } = given([count], { fetchedAt: Float64Array.of(fetchedAt) });
  const method: NoteLine[] = [
    ...Object.entries(notes).map(([name, value]) => ({ of: 'note', name, value }) as const),
    { of: 'series', name: '', value: 'Tea' },
    { of: 'fact', name: fact, value: 'tea' },
  ];
  const rest = { form: 'xlsx', shape: 'long', timed: false, events: [], method } as const;
  return { name: 'a.xlsx', bytes: await bytesIn(xlsxBlocks({ ...rest, ...job }, table)) };
}

const store = (revision: number, { id = 'a1', mark = 'm' } = {}) => ({
  [FACTS.store]: `${id}, revision ${revision}, mark ${mark}`,
});

const diff = async (
  old: CountsFile | Promise<CountsFile>,
  now: CountsFile | Promise<CountsFile>,
  limit = 10,
): Promise<readonly TopicDiff[]> =>
  await diffFiles({ old: await old, new: await now }, limit, {
    now: NOW,
    zone: 'UTC',
    locale: 'en-US',
  });

describe('the reason of a difference', () => {
  const { partial, provisional, uncovered, failed } = STATE;
  const gap = Number.NaN;
  it.each<[DiffReason, string, CountsFile | Promise<CountsFile>, CountsFile | Promise<CountsFile>]>(
    [
      ['query', 'another query: tea → oat', csv([3]), csv([4], { query: 'oat' })],
      ['source', 'another source: posts → sample', csv([3]), csv([4], { source: 'sample' })],
      ['store', 'another store of Posts', book(3, store(1)), book(4, store(1, { id: 'b2' }))],
      ['store', 'another store of Posts', bundleOf(3), bundleOf(4, { id: 'b2' })],
      ['store', 'another store of Posts', bundleOf(3), book(9, store(1, { id: 'b2' }))],
      [
        'rules',
        'other rules of queries: version 1 → version 2',
        bundleOf(3),
        bundleOf(4, { rules: 2 }),
      ],
      [
        'rules',
        'other rules of queries: version 1 → version 2',
        book(3, { [FACTS.rules]: 'version 1' }),
        book(4, { [FACTS.rules]: 'version 2' }),
      ],
      [
        'uncovered',
        'the source of the old file has no data there',
        csv([gap], { states: [uncovered] }),
        csv([4]),
      ],
      ['uncounted', 'the new file has no count of it', csv([3]), csv([gap], { states: [failed] })],
      [
        'computed',
        'it is computed from other topics',
        book(3, {}, { fact: FACTS.formula }),
        book(4, {}, { fact: FACTS.formula }),
      ],
      [
        'index',
        'another index of the platform: version 1 → 2',
        bundleOf(3, { source: 'platform', index: 1 }),
        bundleOf(4, { source: 'platform', index: 2 }),
      ],
      [
        'restored',
        'the store was restored from a backup',
        book(3, store(5)),
        book(4, store(5, { mark: 'n' })),
      ],
      [
        'restored',
        'the store was restored from a backup',
        book(3, store(5)),
        book(4, store(4), { fetchedAt: NOW + 1 }),
      ],
      [
        'import',
        'Posts were added or included: the store went from revision 5 to 7',
        book(3, store(5)),
        book(4, store(7)),
      ],
      [
        'import',
        'Posts were added or included: the store went from revision 2 to 9',
        bundleOf(3, { generation: 2 }),
        // The second time that the store was restored.
        bundleOf(4, { generation: 2 * 2 ** 40 + 9 }),
      ],
      [
        'deletion',
        'Posts were deleted or excluded, or no longer match: the store went from revision 5 to 7',
        book(4, store(5)),
        book(3, store(7)),
      ],
      [
        // The files are in the other order.
        'import',
        'Posts were added or included: the store went from revision 7 to 5',
        book(4, store(7)),
        book(3, store(5)),
      ],
      [
        'unfinished',
        'cut or not over yet in the old file',
        csv([3], { states: [partial] }),
        csv([4]),
      ],
      [
        'unsettled',
        'not settled yet in the old file and the new file',
        csv([3], { states: [provisional] }),
        csv([4], { states: [provisional] }),
      ],
      ['unknown', 'the files do not tell', csv([3]), csv([4])],
      ['unknown', 'the files do not tell', book(3, store(5)), book(4, store(5))],
      ['unknown', 'the files do not tell', csv([3]), book(4, store(5))],
      ['unknown', 'the files do not tell', bundleOf(3), bundleOf(4)],
    ],
  )('is %s: %s', async (reason, why, old, now) => {
    const [topic] = await diff(old, now);
    expect(topic?.buckets.map(({ reason, why }) => [reason, why])).toEqual([[reason, why]]);
    expect(topic?.reasons).toEqual({ [reason]: 1 });
  });

  it('is not another query if only its typing differs', async () => {
    const [topic] = await diff(csv([3], { query: 'TEA  oat' }), csv([4], { query: 'tea oat' }));
    expect(topic?.reasons).toEqual({ unknown: 1 });
  });
});

describe('the buckets of a topic', () => {
  it('are the same, moved, known to one file, or to none: unknown is never zero', async () => {
    const gap = Number.NaN;
    const [topic] = await diff(csv([1, 2, 0, gap, gap, 6]), csv([1, 3, gap, 0, gap, 4]), 3);
    const at = (day: number) => ({ start: START + day * DAY_MS, end: START + (day + 1) * DAY_MS });
    expect(topic).toMatchObject({
      topic: 'Tea',
      in: 'both',
      same: 1,
      unknown: 1,
      moved: 2,
      onlyKnown: { old: 1, new: 1 },
      reasons: { unknown: 2, uncounted: 2 },
      only: { old: null, new: null },
      incomparable: { old: 0, new: 0 },
    });
    expect(topic?.buckets).toMatchObject([
      { ...at(1), old: 2, new: 3, difference: 1 },
      { ...at(2), old: 0, new: null, difference: null },
      { ...at(3), old: null, new: 0, difference: null },
    ]);
  });

  it.each<[string, Given, Pick<TopicDiff, 'same' | 'only' | 'incomparable'>]>([
    [
      'another range',
      { start: START + DAY_MS },
      {
        same: 2,
        only: {
          old: { buckets: 1, start: START, end: START + DAY_MS },
          new: { buckets: 1, start: START + 3 * DAY_MS, end: START + 4 * DAY_MS },
        },
        incomparable: { old: 0, new: 0 },
      },
    ],
    [
      'another zone',
      { start: START - HOUR_MS },
      { same: 0, only: { old: null, new: null }, incomparable: { old: 3, new: 3 } },
    ],
    [
      'another resolution',
      { width: HOUR_MS },
      {
        same: 0,
        only: { old: { buckets: 2, start: START + DAY_MS, end: START + 3 * DAY_MS }, new: null },
        incomparable: { old: 1, new: 3 },
      },
    ],
    [
      'another time',
      { start: START + 9 * DAY_MS },
      {
        same: 0,
        only: {
          old: { buckets: 3, start: START, end: START + 3 * DAY_MS },
          new: { buckets: 3, start: START + 9 * DAY_MS, end: START + 12 * DAY_MS },
        },
        incomparable: { old: 0, new: 0 },
      },
    ],
  ])('are compared only with the same edges: %s', async (_, over, expected) => {
    const [topic] = await diff(csv([5, 5, 5]), csv([5, 5, 5], over));
    expect(topic).toMatchObject({ moved: 0, buckets: [], ...expected });
  });

  it('are those of a bundle and of a file alike', async () => {
    expect(await diff(bundleOf(3), csv([4, 7, 4]))).toMatchObject([{ same: 2, moved: 1 }]);
  });
});

describe('topics', () => {
  const both = (...labels: string[]): CountsFile => {
    const { table, bounds, series } = given([1]);
    const all = labels.map((label) => ({ ...series[0]!, label, query: label.toLowerCase() }));
    const commas = { form: 'long', separator: ',', mark: false, timed: true } as const;
    const bytes = joined(csvBlocks({ ...commas, bounds, series: all }, table));
    return { name: 'a.csv', bytes };
  };

  it('are paired by label, then by query; those of one file are named', async () => {
    const found = await diff(both('Tea', 'Oat', 'Rye'), both('Rye', 'Tea', 'Soy', 'Fog'));
    expect(found.map((topic) => [topic.topic, topic.in, topic.same])).toEqual([
      ['Tea', 'both', 1],
      ['Oat', 'old', 0],
      ['Rye', 'both', 1],
      ['Soy', 'new', 0],
      ['Fog', 'new', 0],
    ]);
    const renamed = await diff(csv([1]), csv([1], { label: 'Green\u001B[31m tea' }));
    expect(renamed).toMatchObject([{ topic: 'Tea → Green [31m tea', in: 'both', same: 1 }]);
  });

  it('that remain alone in both files are one with another query', async () => {
    const found = await diff(csv([1], { label: 'tea' }), csv([2], { label: 'oat', query: 'oat' }));
    expect(found).toMatchObject([{ topic: 'tea → oat', reasons: { query: 1 } }]);
  });
});

it.each<[string, Uint8Array<ArrayBuffer>, RegExp]>([
  ['a.html', utf8('<!DOCTYPE html>\n<!--groundswell:report-->'), /^a\.html: It has too many/],
  ['a.csv', utf8('id,text\n1,tea\n'), /^a\.csv: .*is not a report, workbook/],
  ['a.csv', utf8('query,label,start_utc\n1,2,3\n'), /^a\.csv: Its counts cannot be read: Line 1/],
  ['a.json', utf8('{"program":"Groundswell","series":'), /^a\.json: Its counts cannot be read/],
  ['a.groundswell', utf8('PK'), /^a\.groundswell: /],
  ['a.xlsx', zipSync({ 'xl/workbook.xml': utf8('<a/>') }), /^a\.xlsx: .*is not a report/],
  ['a.pptx', zipSync({ 'ppt/charts/chart1.xml': utf8('<a/>') }), /^a\.pptx: .*cannot be read/],
  ['a.pptx', utf8('PK\u0003\u0004 cut off'), /^a\.pptx: .*cannot be read/],
  ['empty', new Uint8Array(), /^empty: .*is not a report/],
])(
  'a file that is foreign or damaged is named with the reason: %s',
  async (name, bytes, message) => {
    await expect(diff(csv([1]), { name, bytes })).rejects.toThrow(message);
    await expect(diff({ name, bytes }, csv([1]))).rejects.toThrow(message);
  },
);
