import type { Client } from '#app/api/client.ts';
import type { PlatformApi } from '#app/api/platform-api.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import type { BrowserStorage } from './storage.ts';

/** The parts of the settings, in the order of their tabs. */
export type SettingsPart = 'sources' | 'budget' | 'cache' | 'alerts' | 'links' | 'people';

/** The members of the board that the settings read and change. */
export interface SettingsBoard {
  readonly source: {
    readonly all: readonly SourceInfo[] | null;
    platform: PlatformAnswer | null;
    /** Reads the sources again. */
    read(): Promise<boolean>;
  };
  /** Loads what new terms make due. */
  askAll(): void;
  /** Reads the sources, then loads what that changes. */
  loadSources(): Promise<void>;
}

/** The parts that the settings use besides the board. */
export interface SettingsContext {
  readonly inventory: InventoryClient;
  readonly platform: PlatformApi;
  readonly storage: BrowserStorage;
  readonly client: Pick<Client, 'send' | 'json'>;
}
