import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import '#app/ui/tokens.css';
import '#app/ui/base.css';
import { Formatter } from '#app/format/formatter.ts';
import ImportSheetView from '#app/import/ImportSheet.svelte';
import { ImportSheet } from '#app/import/import-sheet.svelte.ts';
import { openFile } from '#app/import/open-file.ts';
import { rememberChoice, type ChoiceStorage } from '#app/import/remembered-choices.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const NOW = Date.UTC(2026, 10, 21);

/** Opens the sheet of a file; its answers are recorded. */
async function show(content: string, name = 'mentions.csv', storage: ChoiceStorage | null = null) {
  const file = await openFile(new File([content], name));
  if (file.kind === 'counts') throw new Error('expected Posts, got counts');
  const sheet = await ImportSheet.of({
    name,
    opened: file,
    storage,
    zone: 'Europe/Berlin',
    now: () => NOW,
  });
  const answers: string[] = [];
  const asked = {
    sheet,
    events: null,
    more: 0,
    accept: () => void answers.push('accepted'),
    cancel: () => void answers.push('cancelled'),
  };
  const format = new Formatter('de-DE', 'Europe/Berlin');
  mounted(ImportSheetView, { asked, format });
  return { sheet, answers };
}

async function violations(): Promise<string[]> {
  return await violationsIn('[role=dialog]');
}

const CSV =
  'wer,wann,was\n@ann,04/03/2024 05:06,oat milk in my tea today\n@bob,05/03/2024 05:06,no milk at all for me today\n';

