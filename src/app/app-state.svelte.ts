import type { Board } from '#app/board/state/board.svelte.ts';
import type { Live } from '#app/board/state/live.svelte.ts';
import type { SeriesDialog } from '#app/board/series/series-actions.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { TABS } from '#app/board/state/view.ts';
import type { SettingsPart } from '#app/settings/settings.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';

/** What stands over the page, and what its keys do. */
export class AppState {
  readonly #board: Board;
  readonly #live: Live;
  readonly #toasts: Toasts;
  readonly #copy: (text: string) => Promise<void>;
  keys = $state(false);
  /** What was opened once is fetched, and stays. */
  keysAsked = $state(false);
  settings = $state(false);
  settingsAsked = $state(false);
  part = $state<SettingsPart>('sources');
  /** A dialog about series, and the one that it was opened from. */
  dialog = $state.raw<{ readonly kind: SeriesDialog; readonly one: BoardSeries | null } | null>(
    null,
  );

  constructor(board: Board, live: Live, toasts: Toasts, copy: (text: string) => Promise<void>) {
    this.#board = board;
    this.#live = live;
    this.#toasts = toasts;
    this.#copy = copy;
  }

  /** Puts a text on the clipboard and says so. */
  async give(text: string, done: string): Promise<void> {
    try {
      await this.#copy(text);
      this.#toasts.show(done);
    } catch {
      this.#toasts.show(`The browser refused the clipboard. Copy this: ${text}`);
    }
  }

  showKeys(): void {
    this.keysAsked = true;
    this.keys = true;
  }

  /** Opens the settings where they were left, or at a part. */
  showSettings(at: SettingsPart = this.part): void {
    this.part = at;
    this.settingsAsked = true;
    this.settings = true;
  }

  /** Whether keys and pastes mean what has the focus, not the board. */
  #elsewhere(target: EventTarget | null): boolean {
    return (
      this.settings ||
      this.keys ||
      this.dialog !== null ||
      (target instanceof HTMLElement &&
        (target.isContentEditable ||
          target.matches('input:not([type=radio], [type=checkbox]), textarea, select')))
    );
  }

  key(event: KeyboardEvent, now: number): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#elsewhere(event.target)) return;
    const board = this.#board;
    const acts: Record<string, () => void> = {
      n: () => void board.series.add(),
      '?': () => this.showKeys(),
      ',': () => this.showSettings(),
      // What costs something is turned on where its price stands.
      l: () => {
        const free = board.source.id !== 'platform' && this.#live.possible;
        if (board.live || free) void this.#live.toggle(now);
      },
      t: () => board.chooseTab(TABS[(TABS.indexOf(board.tab) + 1) % TABS.length] ?? 'summary'),
    };
    if (board.series.all.length > 1)
      acts['='] = () => (this.dialog = { kind: 'combine', one: null });
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Takes a list of queries that was pasted beside every field. */
  paste(event: ClipboardEvent): void {
    const lines = (event.clipboardData?.getData('text/plain') ?? '').split(/\r?\n/);
    const queries = lines.map((line) => line.trim()).filter(Boolean);
    if (!this.#elsewhere(event.target) && queries.length > 0) this.#board.series.paste(queries);
  }
}
