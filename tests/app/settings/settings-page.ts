import { flushSync, mount, unmount } from 'svelte';
import { Formatter } from '#app/format/formatter.ts';
import type { SettingsPart } from '#app/settings/settings.ts';
import SettingsDialog from '#app/settings/SettingsDialog.svelte';
import '#app/ui/base.css';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import '#app/ui/tokens.css';
import { ANSWER, NOW, OWN, PLATFORM, SHELF, SPENDING } from './examples.ts';
import { MemoryDesk, MemoryShelf, memoryStorage } from './memory-shelf.ts';
import { TestBoard } from './settings-board.svelte.ts';

/** The settings open on a page of their own. */
export function openSettings(
  part: SettingsPart,
  { connected = true, shelf = new MemoryShelf(SHELF), theme = 'light', willing = true } = {},
) {
  document.documentElement.dataset['theme'] = theme;
  document.documentElement.lang = 'en';
  document.title = 'Groundswell';
  const board = new TestBoard(connected ? [...OWN, PLATFORM] : OWN);
  const desk = new MemoryDesk(ANSWER, SPENDING);
  const toasts = new Toasts(() => undefined);
  const copied: string[] = [];
  const taken: string[] = [];
  let filled = 0;
  const target = document.createElement('div');
  document.body.append(target);
  const app = mount(SettingsDialog, {
    target,
    props: {
      open: true,
      part,
      board,
      context: { inventory: shelf, platform: desk, storage: memoryStorage(willing) },
      words: new Formatter('en-GB'),
      locale: 'en-GB',
      toasts,
      clock: NOW,
      onfiles: (files: readonly File[]) => taken.push(...files.map(({ name }) => name)),
      oncopy: (text: string) => copied.push(text),
      onfilled: () => (filled += 1),
    },
  });
  flushSync();
  const close = async (): Promise<void> => {
    await unmount(app);
    target.remove();
  };
  return { board, desk, shelf, toasts, copied, taken, filled: () => filled, close };
}