describe('the sheet of an import', () => {
  it.each([
    [390, 'dark'],
    [1280, 'light'],
  ])('is accessible at %d px in %s', async (width, theme) => {
    await page.viewport(width, 800);
    document.documentElement.dataset['theme'] = theme;
    await show(CSV);
    await expect.element(page.getByLabelText('Dates')).toHaveFocus();
    expect(await violations()).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    delete document.documentElement.dataset['theme'];
  });

  it('proposes the zone of the browser for a file in German that states none', async () => {
    const { sheet } = await show(
      'Datum;Autor;Beitragstext\n04.03.2024 05:06;@ann;Hafermilch in meinem Tee\n',
    );
    await expect.element(page.getByLabelText('Time zone of the file')).toHaveValue('Europe/Berlin');
    await expect.element(page.getByText('The file is in German')).toBeVisible();
    expect(sheet.preview.posts[0]?.createdAt).toBe(Date.UTC(2024, 2, 4, 4, 6));
    await page.getByLabelText('Time zone of the file').selectOptions('UTC');
    expect(document.body.innerText).not.toContain('The file is in German');
    expect(sheet.confirm()?.zone).toBe('UTC');
  });

  it('refuses a header without rows', async () => {
    await show('id,created_at,text\n');
    await expect.element(page.getByText('The file has a header but no rows')).toBeVisible();
    expect(page.getByText('no complete row').query()).toBeNull();
    await expect.element(page.getByRole('button', { name: 'Import', exact: true })).toBeDisabled();
  });

  it('imports nothing before what is missing is chosen, and keeps what was chosen', async () => {
    const { sheet, answers } = await show(CSV);
    const button = page.getByRole('button', { name: 'Import', exact: true });
    await expect.element(button).toBeDisabled();
    await page.getByLabelText('Dates').selectOptions('DMY');
    await expect.element(page.getByText('First 2 rows: 2 Posts, none refused.')).toBeVisible();
    await page.getByLabelText('Text', { exact: true }).selectOptions('Not in the file');
    await expect.element(page.getByText('Choose the column with the text.')).toBeVisible();
    await page.getByLabelText('Text', { exact: true }).selectOptions('was');
    await page.getByLabelText('Time zone of the file').selectOptions('Europe/Berlin');
    await expect.element(page.getByText('2024-03-04 04:06:00')).toBeVisible();
    await button.click();
    await expect.poll(() => answers).toEqual(['accepted']);
    expect(sheet.confirm()).toMatchObject({
      header: 1,
      encoding: 'utf-8',
      delimiter: ',',
      dates: 'DMY',
      zone: 'Europe/Berlin',
      columns: { author: 1, created_at: 2, text: 3 },
    });
  });

  it('imports nothing while every row is refused, and reads no file by such a choice', async () => {
    const stored = new Map<string, string>();
    const storage: ChoiceStorage = {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
    };
    const columns = { author: 1, created_at: 2, text: 3, is_retweet: 3 };
    rememberChoice(storage, ['wer', 'wann', 'was'], { columns, dates: 'DMY' });
    const { sheet } = await show(CSV, 'mentions.csv', storage);
    expect([sheet.isRemembered, sheet.columnOf('is_retweet')]).toEqual([false, 0]);
    await page.getByLabelText('Dates').selectOptions('DMY');
    const button = page.getByRole('button', { name: 'Import', exact: true });
    await expect.element(button).toBeEnabled();
    await page.getByText(/^More columns/).click();
    await page.getByLabelText('Is a repost').selectOptions('was');
    await expect.element(page.getByText('First 2 rows: 0 Posts, 2 refused.')).toBeVisible();
    await expect.element(page.getByText('No row shown here can be imported.')).toBeVisible();
    await expect.element(button).toBeDisabled();
  });

  it('says at its days why it cannot cover them, and imports nothing until they are right', async () => {
    await show(CSV);
    await page.getByLabelText('Dates').selectOptions('DMY');
    const button = page.getByRole('button', { name: 'Import', exact: true });
    const days = page.getByRole('group', { name: 'Covers' });
    const [from, to] = [days.getByLabelText('From'), days.getByLabelText('To')];
    await expect.element(button).toBeEnabled();
    const ends = 'From its first Post, 4 Mar 2024, 06:06, to its last, 5 Mar 2024, 06:06, unless';
    await expect.element(days.getByRole('status')).toHaveTextContent(ends);
    await from.fill('2024-03-06');
    const half = 'Give both days that the file covers, or none.';
    await expect.element(days.getByRole('status')).toHaveTextContent(half);
    await to.fill('2024-03-01');
    for (const day of [from, to]) {
      await expect.element(day).toHaveAttribute('aria-invalid', 'true');
      await expect
        .element(day)
        .toHaveAccessibleDescription('1 Mar 2024: The end is before the start.');
    }
    await expect.element(button).toBeDisabled();
    expect(await violations()).toEqual([]);
    await to.fill('2024-03-07');
    const later = '6 Mar 2024: The first Post of the file is earlier.';
    await expect.element(days.getByRole('status')).toHaveTextContent(later);
    await from.fill('2024-03-01');
    const covered = 'A day without a Post from 1 Mar 2024 to 7 Mar 2024 counts as zero.';
    await expect.element(days.getByRole('status')).toHaveTextContent(covered);
    await expect.element(from).toHaveAttribute('aria-invalid', 'false');
    await expect.element(button).toBeEnabled();
  });

  it('shows the times of its first and last Post in the zone of the board', async () => {
    await show(
      'author,created_at,text\n@ann,2026-05-06T10:00:00Z,tea\n@bob,2026-05-07T22:30:00Z,tea\n',
    );
    const covers = page.getByRole('group', { name: 'Covers' }).getByRole('status');
    const ends = 'From its first Post, 6 May 2026, 12:00, to its last, 8 May 2026, 00:30, unless';
    await expect.element(covers).toHaveTextContent(ends);
    await expect
      .element(page.getByText('Covers 6 May 2026, 12:00 – 8 May 2026, 00:30'))
      .toBeVisible();
  });

  it('says of campaigns where they are imported', async () => {
    await show('Campaign name,Day,Spend (EUR)\nAutumn,2026-05-06,12.5\n', 'ads.csv');
    await expect
      .element(page.getByText(/^This looks like campaigns of an ads manager/))
      .toBeVisible();
  });

  it('is cancelled by Escape', async () => {
    const { answers } = await show(CSV);
    await userEvent.keyboard('{Escape}');
    await expect.poll(() => answers).toEqual(['cancelled']);
  });

  it('names a file of another kind', async () => {
    const { answers } = await show('%PDF-1.7\n', 'report.pdf');
    await expect.element(page.getByRole('alert')).toHaveTextContent(/^This is a PDF\. Export/);
    await page.getByText('Close', { exact: true }).click();
    await expect.poll(() => answers).toEqual(['accepted']);
  });
});
