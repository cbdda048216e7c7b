import { download } from '#app/export/download.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import { LinkSettings } from '#app/links/link-settings.svelte.ts';
import { CalendarSettings } from './calendars/calendars.svelte.ts';
import { CacheSettings } from './cache-settings.svelte.ts';
import { CollectionSettings } from './collections/collections.svelte.ts';
import { ConnectionSettings } from './connection.svelte.ts';
import { Spending } from './money.svelte.ts';
import type { SettingsBoard, SettingsContext } from './settings.ts';

interface SettingsOptions {
  readonly board: SettingsBoard;
  readonly context: SettingsContext;
  /** The locale's decimal separator. */
  readonly decimal: string;
  readonly toasts: Toasts;
  /** Formats a size. */
  readonly bytes: (value: number) => string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Called when the cache gained counts. */
  readonly onfilled: () => void;
  /** Called when the calendars changed. */
  readonly oncalendars: () => void;
}

/** The models that the parts of the settings show and change. */
export type SettingsModels = ReturnType<typeof settingsModels>;

/** Creates what the parts of the settings show and change. Nothing is loaded yet. */
export function settingsModels(options: SettingsOptions) {
  const { board, context, decimal, toasts, bytes, now, onfilled, oncalendars } = options;
  const { client, inventory, storage } = context;
  const { say } = toasts;
  const money = new Spending(context.platform, board, decimal);
  const reload = async (): Promise<void> => {
    await board.source.read();
    await money.loadTerms();
  };
  return {
    money,
    cache: new CacheSettings({ inventory, storage, toasts, download, onfilled, bytes, now }),
    connection: new ConnectionSettings({ client, reload, say }),
    links: new LinkSettings({ client, say }),
    calendars: new CalendarSettings({ client, say, onchanged: oncalendars }),
    collections: new CollectionSettings({ client, say, onchanged: () => void board.loadSources() }),
  };
}
