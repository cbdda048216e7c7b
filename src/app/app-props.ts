import type { Board } from '#app/board/state/board.svelte.ts';
import type { SavedBoardsState } from '#app/board/saved/saved-boards.svelte.ts';
import type { Clock } from '#app/board/state/clock.svelte.ts';
import type { ExportActions } from '#app/board/files/export-actions.svelte.ts';
import type { Onboarding } from '#app/board/state/onboarding.svelte.ts';
import type { History } from '#app/board/state/undo.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { PeakInspector } from '#app/board/state/peak-inspector.svelte.ts';
import type { Live } from '#app/board/state/live.svelte.ts';
import type { browserLive as BrowserLive } from '#app/counts/browser-live.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { ImportQueue } from '#app/import/import-queue.svelte.ts';
import type { Notes } from '#app/events/notes.svelte.ts';
import type { BoardEvents } from '#app/events/board-events.svelte.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import type { Client } from '#app/api/client.ts';
import type { PostSearch } from '#app/api/search-api.ts';
import type { ActingAccount } from '#app/api/acting-account.svelte.ts';
import type { SettingsContext } from '#app/settings/settings.ts';
import type { Printing } from '#app/ui/printing.svelte.ts';
import type { Theme } from '#app/ui/theme.svelte.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';

/** Everything the page is built from. */
export interface AppProps {
  readonly board: Board;
  readonly clock: Clock;
  /** Each is called after the first curve, once its code has loaded. */
  live(made: typeof Live, browserLive: typeof BrowserLive): Live;
  inspector(made: typeof PeakInspector): PeakInspector;
  readonly exports: ExportActions;
  /** Absent if boards cannot be stored. */
  readonly saved?: { readonly boards: SavedBoardsState; history(made: typeof History): History };
  /** The events under the chart; absent if there are none. */
  readonly under?: {
    readonly notes: Notes;
    events(made: typeof BoardEvents): BoardEvents;
    /** The account that searches for them. */
    readonly acting: Pick<ActingAccount, 'id'>;
    readonly search: PostSearch;
    readonly client: Pick<Client, 'json' | 'now'>;
    /** Makes a run for counts that the board does not show. */
    run(): Run;
    /** Sends the exports of advertisers' consoles. */
    readonly files: FileSender;
  };
  readonly onboarding: Onboarding;
  /** Called with the first file, once its code has loaded. */
  imports(made: typeof ImportQueue): ImportQueue;
  readonly printing: Printing;
  readonly theme: Theme;
  readonly toasts: Toasts;
  readonly format: Formatter;
  readonly locale: string | undefined;
  readonly settings: SettingsContext;
  readonly browserZone: string;
  copy(text: string): Promise<void>;
  /** The address of the current view. */
  link(): string;
}
