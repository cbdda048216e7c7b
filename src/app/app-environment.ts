import type { ActingAccount } from '#app/api/acting-account.svelte.ts';
import type { BoardOptions } from '#app/board/state/board-options.ts';
import type { CacheListener } from '#app/counts/cache/opening.ts';
import type { Counts } from '#app/counts/counts.ts';
import type { BrowserStorage, PageStorage } from '#app/settings/storage.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import type { UrlSync } from './url-sync.svelte.ts';

/** The parts of the browser and the service that the app needs. */
export interface AppEnvironment {
  /** Opens the counts of this browser; they report changes of the cache to the listener. */
  counts(
    listener: CacheListener,
    acting: ActingAccount,
  ): Omit<Counts, 'run'> & Pick<BoardOptions, 'run'>;
  readonly window: Window;
  /** The page whose URL holds the view. */
  readonly page: ConstructorParameters<typeof UrlSync>[0];
  readonly local: PageStorage | null;
  readonly session: PageStorage | null;
  readonly storage: BrowserStorage;
  /** BCP 47. */
  readonly locale: string;
  /** IANA name of the user's time zone. */
  readonly zone: string;
  readonly weekStart: WeekStart;
  /** Epoch ms. */
  now(): number;
  /** `setTimeout`. */
  later(act: () => void, ms: number): unknown;
  /** `setInterval`. */
  every(act: () => void, ms: number): unknown;
  visible(): boolean;
  random(bytes: number): Uint8Array;
  copy(text: string): Promise<void>;
  reload(): void;
}

/** The counts of this browser. */
export type BrowserCounts = ReturnType<AppEnvironment['counts']>;
