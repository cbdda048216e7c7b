import { page } from 'vitest/browser';
import { ActingAccount } from '#app/api/acting-account.svelte.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import Developers from '#app/developers/Developers.svelte';
import { Formatter } from '#app/format/formatter.ts';
import '#app/ui/base.css';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import '#app/ui/tokens.css';
import { MemoryService } from '#tests/app/settings/memory-service.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

export const WAIT = { timeout: 60_000 };
export const root = (): HTMLElement => document.querySelector('.developers') as HTMLElement;
/** The visible text of the page, in one line. */
export const text = (): string => root().innerText.replaceAll(/\s+/g, ' ');
export const button = (name: string) => page.getByRole('button', { name, exact: true });
/** The visible cells of each row of a table. */
export const rowsIn = (table: Element | null | undefined): string[][] =>
  [...(table?.querySelectorAll('tr') ?? [])].map((row) =>
    [...row.children].map((cell) =>
      (cell as HTMLElement).innerText.replaceAll('\u00a0', ' ').trim(),
    ),
  );

const NO_FILES: FileSender = {
  json: () => Promise.reject(new TypeError('expected no file')),
  lines: () => Promise.reject(new TypeError('expected no file')),
};

/** Opens a part of the page for developers on an otherwise empty page. */
export function openDevelopers(
  part: string,
  {
    theme = 'light',
    locale = 'en-GB',
    service = new MemoryService(),
    files = NO_FILES,
    /** True if the browser lets the page write to the clipboard. */
    clipboard = true,
  } = {},
) {
  document.documentElement.dataset['theme'] = theme;
  history.replaceState(null, '', `#${part}`);
  const toasts = new Toasts(() => undefined);
  const copied: string[] = [];
  let gone = 0;
  const acting = new ActingAccount(localStorage, () => (gone += 1));
  const copy = (text: string): Promise<void> => {
    if (!clipboard) return Promise.reject(new DOMException('Denied', 'NotAllowedError'));
    copied.push(text);
    return Promise.resolve();
  };
  const format = new Formatter(locale, 'Europe/Berlin');
  const props = { client: service, files, acting, format, locale, toasts, copy };
  const { end: close } = mounted(Developers, props, { tag: 'div' });
  return {
    toasts,
    copied,
    acting,
    /** The number of times the account that the page acts as turned out to be removed. */
    gone: () => gone,
    close,
  };
}
