import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { SettingsPart } from '#app/settings/settings.ts';
import { plainProblem } from '#contract/fault.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { MemoryService } from './memory-service.ts';
import { MemoryInventory } from './fakes.ts';
import { openSettings } from './settings-page.ts';

const WAIT = { timeout: 60_000 };

const dialog = (): HTMLElement => document.querySelector('[role=dialog]') as HTMLElement;
const text = (): string => dialog().innerText.replaceAll(/\s+/g, ' ');

/** Opens the settings at a part and waits until it has loaded. */
async function openPart(part: SettingsPart, options: Parameters<typeof openSettings>[1] = {}) {
  await page.viewport(1280, 900);
  const settings = openSettings(part, options);
  await expect.poll(() => dialog()?.querySelector('[role=status]'), WAIT).toBeTruthy();
  await expect.poll(text, WAIT).not.toMatch(/(Loading|Reading) the [^.]*…/);
  return settings;
}

const labelled = (name: string): HTMLInputElement => {
  const label = [...dialog().querySelectorAll('label')].find((each) =>
    each.innerText.trim().startsWith(name),
  );
  if (!label?.control) throw new Error(`expected a field “${name}”`);
  return label.control as HTMLInputElement;
};

const button = (name: string): HTMLButtonElement => {
  const found = [...dialog().querySelectorAll('button')].find((each) =>
    (each.ariaLabel ?? each.innerText).trim().startsWith(name),
  );
  if (!found) throw new Error(`expected a button “${name}”`);
  return found;
};

const type = (field: HTMLInputElement, value: string): void => {
  field.value = value;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  flushSync();
};

describe.each(['light', 'dark'] as const)('the settings in the %s theme', (theme) => {
  it.each([
    ['sources', true],
    ['sources', false],
    ['budget', true],
    ['budget', false],
    ['cache', true],
  ] as const)('break no accessibility rule: %s, connected: %s', async (part, connected) => {
    await openPart(part, { theme, connected });
    if (part === 'sources' && connected) type(labelled('A day settles'), 'x');
    if (part === 'cache') button('Delete all').click();
    flushSync();
    expect(await violationsIn(dialog())).toEqual([]);
  });
});

describe('the settings', () => {
  it.each([
    [1440, 900],
    [390, 844],
    [320, 568],
  ])('fit the page at %d × %d', async (width, height) => {
    for (const part of ['sources', 'budget', 'cache'] as const) {
      const { close } = await openPart(part);
      await page.viewport(width, height);
      const pane = dialog().querySelector('.pane') as HTMLElement;
      expect(dialog().getBoundingClientRect().width).toBeLessThanOrEqual(width);
      expect(pane.scrollWidth, part).toBeLessThanOrEqual(pane.clientWidth);
      await close();
    }
  });

  it('can be navigated with arrow keys and closed with Escape', async () => {
    const { toasts } = await openPart('sources');
    await expect.poll(() => document.activeElement?.textContent, WAIT).toBe('Sources');
    await userEvent.keyboard('{ArrowRight}');
    expect(document.activeElement?.textContent).toBe('Spending');
    await expect.poll(text, WAIT).toMatch(/Spending details/);
    await userEvent.keyboard('{Escape}');
    await expect.poll(dialog, WAIT).toBeNull();
    expect(toasts.list).toEqual([]);
  });

  it('keep unsaved input on closing, and offer a way back to it', async () => {
    const { toasts, api } = await openPart('sources');
    type(labelled('Archive counts, per request'), '0.02');
    await userEvent.keyboard('{Escape}');
    await expect.poll(dialog, WAIT).toBeNull();
    expect(toasts.list[0]?.text).toMatch(/are not saved/);
    toasts.list[0]?.action?.act();
    await expect.poll(dialog, WAIT).not.toBeNull();
    expect(labelled('Archive counts, per request').value).toBe('0.02');
    expect(api.sent).toEqual([]);
  });
});

