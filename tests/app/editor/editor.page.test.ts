import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { cdp, page, userEvent } from 'vitest/browser';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { TypedQuery } from './typed-query.svelte.ts';

const WAIT = { timeout: 60_000 };

let query!: TypedQuery;

/** An editor with a text, loaded and with the focus. */
async function editing(text: string): Promise<void> {
  query = new TypedQuery(text);
  await expect.poll(() => query.box.isContentEditable, WAIT).toBe(true);
  expect(document.activeElement).toBe(query.box);
}

async function choicesOpen(): Promise<string[]> {
  await expect.poll(() => query.choices.length, WAIT).toBeGreaterThan(0);
  // A key pressed just as the list opens belongs to the text, not the list.
  await expect
    .poll(() => query.list?.querySelector('[aria-selected]') instanceof Element, WAIT)
    .toBe(true);
  return query.choices;
}

describe('the query editor', () => {
  it('takes over text, selection and focus of the plain field', async () => {
    // The first of the file, and the file the first of the page tests (`run/order.ts`), before the code of the editor is loaded.
    query = new TypedQuery('matcha');
    const field = query.box;
    if (!(field instanceof HTMLTextAreaElement)) throw new TypeError('expected the plain field');
    field.setSelectionRange(0, 3);
    field.setRangeText('mo');
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    field.setSelectionRange(1, 2);
    flushSync();
    await expect.poll(() => query.box.isContentEditable, WAIT).toBe(true);
    expect(document.activeElement).toBe(query.box);
    expect(query.commits).toBe(0);
    expect(query.target.querySelectorAll('textarea')).toHaveLength(0);
    await userEvent.keyboard('X');
    expect(query.text).toBe('mXcha');
  });

  it('is a text box with a name, described by the text below it', async () => {
    await editing('matcha -recipe lang:en');
    const box = page.getByRole('textbox', { name: 'Query of cats' });
    expect(box.element()).toBe(query.box);
    expect(query.box.getAttribute('aria-multiline')).toBe('false');
    expect(query.said).toBe(
      '1,002 characters left Posts in English that say matcha but not recipe',
    );
    expect(query.all('.cm-negated')).toEqual(['-recipe']);
    expect(query.all('.cm-operator')).toEqual(['lang:en']);
    expect(await violationsIn(query.target)).toEqual([]);
  });

  it('keeps its colours while a query is incomplete', async () => {
    await editing('(cat OR lang:en');
    expect(query.all('.cm-joint')).toEqual(['OR']);
    expect(query.all('.cm-operator')).toEqual(['lang:en']);
  });

  it('underlines a fault and fixes it by a click, which can be undone', async () => {
    await editing('matcha (latte');
    expect(query.box.getAttribute('aria-invalid')).toBe('true');
    expect(query.all('.cm-lintRange-error').join('')).toBe('(latte');
    await page.getByRole('button', { name: 'Fix: (latte)' }).click();
    expect(query.text).toBe('matcha (latte)');
    await expect.poll(() => query.box.getAttribute('aria-invalid'), WAIT).toBe('false');
    expect(document.activeElement).toBe(query.box);
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(query.text).toBe('matcha (latte');
    await userEvent.keyboard('{Control>}{Shift>}z{/Shift}{/Control}');
    expect(query.text).toBe('matcha (latte)');
  });

  it('offers the value that is probably meant', async () => {
    await editing('cat has:medja');
    await page.getByRole('button', { name: 'Fix: has:media' }).click();
    expect(query.text).toBe('cat has:media');
  });

  it('shows the beginning of a very long query’s meaning, and stays within the page', async () => {
    const words = Array.from({ length: 100 }, (_, i) => `word${i}`);
    await editing(words.join(' OR '));
    expect(query.said).toMatch(/^\d+ characters left Posts that say word0 or word1 or .* …$/);
    expect(query.said.length).toBeLessThan(640);
    expect(query.target.offsetHeight).toBeLessThan(innerHeight);
    expect(await violationsIn(query.target)).toEqual([]);
  });

  it('fixes by keys: F8 goes to the fault, Alt+Enter fixes it', async () => {
    await editing('from:@nasa cat lang:');
    await userEvent.keyboard('{F8}');
    await userEvent.keyboard('{Alt>}{Enter}{/Alt}');
    expect(query.text).toBe('from:nasa cat lang:');
  });

  it('completes an operator and then its value', async () => {
    await editing('matcha ');
    await userEvent.keyboard('la');
    expect(await choicesOpen()).toEqual(['lang:']);
    await userEvent.keyboard('{Tab}');
    expect(query.text).toBe('matcha lang:');
    await expect.poll(() => query.choices.length, WAIT).toBeGreaterThan(30);
    await userEvent.keyboard('germ');
    await expect.poll(() => query.choices, WAIT).toEqual(['de']);
    await userEvent.keyboard('{Enter}');
    expect(query.text).toBe('matcha lang:de');
    expect(query.commits).toBe(0);
    await userEvent.keyboard('{Enter}');
    expect(query.commits).toBe(1);
  });

  it('lists everything on request; Escape closes the list first and the editor second', async () => {
    await editing('matcha ');
    await userEvent.keyboard('{Control>} {/Control}');
    expect(await choicesOpen()).toEqual(expect.arrayContaining(['"…"', 'OR', 'from:', 'has:']));
    expect(query.list?.textContent).toContain('Posts by this account');
    // The list has the look of the page, though it is outside the editor.
    const { borderRadius, zIndex } = getComputedStyle(query.list ?? query.target);
    expect([borderRadius, zIndex]).toEqual(['8px', '30']);
    await userEvent.keyboard('{Escape}');
    expect(query.choices).toEqual([]);
    expect(query.closes).toBe(0);
    await userEvent.keyboard('{Escape}');
    expect(query.closes).toBe(1);
  });

  it('puts the caret inside inserted quotation marks', async () => {
    await editing('');
    await userEvent.keyboard('{Control>} {/Control}');
    await choicesOpen();
    await userEvent.keyboard('{Enter}');
    await userEvent.keyboard('oat milk');
    expect(query.text).toBe('"oat milk"');
  });

  it('accepts a word with which an operator begins as that word on Enter', async () => {
    await editing('work ');
    await userEvent.keyboard('place');
    await choicesOpen();
    await userEvent.keyboard('{Enter}');
    expect(query.text).toBe('work place');
    expect(query.commits).toBe(1);
  });

  it('stays one line: breaks become spaces, and several pasted lines are several queries', async () => {
    await editing('cat');
    const put = (text: string): void => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      query.box.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    };
    put(' dog\n');
    expect(query.text).toBe('cat dog ');
    put('one\r\n\n two ');
    expect(query.pasted).toEqual([['one', 'two']]);
    expect(query.text).toBe('cat dog ');
  });

  it('counts characters by code point, and marks those beyond the limit', async () => {
    await editing('😀😀 cat');
    query.limit = 4;
    flushSync();
    expect(query.said).toContain('2 characters too many');
    expect(query.all('.cm-beyond').join('')).toBe('at');
  });

  it('reports a lost focus, but not when it is removed while focused', async () => {
    await editing('cat');
    query.box.blur();
    await expect.poll(() => query.leaves).toBe(1);
    const gone = new TypedQuery('dog');
    gone.box.focus();
    expect(document.activeElement).toBe(gone.box);
    await gone.end();
    await Promise.resolve();
    expect([gone.leaves, gone.commits]).toEqual([0, 0]);
  });

  it('takes a text from outside without losing the caret', async () => {
    await editing('cat dog');
    query.text = 'big cat dog';
    flushSync();
    await userEvent.keyboard('s');
    expect(query.text).toBe('big cat dogs');
  });

  it('lets an input method compose: the Enter that ends it commits nothing, and colours wait', async () => {
    await editing('cat ');
    const compose = (text: string): Promise<unknown> =>
      cdp().send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    for (const text of ['k', 'か', 'かn', 'かな']) await compose(text);
    expect(query.text).toBe('cat かな');
    const enter = { key: 'Enter', keyCode: 229, isComposing: true, bubbles: true };
    query.box.dispatchEvent(new KeyboardEvent('keydown', { ...enter, cancelable: true }));
    expect(query.commits).toBe(0);
    await cdp().send('Input.insertText', { text: '仮名' });
    expect(query.text).toBe('cat 仮名');
    await userEvent.keyboard(' lang:ja');
    expect(query.text).toBe('cat 仮名 lang:ja');
    expect(query.all('.cm-operator')).toEqual(['lang:ja']);
  });
});
