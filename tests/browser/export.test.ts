import { strFromU8, unzipSync } from 'fflate';
import { readXlsx as readWorkbook } from 'hucre/xlsx';
import type { Download } from 'playwright';
import { describe, expect, it } from 'vitest';
import { readBundle } from '#app/export/bundle.ts';
import { fixedCurve } from '#app/export/fixed.ts';
import { DATA_SHEET } from '#app/export/pptx.ts';
import { readCsv } from '#app/export/read-csv.ts';
import { readXlsx } from '#app/export/read-xlsx.ts';
import { chooseExport, drag, totalOf, visit, type Visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

const VIEW =
  '#source=sample&from=2026-01-01&to=2026-03-31&zone=Europe/Berlin&by=day&q=matcha&name=Matcha&q="cold brew"&name=Cold brew';
const SPAN = { start: Date.UTC(2025, 11, 31, 23), end: Date.UTC(2026, 2, 31, 22) };

const stage = ownStage();

/** A file that an action downloads. */
async function downloaded(
  { page }: Visit,
  act: () => Promise<void>,
): Promise<{ name: string; bytes: Buffer }> {
  const waiting: Promise<Download> = page.waitForEvent('download');
  await act();
  const download = await waiting;
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(chunks) };
}

const saved = (visit: Visit, ...names: (string | RegExp)[]) =>
  downloaded(visit, () => chooseExport(visit.page, ...names));
const clicked = (visit: Visit, name: string) =>
  downloaded(visit, () => visit.page.getByRole('button', { name }).click());

