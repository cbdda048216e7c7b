import fc from 'fast-check';
import { unzipSync, zipSync, type Zippable } from 'fflate';
import { describe, expect, it } from 'vitest';
import { formatView } from '#app/board/state/view.ts';
import { figureLines } from '#app/export/note.ts';
import { DATA_SHEET } from '#app/export/pptx.ts';
import { xlsxBlocks } from '#app/export/xlsx.ts';
import { openBoard, verifyFile } from '#app/report/main.ts';
import type { ReportForm } from '#contract/counts/report.ts';
import { bytesIn } from '#core/export/bytes.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { runs } from '#tests/support/run/runs.ts';

const NOW = Date.UTC(2026, 10, 23, 6);
const VIEW = formatView({
  source: 'sample',
  zone: 'UTC',
  range: { from: '2026-11-01', to: '2026-11-10' },
  resolution: 'day',
  series: ['tea', 'oat'].map((query) => ({ query, label: '', hidden: false })),
});

/** A file of two queries over ten days. */
async function file(form: ReportForm): Promise<Uint8Array<ArrayBuffer>> {
  const board = await openBoard({ link: `http://127.0.0.1:4319/#${VIEW}` });
  const written = await board.write(
    { now: NOW, zone: 'UTC', locale: 'en-US' },
    {
      sources: [
        {
          id: 'sample',
          store: 'sample',
          revision: 0,
          posts: 9,
          first: '2023-11-20T00:00:00Z',
          last: '2026-11-23T05:00:00Z',
          coverage: [{ start: '2023-11-20T00:00:00Z', end: null }],
        },
      ],
      stop: new AbortController().signal,
      count: async ({ bounds }) => {
        const size = bounds.length - 1;
        // 3,001 on the first of a month, all in one hour.
        const counts = Float64Array.from({ length: size }, (_, i) => {
          const at = new Date(bounds[i] ?? 0);
          return at.getUTCHours() === 0 ? 3_000 + at.getUTCDate() : 0;
        });
        const states = new Uint8Array(size).fill(STATE.settled);
        return { counts, states, fetchedAt: new Float64Array(size).fill(NOW) };
      },
    },
    form,
  );
  return written.bytes;
}

const verify = (name: string, bytes: Uint8Array<ArrayBuffer>) => verifyFile({ name, bytes });

/** Another digit in place of one. */
const otherDigit = (digit: string, by: number): string => String((Number(digit) + by) % 10);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const utf8 = (said: string) => new TextEncoder().encode(said);

describe('a file that is checked', () => {
  it.each(['html', 'pptx'] as const)('agrees with itself as it is written: %s', async (form) => {
    const found = await verify(`a.${form}`, await file(form));
    expect(found).toMatchObject({ counts: 20, wrong: null });
    expect(found.figures).toBeGreaterThan(20);
  });

  it('notices every change of one digit in a report, whatever figure it is of', async () => {
    const html = text(await file('html'));
    const digits = [...html.matchAll(/\d/g)].map(({ index }) => index);
    const change = fc.tuple(fc.constantFrom(...digits), fc.integer({ min: 1, max: 9 }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, by]) => {
        const changed = html.slice(0, at) + otherDigit(html[at]!, by) + html.slice(at + 1);
        const found = await verify('a.html', utf8(changed)).then(
          ({ wrong }) => wrong,
          ({ message }: Error) => message,
        );
        expect(found).not.toBeNull();
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('names the figure, also if the checksums were computed again', async () => {
    const parts = unzipSync(await file('pptx'));
    const wrongAfter = async (part: string, from: RegExp, to: string): Promise<string | null> => {
      const changed = text(parts[part]!).replace(from, to);
      expect(changed).not.toBe(text(parts[part]!));
      return (await verify('a.pptx', zipSync({ ...parts, [part]: utf8(changed) }))).wrong;
    };
    expect(await wrongAfter('ppt/charts/chart1.xml', /<c:v>3002</, '<c:v>3020<')).toBe(
      'Point 2 of column B in the chart: the file says 3020, and its counts give 3002.',
    );
    expect(await wrongAfter('ppt/notesSlides/notesSlide1.xml', /Total: \d+/, 'Total: 99')).toMatch(
      /^Total of “tea”: the file says 99 Posts in 10 of 10 buckets, and its counts give 30055 Posts/,
    );
    const book = unzipSync(parts[DATA_SHEET]!);
    const sheet = text(book['xl/worksheets/sheet1.xml']!).replace('<v>3003<', '<v>3004<');
    const within = zipSync({ ...book, 'xl/worksheets/sheet1.xml': utf8(sheet) });
    const { wrong } = await verify('a.pptx', zipSync({ ...parts, [DATA_SHEET]: within }));
    expect(wrong).toMatch(/^Total of “tea”: .*30055 .*30056 /);
    const html = text(await file('html'));
    const report = await verify('a.html', utf8(html.replace('<td>3,002</td>', '<td>3,020</td>')));
    expect(report.wrong).toMatch(
      /^“tea” at .*2.*: the file says 3020, and its counts give 3002\.$/,
    );
  });

  it.each(['long', 'wide'] as const)(
    'agrees as a workbook, %s, until a count is changed',
    async (shape) => {
      const size = 3;
      const bounds = Float64Array.from({ length: size + 1 }, (_, i) => NOW + i * DAY_MS);
      const counts = Float64Array.of(12, Number.NaN, 30);
      const states = Uint8Array.of(STATE.settled, STATE.never, STATE.settled);
      const curve = { bounds, counts, states, fetchedAt: Float64Array.of(NOW, Number.NaN, NOW) };
      const series = [{ query: 'tea', label: 'Tea', source: 'posts', ...curve }];
      const method = [
        { of: 'series', name: '', value: 'Tea' } as const,
        ...figureLines({ kind: 'query', ...curve }),
      ];
      const job = {
        form: 'xlsx',
        shape,
        timed: false,
        bounds,
        series,
        method,
        events: [],
      } as const;
      const table = zoneTable('UTC', { start: bounds[0]!, end: bounds[size]! });
      const bytes = await bytesIn(xlsxBlocks(job, table));
      expect(await verify('a.xlsx', bytes)).toMatchObject({ counts: 3, wrong: null });
      const parts = unzipSync(bytes);
      const sheet = 'xl/worksheets/sheet1.xml';
      const changed = utf8(text(parts[sheet]!).replace('<v>30<', '<v>31<'));
      // The mark of a workbook is in its first entry.
      const types = '[Content_Types].xml';
      const again: Zippable = {
        ...parts,
        [sheet]: changed,
        [types]: [parts[types]!, { extra: { 0x5747: utf8('groundswell:counts') } }],
      };
      expect((await verify('a.xlsx', zipSync(again))).wrong).toBe(
        'Total of “Tea”: the file says 42 Posts in 2 of 3 buckets, and its counts give 43 Posts in 2 of 3 buckets.',
      );
    },
  );

  it('says what else it cannot check', async () => {
    await expect(verify('a.csv', utf8('id,text\n'))).rejects.toThrow('a.csv');
    const html = text(await file('html')).replace(/<!--crc-32.*/, '');
    expect((await verify('a.html', utf8(html))).wrong).toMatch(/no checksum/);
  });
});
