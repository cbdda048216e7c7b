import { Formatter } from '#app/format/formatter.ts';
import type { SettingsPart } from '#app/settings/settings.ts';
import SettingsDialog from '#app/settings/SettingsDialog.svelte';
import '#app/ui/base.css';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import '#app/ui/tokens.css';
import { ANSWER, CACHED, NOW, OWN, PLATFORM, SPENDING } from './examples.ts';
import { MemoryInventory, MemoryPlatformApi, memoryStorage } from './fakes.ts';
import { MemoryService } from './memory-service.ts';
import { TestBoard } from './settings-board.svelte.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

/** Opens the settings on an otherwise empty page. */
export function openSettings(
  part: SettingsPart,
  {
    connected = true,
    inventory = new MemoryInventory(CACHED),
    theme = 'light',
    willing = true,
    locale = 'en-GB',
    service = new MemoryService(),
  } = {},
) {
  document.documentElement.dataset['theme'] = theme;
  const board = new TestBoard(connected ? [...OWN, PLATFORM] : OWN);
  const api = new MemoryPlatformApi(ANSWER, SPENDING);
  const toasts = new Toasts(() => undefined);
  const copied: string[] = [];
  const droppedNames: string[] = [];
  let filled = 0;
  const { end: close } = mounted(SettingsDialog, {
    open: true,
    part,
    board,
    context: {
      inventory,
      platform: api,
      storage: memoryStorage(willing),
      client: service,
    },
    format: new Formatter(locale, 'Europe/Berlin'),
    locale,
    toasts,
    clock: NOW,
    events: undefined,
    onfiles: (files: readonly File[]) => droppedNames.push(...files.map(({ name }) => name)),
    oncopy: (text: string) => copied.push(text),
    onfilled: () => (filled += 1),
  });
  return {
    board,
    api,
    inventory,
    toasts,
    copied,
    droppedNames,
    filled: () => filled,
    close,
  };
}