describe('a view of the sample', () => {
  it('is exported in every form with the counts on the screen', async () => {
    const visitor = await visit(stage.browser);
    const { page, context, complaints } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${stage.service.url}/${VIEW}`);
    const total = await totalOf(page, 'Matcha');
    const name = 'groundswell_sample_2026-01-01_2026-03-31_day';

    await chooseExport(page, 'Spreadsheet', 'CSV options');
    await page.getByRole('checkbox', { name: 'Semicolons' }).check();
    await page.getByRole('checkbox', { name: 'Byte-order mark' }).check();
    await page.keyboard.press('Escape');
    const csv = await saved(visitor, 'Spreadsheet', 'CSV, one row per day and topic');
    expect(csv.name).toBe(`${name}_long.csv`);
    expect(csv.bytes.toString('utf8')).toMatch(/^\uFEFFquery;label;start_utc/);
    const reading = await readCsv(csv.bytes.toString('utf8'));
    if (!reading.ok) throw new Error(reading.problem.rule);
    expect(reading.series.map(({ label }) => label)).toEqual(['Matcha', 'Cold brew']);
    const counts = reading.series[0]?.curve.counts ?? new Float64Array();
    expect(counts).toHaveLength(90);
    expect([...counts].reduce((sum, count) => sum + count, 0)).toBe(total);

    const json = await saved(visitor, 'More', 'JSON');
    const { zone, buckets } = JSON.parse(json.bytes.toString('utf8')) as {
      zone: string;
      buckets: { counts: number[] }[];
    };
    expect(zone).toBe('Europe/Berlin');
    expect(buckets.map(({ counts: [first] }) => first)).toEqual([...counts]);

    const bundle = await readBundle(
      new Blob([Uint8Array.from((await saved(visitor, 'More', 'Bundle')).bytes)]),
    );
    expect(bundle.view).toContain('from=2026-01-01&to=2026-03-31');
    const fixed = bundle.series[0]?.series;
    if (!fixed) throw new Error('expected a series');
    const shown = fixedCurve(fixed, { span: SPAN, resolution: 'day', zone, weekStart: 1 });
    expect(shown.counts).toEqual(counts);
    expect(bundle.platform).toBeNull();

    await chooseExport(page, 'Slide…');
    await page.getByRole('img', { name: 'Preview: Matcha, Cold brew' }).waitFor();
    await page.getByLabel('Title', { exact: true }).fill('Two drinks');
    await page.getByRole('radio', { name: '4 : 3' }).check();
    const png = await clicked(visitor, 'Save PNG');
    // Its width and height.
    expect([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)]).toEqual([1600, 1200]);
    const svg = (await clicked(visitor, 'Save SVG')).bytes.toString('utf8');
    const deck = unzipSync((await clicked(visitor, 'Save PowerPoint')).bytes);
    expect(strFromU8(deck['ppt/slides/slide1.xml']!)).toContain('>Two drinks<');
    const sheets = (await readWorkbook(deck[DATA_SHEET]!)).sheets;
    expect(sheets[0]?.rows.slice(1).map(([, matcha]) => matcha)).toEqual([...counts]);
    await page.keyboard.press('Escape');
    const texts = await page.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, 'image/svg+xml');
      if (document.querySelector('parsererror')) return null;
      return [...document.querySelectorAll('text')].map((each) => each.textContent);
    }, svg);
    expect(texts).toEqual(expect.arrayContaining(['Two drinks', 'Matcha', 'Cold brew']));

    await chooseExport(page, 'More', 'Copy the summary');
    await page.getByText('The summary is on the clipboard.').waitFor();
    const copied = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const html = await (await item?.getType('text/html'))?.text();
      const cells = new DOMParser().parseFromString(html ?? '', 'text/html').querySelectorAll('td');
      return { text: await navigator.clipboard.readText(), first: cells[1]?.textContent };
    });
    expect(copied.first).toBe(String(total));
    expect(copied.text.split('\n')[1]).toMatch(new RegExp(`^Matcha\t${total}\t`));
    await chooseExport(page, 'More', 'Copy the buckets');
    await page.getByText('The buckets are on the clipboard.').waitFor();
    const rows = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect(rows).toHaveLength(91);
    expect(rows[1]).toBe(`2026-01-01\t${counts[0]}\t${reading.series[1]?.curve.counts[0]}\t`);

    const note = await saved(visitor, 'More', 'Save the method note');
    expect(note.bytes.toString('utf8')).toContain(`Total: ${total} Posts in 90 of 90 buckets`);

    const workbook = await saved(visitor, 'Spreadsheet', /^Excel, one row per day(?! and)/);
    const sheet = await readXlsx(Uint8Array.from(workbook.bytes));
    if (!sheet.ok) throw new Error(sheet.problem.rule);
    expect(sheet.series[0]?.curve.counts).toEqual(counts);
    const report = await saved(visitor, 'Report');

    // Every file opens again.
    for (const file of [csv, json, workbook, report]) {
      await page
        .getByLabel('File to open')
        .setInputFiles({ name: file.name, mimeType: '', buffer: file.bytes });
      await page.getByText(`Opened 2 series of “${file.name}”.`).waitFor();
      await page.keyboard.press('Control+z');
    }

    // The report needs neither the service nor a script, and nothing in it is refused.
    const alone = await stage.browser.newContext({ offline: true, javaScriptEnabled: false });
    const paper = await alone.newPage();
    const refused: string[] = [];
    paper.on('console', (message) => refused.push(message.text()));
    await paper.setContent(report.bytes.toString('utf8'));
    await paper.getByRole('heading', { name: 'Matcha, Cold brew' }).waitFor();
    await paper
      .getByRole('cell', { name: total.toLocaleString('en-US') })
      .first()
      .waitFor();
    expect(refused).toEqual([]);
    await alone.close();

    // The CSV options are remembered.
    await page.reload();
    await totalOf(page, 'Matcha');
    const again = await saved(visitor, 'Spreadsheet', /^CSV, one row per day(?! and)/);
    expect(again.bytes.toString('utf8')).toMatch(
      /^\uFEFFstart_utc;end_utc;start_local;date;Matcha;Cold brew;incomplete\r\n/,
    );
    expect(complaints).toEqual([]);
    await context.close();
  });

  it(
    'opens a file of counts as a series, which keeps its name, its place and the series computed from it',
    { tags: 'long' },
    async () => {
      const { page, context, complaints } = await visit(stage.browser);
      await page.goto(`${stage.service.url}/${VIEW}`);
      const total = await totalOf(page, 'Matcha');
      const csv = [
        'query,label,start_utc,end_utc,start_local,tweet_count,status,source,fetched_at',
        ...[1, 2, 3].map(
          (day) =>
            `,Panel,2026-02-0${day}T23:00:00.000Z,2026-02-0${day + 1}T23:00:00.000Z,2026-02-0${day + 1}T00:00:00+01:00,${day},settled,,`,
        ),
      ].join('\r\n');
      await drag(page, 'panel.csv', csv, 'drop');
      await page.getByText('Opened 1 series of “panel.csv”').waitFor();

      const list = page.getByRole('region', { name: 'Series' });
      const names = (): Promise<string[]> => list.getByRole('heading').allInnerTexts();
      await list.getByRole('button', { name: 'Rename Panel: from a file' }).click();
      await page.keyboard.type('Our panel');
      await page.keyboard.press('Enter');
      await list.getByRole('button', { name: 'Actions of Our panel' }).click();
      await page.getByRole('menuitem', { name: 'Combine with…' }).click();
      await page.getByRole('button', { name: /^Sum / }).click();
      await page.getByText('Our panel + Matcha', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.keyboard.type('Both');
      await page.keyboard.press('Enter');
      await list.getByRole('heading', { name: 'Both' }).waitFor();
      const all = await names();
      expect(all).toEqual(['Matcha', 'Cold brew', 'Our panel', 'Both']);
      await expect.poll(() => new URL(page.url()).hash).toContain('calc=');

      // Undo and redo of four steps: open, rename, combine, rename.
      for (let step = 0; step < 4; step += 1) await page.keyboard.press('Control+z');
      await expect.poll(names).toEqual(['Matcha', 'Cold brew']);
      for (let step = 0; step < 4; step += 1) await page.keyboard.press('Control+y');
      await expect.poll(names).toEqual(all);
      await expect.poll(() => new URL(page.url()).hash).toContain('name=Both');

      await page.reload();
      expect(await totalOf(page, 'Matcha')).toBe(total);
      await page.getByRole('row', { name: 'Our panel' }).getByText(/^6$/).waitFor();
      expect(await names()).toEqual(all);

      // The address does not contain the file, and another browser says so.
      const other = await visit(stage.browser);
      await other.page.goto(page.url());
      await other.page.getByText('“Our panel” came from a file').waitFor();
      expect(await totalOf(other.page, 'Matcha')).toBe(total);
      expect([...complaints, ...other.complaints]).toEqual([]);
      await Promise.all([context.close(), other.context.close()]);
    },
  );
});
