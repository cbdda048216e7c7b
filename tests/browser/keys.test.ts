import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { counted, fileOf, sampleBoard, totalOf, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

/** Most key presses of a job; the letters of a typed query or date do not count. */
const MOST_KEYS = 60;

/** True if the focused element has a visible outline, border or shadow that it does not have without focus. */
const isFocusSeen = (): boolean => {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return false;
  const marks = ['outlineStyle', 'outlineWidth', 'boxShadow', 'borderColor', 'background'] as const;
  // A radio button is drawn by its label, and the text of a query by its editor.
  const drawn = [element, element.parentElement, element.closest('label, .cm-editor, li')];
  const read = (): string =>
    drawn
      .map((each) => {
        const style = each && getComputedStyle(each);
        return marks.map((mark) => style?.[mark]).join();
      })
      .join(';');
  // Without this, a list that takes the focus back at once would look the same twice.
  if (drawn.some((each) => each && getComputedStyle(each).outlineStyle !== 'none')) return true;
  const focused = read();
  element.blur();
  const plain = read();
  element.focus();
  return focused !== plain;
};

/** A keyboard that counts. */
class Keys {
  readonly page: Page;
  pressed = 0;
  /** The elements that had the focus but did not show it. */
  readonly unseen: string[] = [];

  constructor(page: Page) {
    this.page = page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.pressed += 1;
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Adds a query, and waits for its total. */
  async add(query: string): Promise<void> {
    await this.press('n');
    await this.page.getByRole('textbox', { name: /^Query of/ }).waitFor();
    await this.type(query);
    await this.press('Enter');
    await totalOf(this.page, query);
    await this.press('Escape');
  }

  /** Presses a key until an element has the focus. */
  async to(found: Locator, key = 'Tab'): Promise<void> {
    await found.first().waitFor();
    while (this.pressed < MOST_KEYS) {
      await this.press(key);
      if (key.endsWith('Tab') && !(await this.page.evaluate(isFocusSeen))) {
        this.unseen.push(
          await this.page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? ''),
        );
      }
      if (await found.evaluateAll((all) => all.includes(document.activeElement as HTMLElement)))
        return;
    }
    throw new Error(`expected ${key} to reach ${String(found)}`);
  }

  /** Opens an entry of the open menu. */
  async choose(name: RegExp): Promise<void> {
    await this.to(this.page.getByRole('menuitem', { name }), 'ArrowDown');
    await this.press('Enter');
  }
}

const row = (page: Page, name: string): Locator => page.getByRole('row', { name });

/** The jobs that users come for, each from a board. */
const JOBS: Record<string, (page: Page, keys: Keys) => Promise<void>> = {
  'how large a topic is, and how it changed': async (page, keys) => {
    await keys.add('matcha lang:en');
    await row(page, 'matcha lang:en')
      .getByText(/^[+−][\d.,]+%$/)
      .waitFor();
  },
  'compared with whom': async (page, keys) => {
    await keys.add('espresso');
    const share = row(page, 'espresso')
      .getByText(/^[\d.]+%$/)
      .last();
    await share.waitFor();
    await keys.to(page.getByRole('button', { name: /^Form:/ }));
    await keys.press('Enter');
    await keys.to(page.getByRole('menuitemradio', { name: '100 %' }), 'ArrowDown');
    await keys.press('Enter');
    await page.getByRole('button', { name: 'Form: 100 %' }).waitFor();
  },
  'what happened at a peak, and the Posts': async (page, keys) => {
    await keys.press('t');
    await keys.to(
      page.getByRole('listitem').filter({ hasText: '× the usual' }).getByRole('button'),
    );
    await keys.press('Enter');
    const drawer = page.getByRole('complementary').filter({ has: page.getByLabel('Close') });
    await drawer.getByText('What it was about').waitFor();
    await drawer.getByText(/\d+%/).first().waitFor();
    await drawer.locator('.text').first().waitFor();
    await keys.to(drawer.getByRole('button'));
    await keys.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    // The focus returns to the peak in the list.
    expect(await page.evaluate(() => document.activeElement?.closest('li')?.innerText)).toContain(
      '× the usual',
    );
  },
  'the numbers as CSV': async (page, keys) => {
    const total = await totalOf(page, 'Matcha');
    await keys.to(page.getByRole('button', { name: 'Export' }));
    await keys.press('Enter');
    await keys.choose(/^Spreadsheet/);
    const waiting = page.waitForEvent('download');
    await keys.choose(/^CSV, one row per day and topic/);
    const file = readFileSync(await fileOf(await waiting), 'utf8');
    const counts = [...file.matchAll(/^matcha,Matcha,.*?,(\d+),(?:settled|provisional|partial)/gm)];
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(total);
  },
  'whether a campaign moved it, next to a control': async (page, keys) => {
    await keys.to(page.getByRole('button', { name: /^Range:/ }));
    await keys.press('Enter');
    await keys.to(page.getByLabel('From'));
    await keys.press('Control+a');
    await keys.type('2026-10-01');
    await keys.to(page.getByLabel('To (inclusive)'));
    await keys.press('Control+a');
    await keys.type('2026-10-28');
    await keys.press('Enter');
    // The reader of dates loads with the first one. Until then, the form asks for another press.
    const chosen = page.getByRole('button', { name: /^Range:.*Oct/ });
    const again = page.getByText('Press Enter again');
    await again.or(chosen).first().waitFor();
    if (await again.isVisible()) await keys.press('Enter');
    // Both have their change from the time before, with its margin.
    for (const name of ['Matcha', 'Cold brew']) {
      await row(page, name)
        .getByText(/^[+−][\d.,]+%$/)
        .waitFor();
    }
    await chosen.waitFor();
  },
};

describe('by keys alone', () => {
  const stage = ownStage();

  it.each(Object.entries(JOBS))('in at most 60: %s', async (_name, act) => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(stage.service.url + sampleBoard());
    await counted(page);
    const keys = new Keys(page);
    await act(page, keys);
    expect(keys.pressed).toBeLessThanOrEqual(MOST_KEYS);
    expect(keys.unseen).toEqual([]);
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
