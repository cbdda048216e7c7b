import type { Board } from './board/board.svelte.ts';
import type { BoardsShelf } from './board/boards.svelte.ts';
import type { Clock } from './board/clock.svelte.ts';
import type { Exports } from './board/exports.svelte.ts';
import type { Guide } from './board/guide.svelte.ts';
import type { History } from './board/history.svelte.ts';
import type { Inquiry } from './board/inquiry.svelte.ts';
import type { Live } from './board/live.svelte.ts';
import type { Words } from './board/words.ts';
import type { Intake } from './intake/intake.svelte.ts';
import type { LaneSwitches } from './lanes/lanes.svelte.ts';
import type { Notes } from './lanes/notes.svelte.ts';
import type { PostSearch } from './api/search.ts';
import type { SettingsMeans } from './settings/part.ts';
import type { Printing } from './ui/printing.svelte.ts';
import type { Theme } from './ui/theme.svelte.ts';
import type { Toasts } from './ui/toasts.svelte.ts';

/** What the page is put together from. */
export interface Parts {
  readonly board: Board;
  readonly clock: Clock;
  readonly live: Live;
  /** Comes after the first curve. */
  inquiry(made: typeof Inquiry): Inquiry;
  readonly exports: Exports;
  /** Absent where no boards are kept. */
  readonly saved?: { readonly shelf: BoardsShelf; history(made: typeof History): History };
  /** What stands under the chart; absent where nothing does. */
  readonly lanes?: {
    readonly notes: Notes;
    readonly switches: LaneSwitches;
    readonly search: PostSearch;
  };
  readonly guide: Guide;
  readonly intake: Intake;
  readonly printing: Printing;
  readonly theme: Theme;
  readonly toasts: Toasts;
  readonly words: Words;
  readonly locale: string | undefined;
  readonly settings: SettingsMeans;
  readonly browserZone: string;
  copy(text: string): Promise<void>;
  /** The address of the view as it stands. */
  link(): string;
}