describe('the sources', () => {
  it('explain how to connect the platform', async () => {
    const { copied } = await openPart('sources', { connected: false });
    (dialog().querySelector('summary') as HTMLElement).click();
    expect(text()).toMatch(/GROUNDSWELL_PLATFORM_TOKEN=… npm start/);
    button('Copy').click();
    expect(copied).toEqual(['GROUNDSWELL_PLATFORM_TOKEN=… npm start']);
  });

  it('give a typed token to the service, which keeps it if the platform accepts it', async () => {
    const service = new MemoryService();
    service.connection = { from: null, host: 'api.x.com', fault: 'Its key is missing.' };
    const { board, toasts } = await openPart('sources', { connected: false, service });
    await expect.poll(text, WAIT).toContain('Its key is missing.');
    button('Check and connect').click();
    await expect.poll(text, WAIT).toContain('Enter the token first.');
    const field = labelled('Access token');
    expect([field.type, field.autocomplete]).toEqual(['password', 'off']);
    type(field, 'wrong');
    service.fails = plainProblem(400, 'Bad Request', 'The platform refused the token.');
    button('Check and connect').click();
    await expect.poll(text, WAIT).toContain('The platform refused the token.');
    expect(field.value).toBe('wrong');
    type(field, 'right');
    field.focus();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => toasts.list.at(-1)?.text, WAIT).toBe('The platform is connected.');
    expect([service.sent, board.source.reads, field.value]).toEqual([[{ token: 'right' }], 1, '']);
  });

  it('check the token for free, and the archive for the price of a request', async () => {
    const service = new MemoryService();
    await openPart('sources', { service });
    await expect.poll(text, WAIT).toContain('from its environment (GROUNDSWELL_PLATFORM_TOKEN)');
    const usage = { used: 12_400, cap: 2_000_000, days: 1 };
    service.found = { ...service.found, usage };
    button('Check the token (free)').click();
    await expect
      .poll(text, WAIT)
      .toContain('has read 12,400 of 2,000,000 Posts; the count restarts in 1 day.');
    service.found = { status: 403, detail: 'Not you.', usage: null, archive: false, price: 0 };
    button('Check archive access ($0.01)').click();
    await expect.poll(text, WAIT).toContain('does not reach the archive, so access is set');
    expect(service.sent).toEqual([{ what: 'token' }, { what: 'archive' }]);
  });

  it('forget a token that the service keeps, after a question', async () => {
    const service = new MemoryService();
    service.connection = { from: 'settings', host: 'api.x.com', fault: null };
    const { toasts } = await openPart('sources', { service });
    await expect.poll(text, WAIT).toContain('Disconnect…');
    button('Disconnect…').click();
    flushSync();
    expect(text()).toContain('What was bought stays.');
    button('Forget the token').click();
    await expect.poll(() => toasts.list.at(-1)?.text, WAIT).toMatch(/^The token is forgotten/);
    expect(service.sent).toEqual(['DELETE']);
  });

  it('show the platform’s host and the use of its limits, in the user’s zone', async () => {
    await openPart('sources');
    expect(text()).toContain('Connected to api.x.com');
    expect(text()).toContain(
      '264 of 300 requests in 15 minutes left, all again at 20 Nov 2026, 14:11 (Berlin).',
    );
  });

  it('are saved on demand, and explain invalid or refused values', async () => {
    const { api, toasts } = await openPart('sources');
    expect(button('Save').disabled).toBe(true);
    type(labelled('Archive counts, per request'), 'much');
    expect(text()).toContain('Enter a number like 0.5 or 25.');
    expect(button('Save').disabled).toBe(true);
    type(labelled('Archive counts, per request'), '0.02');
    api.fails = plainProblem(400, 'Bad Request', 'not that dear');
    button('Save').click();
    await expect.poll(text, WAIT).toContain('The service rejected this: not that dear');
    api.fails = null;
    labelled('Archive counts, per request').focus();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => toasts.list.map((toast) => toast.text), WAIT).toEqual(['Saved.']);
    expect(api.sent[0]?.prices).toEqual({ ...DEFAULT_PLATFORM_SETTINGS.prices, all: 0.02 });
  });
});

