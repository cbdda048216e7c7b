import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { ics } from '#tests/server/calendars/calendar-texts.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { counted, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { writePosts } from '#tests/support/service/service.ts';

const stage = ownStage(async (folder) => {
  const posts = ['2026-02-26', '2026-03-12', '2026-04-03'].map((day, i) => ({
    id: BigInt(i + 1),
    createdAt: Date.parse(day),
    text: 'boots',
  }));
  writePosts(join(folder, 'sample.sqlite'), posts);
});

const VIEW = '/#source=sample&from=2026-02-26&to=2026-04-03&zone=Europe/Berlin&by=day&q=boots';

/** Each Tuesday at nine in New York, whose clocks change three weeks before those of Berlin; and a day. */
const STANDUPS = ics(
  [
    'UID:standup',
    'DTSTART;TZID=America/New_York:20260303T090000',
    'DTEND;TZID=America/New_York:20260303T093000',
    'RRULE:FREQ=WEEKLY;COUNT=5',
    'SUMMARY:Standup',
    'LOCATION:Room 4',
  ],
  ['UID:fair', 'DTSTART;VALUE=DATE:20260329', 'SUMMARY:Fair'],
);

/** Drops a file on the page. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const files = await page.evaluateHandle(
    ([name = '', text = '']) => {
      const files = new DataTransfer();
      files.items.add(new File([text], name));
      return files;
    },
    [name, text],
  );
  await page.dispatchEvent('body', 'dragover', { dataTransfer: files });
  await page.getByText('Drop to import into Your posts').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer: files });
}

/** The downloaded text. */
async function saved(page: Page, button: string): Promise<string> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await waiting).createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe('a calendar', () => {
  it('that is none, or whose pasted address is refused, says why', async () => {
    const { context, page } = await visit(stage.browser);
    await page.goto(`${stage.service.url}${VIEW}`);
    await counted(page);
    await drop(page, 'notes.ics', 'Some notes');
    await page
      .getByText(
        'notes.ics Line 1: This is not a calendar (.ics), which begins with BEGIN:VCALENDAR.',
      )
      .waitFor();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'webcal://127.0.0.1/fairs.ics\n');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    });
    await page
      .getByText(/^The pasted address The URL leads to an address that is not public/)
      .waitFor();
    await context.close();
  });

  it('of a table is added from its sheet, which says the zone and which rows are left out', async () => {
    const { context, page, complaints } = await visit(stage.browser);
    await page.goto(`${stage.service.url}${VIEW}`);
    await counted(page);
    const table =
      'Date,Title,Details\n2026-03-29,Clock day,\n2026-03-30 09:00,Launch,Hall 3\nsoon,Party,\n';
    await drop(page, 'plan.csv', table);
    const sheet = page.getByRole('dialog', { name: 'Import plan.csv' });
    await sheet
      .getByText('Times that state no zone are those of Europe/Berlin, the zone of the board.')
      .waitFor();
    expect(await sheet.getByLabel('Time zone of the file').inputValue()).toBe('Europe/Berlin');
    expect(await sheet.locator('tbody tr').allInnerTexts()).toEqual([
      '29 Mar 2026\tClock day\t',
      '30 Mar 2026, 09:00\tLaunch\tHall 3',
    ]);
    const reason = 'line 4: the start "soon" is not a date such as 2026-01-31';
    await sheet.getByText(reason).waitFor();
    expect(await axe(page)).toEqual([]);
    await sheet.getByLabel('Name of the calendar').fill('Plan');
    await sheet.getByRole('button', { name: 'Add 2 events' }).click();
    await page.getByText('“Plan” was added, with 2 events.').waitFor();
    const row = page.getByRole('list', { name: 'Events' });
    await row.getByRole('button', { name: /^Calendar: Clock day, 29 Mar 2026$/ }).waitFor();
    await row.getByRole('button', { name: /^Calendar: Launch, 30 Mar 2026, 09:00/ }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => row.count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it(
    'that is dropped has its times in row, tab, drawer and files, also after a reload without the network',
    { tags: 'long' },
    async () => {
      const { context, page, complaints } = await visit(stage.browser);
      await page.goto(`${stage.service.url}${VIEW}`);
      await counted(page);
      const row = page.getByRole('list', { name: 'Events' });
      expect(await row.count()).toBe(0);
      await drop(page, 'standups.ics', STANDUPS);
      await page.getByText('“standups” was added, with 2 events.').waitFor();
      await expect.poll(() => row.getByRole('button').count()).toBe(6);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => row.count()).toBe(0);
      await drop(page, 'standups.ics', STANDUPS);
      await expect.poll(() => row.getByRole('button').count()).toBe(6);

      const look = async (): Promise<void> => {
        await page.getByRole('tab', { name: 'Events' }).click();
        const times = page.getByRole('region', { name: 'Events' }).locator('tbody td.time');
        await expect
          .poll(() => times.allInnerTexts())
          .toEqual([
            '3 Mar 2026, 15:00–15:30',
            '10 Mar 2026, 14:00–14:30',
            '17 Mar 2026, 14:00–14:30',
            '24 Mar 2026, 14:00–14:30',
            '29 Mar 2026',
            '31 Mar 2026, 15:00–15:30',
          ]);
        await row.getByRole('button', { name: /^Calendar: Standup, 10 Mar/ }).click();
        const drawer = page.getByRole('complementary', { name: 'Standup' });
        await drawer.getByText('Room 4').waitFor();
        expect(await drawer.innerText()).toContain('10 Mar 2026, 14:00–14:30');
        expect(await drawer.innerText()).toContain('standups');
        const text = await saved(page, 'Save as .ics');
        expect(text.match(/DTSTART.*/g)?.map((line) => line.trim())).toEqual([
          'DTSTART:20260303T140000Z',
          'DTSTART:20260310T130000Z',
          'DTSTART:20260317T130000Z',
          'DTSTART:20260324T130000Z',
          'DTSTART;VALUE=DATE:20260329',
          'DTSTART:20260331T130000Z',
        ]);
        expect((await saved(page, 'Save as CSV')).split('\r\n').slice(5, 7)).toEqual([
          expect.stringMatching(
            /^calendar,2026-03-28T23:00:00.000Z,2026-03-29T22:00:00.000Z,2026-03-29T00:00:00\+01:00,Fair,,standups,/,
          ),
          expect.stringMatching(
            /^calendar,2026-03-31T13:00:00.000Z,2026-03-31T13:30:00.000Z,2026-03-31T15:00:00\+02:00,Standup,Room 4,standups,/,
          ),
        ]);
        await page.keyboard.press('Escape');
      };
      await look();
      expect(await axe(page)).toEqual([]);
      await page.reload();
      await expect.poll(() => row.getByRole('button').count()).toBe(6);
      expect(complaints).toEqual([]);
      await context.setOffline(true);
      await look();
      await context.close();
    },
  );
});
