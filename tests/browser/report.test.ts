import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatView, type View } from '#app/board/state/view.ts';
import { writeBoard } from '#app/counts/files/board-file.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { SPRING } from '#tests/support/data/inventory-laws.ts';
import { chooseExport, visit, type Visit } from '#tests/support/browser/browser.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

/** Without timers, nothing is added to the sample once it has caught up with the clock. */
const stage = ownStage(undefined, { timer: () => () => {} });

/**
 * The lines of a report, without the instants at which it was written and its counts were fetched, the numbers of the
 * pictures drawn so far, and the height of the browser's letters. A projection, which falls by less than a pixel a minute,
 * is at a whole pixel.
 */
function linesOf(html: string): string[] {
  return (
    html
      .replaceAll(/as of [^<]*/g, 'as of now')
      // It may still catch up in the first test.
      .replace(/\(\d+ Posts\)/, '(all Posts)')
      .replace(/, revision \d+, mark \w+/, ', a revision')
      .replace(/<!--crc-32:\w+-->/, '')
      .replaceAll(/<dt>(Written|Fetched)<\/dt><dd>[^<]*/g, '<dt>$1</dt><dd>now')
      .replaceAll(/(settled|provisional|partial),sample,\d{4}-[^\r]*/g, '$1,sample,now')
      .replaceAll(/\b(zr|cls-)\d+/g, '$1')
      .replaceAll(/(<text dominant-baseline="central"[^>]*) y="[\d.]+"/g, '$1')
      .replaceAll(
        /(matrix\([^)]*,)([\d.]+)(\)"[^>]* stroke-opacity="0\.55")/g,
        (_, before: string, y: string, after: string) =>
          `${before}${Math.round(Number(y))}${after}`,
      )
      .split('\n')
  );
}

/** The report of the page. */
async function pageReport({ page }: Visit): Promise<string[]> {
  const waiting = page.waitForEvent('download');
  await chooseExport(page, 'Report');
  const chunks: Buffer[] = [];
  for await (const chunk of await (await waiting).createReadStream()) chunks.push(chunk as Buffer);
  return linesOf(Buffer.concat(chunks).toString('utf8'));
}

/** The report that the command writes of a board. */
async function commandReport(board: string): Promise<string[]> {
  const out = mkdtempSync(join(stage.service.data, 'reports-'));
  const { code, err } = await groundswell(
    'report',
    board,
    '--out',
    out,
    '--data',
    stage.service.data,
  );
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [name = ''] = readdirSync(out);
  return linesOf(readFileSync(join(out, name), 'utf8'));
}

/** The first lines that differ. */
function differences(a: readonly string[], b: readonly string[]): string[] {
  const lines = Array.from({ length: Math.max(a.length, b.length) }, (_, i) => i);
  return lines
    .filter((i) => a[i] !== b[i])
    .slice(0, 5)
    .flatMap((i) => [`page: ${a[i]?.slice(0, 300)}`, `file: ${b[i]?.slice(0, 300)}`]);
}

/** The browser has the locale of this process, as the command does. */
const { locale } = Intl.DateTimeFormat().resolvedOptions();

async function expectSame(visitor: Visit, board: string): Promise<void> {
  const command = await commandReport(board);
  expect(command.length).toBeGreaterThan(200);
  // The page's report is complete once all of its counts are.
  await expect.poll(async () => differences(await pageReport(visitor), command)).toEqual([]);
  expect(visitor.complaints).toEqual([]);
}

const TWO = 'q=matcha&name=Matcha&q=%22cold+brew%22&name=Cold+brew';
const MONTHS = 'source=sample&from=2026-01-01&to=2026-03-31&zone=Europe/Berlin';

describe('groundswell report writes the report of the page', () => {
  it.each([
    ['two series over days', `${MONTHS}&by=day&${TWO}`],
    [
      'a year by weeks with a comparison and a trend',
      `source=sample&range=1y&zone=UTC&by=week&against=year&trendline=on&${TWO}`,
    ],
    [
      'shares of the hours of a zoom',
      `${MONTHS}&zoom=2026-02-02T00:00Z/2026-02-05T00:00Z&form=share&${TWO}`,
    ],
    [
      'rates per another series, stacked bars',
      `${MONTHS}&form=bars&trend=per-2&against=2026-01-01/2026-01-31&${TWO}&hidden=1`,
    ],
    [
      'a zone of half hours',
      'source=sample&from=2026-03-01&to=2026-03-14&zone=Asia/Kolkata&q=matcha',
    ],
    [
      'a forecast of the last days, a target and a formula',
      `source=sample&range=90d&zone=America/New_York&forecast=on&target=90+Goal&${TWO}&calc=A/B&name=Ratio`,
    ],
  ])('%s', { tags: 'long' }, async (_, view) => {
    const visitor = await visit(stage.browser, { locale });
    await visitor.page.goto(`${stage.service.url}/#${view}`);
    await expectSame(visitor, `${stage.service.url}/#${view}`);
    await visitor.context.close();
  });

  it('a board with a note, a campaign and a series from a file', { tags: 'long' }, async () => {
    const panel: FixedSeries = {
      label: 'Panel',
      query: '',
      source: 'a panel',
      ...curveOf([5, 7, 9], { start: Date.UTC(2026, 0, 5), width: DAY_MS }),
    };
    const view: View = {
      source: 'sample',
      range: { from: '2026-01-01', to: '2026-03-31' },
      zone: 'UTC',
      series: [
        { query: 'matcha', label: '', hidden: false, style: 3 },
        { query: '', label: 'Panel', hidden: false, file: fixedKey(panel) },
      ],
    };
    const notes = [
      { id: 'a', start: Date.UTC(2026, 1, 3, 9), end: null, text: 'Launch' },
      {
        id: 'b',
        start: Date.UTC(2026, 1, 20),
        end: Date.UTC(2026, 1, 27),
        text: 'Fair',
        campaign: SPRING,
      },
    ];
    const saved = {
      id: 'c',
      at: 1,
      opened: 1,
      name: 'Tea',
      view: formatView(view),
      notes,
      fixed: [panel],
    };
    const file = join(mkdtempSync(join(stage.service.data, 'board-')), 'Tea.groundswell-board');
    writeFileSync(file, new Uint8Array(await (await writeBoard(saved)).arrayBuffer()));
    const visitor = await visit(stage.browser, { locale });
    await visitor.page.goto(`${stage.service.url}/#${MONTHS}&q=oat`);
    await visitor.page.getByLabel('File to open').setInputFiles(file);
    await visitor.page.getByText('Launch').first().waitFor();
    await expectSame(visitor, file);
    await visitor.context.close();
  });
});