describe('the budget', () => {
  it('shows the spending against the caps, and when the caps reset', async () => {
    await openPart('budget');
    expect(text()).toContain('$0.36 of $25.00 36 requests, no cap');
    expect(text()).toContain('The UTC day ends at 21 Nov 2026, 01:00 (Berlin), in 11 hours.');
    expect(text()).toContain('2 requests for $0.02 got no complete answer.');
    const meter = dialog().querySelector('[role=meter]');
    expect(meter?.getAttribute('aria-valuetext')).toBe('$0.36 of $25.00');
  });

  it('shows a cap of zero as used up', async () => {
    const { api } = await openPart('budget');
    type(labelled('Requests per day'), '0');
    button('Save').click();
    await expect.poll(text, WAIT).toContain('36 requests of 0 · used up');
    expect(api.sent[0]?.caps.day).toEqual({ requests: 0, money: 25 });
  });

  it('sorts and copies the table', async () => {
    const { copied } = await openPart('budget');
    button('Spent').click();
    button('Spent').click();
    flushSync();
    const head = dialog().querySelector('th.money');
    expect(head?.getAttribute('aria-sort')).toBe('ascending');
    button('Copy as table').click();
    expect(copied[0]?.split('\n')[1]).toMatch(/^'@barista\t12\t0.12\t/);
  });
});

describe('the cache', () => {
  it('shows the coverage, cost and store of every series', async () => {
    await openPart('cache');
    expect(text()).toContain('7,550 days known, 21 Mar 2006 – 20 Nov 2026; 2 of them provisional.');
    expect(text()).toContain('Platform, api.x.com · 1.64 MB · $2.44 paid · 244 pages fetched');
    expect(text()).toContain('Sample: a store this service no longer has');
  });

  it('deletes a series, with an undo that is reachable in the dialog', async () => {
    const { inventory } = await openPart('cache');
    button('Delete the counts of matcha').click();
    await expect
      .poll(text, WAIT)
      .toContain('Deleted the counts of matcha -recipe lang:en, 212 kB.');
    expect(inventory.stored.size).toBe(2);
    button('Undo').click();
    await expect.poll(() => inventory.stored.size, WAIT).toBe(3);
    await expect.poll(text, WAIT).toContain('3 series');
  });

  it('deletes all only after confirmation', async () => {
    const { inventory } = await openPart('cache');
    button('Delete all').click();
    flushSync();
    expect(inventory.stored.size).toBe(3);
    button('Cancel').click();
    flushSync();
    button('Delete all').click();
    flushSync();
    button('Delete all').click();
    await expect.poll(text, WAIT).toContain('Nothing is cached yet');
    button('Undo').click();
    await expect.poll(() => inventory.stored.size, WAIT).toBe(3);
  });

  it('imports a dropped file, and explains why one is invalid', async () => {
    const { inventory, filled } = await openPart('cache', { inventory: new MemoryInventory() });
    const drop = (file: File): void => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(file);
      const target = dialog().querySelector('.files') as HTMLElement;
      target.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      );
    };
    drop(new File(['no'], 'photo.jpg'));
    await expect.poll(text, WAIT).toContain('photo.jpg is not a backup of a Groundswell cache');
    drop(new File(['[]'], 'mine.groundswell'));
    await expect.poll(filled, WAIT).toBe(1);
    expect(inventory.stored.size).toBe(0);
  });

  it('asks the browser to protect it, and shows the answer', async () => {
    await openPart('cache', { willing: false });
    button('Ask the browser').click();
    await expect.poll(text, WAIT).toContain('The browser declined.');
  });
});
