import type { AlertInbox } from '#app/alerts/alert-inbox.svelte.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { Live } from '#app/board/state/live.svelte.ts';
import type { SeriesDialog } from '#app/board/series/series-actions.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import type { SettingsPart } from '#app/settings/settings.ts';
import type { LinkKind } from '#contract/links/links.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';

/** The open dialogs of the page, and its keyboard shortcuts. */
export class AppState {
  readonly #board: Board;
  readonly #live: () => Live | null;
  readonly #toasts: Toasts;
  readonly #copy: (text: string) => Promise<void>;
  keys = $state(false);
  /** True if the dialog has been opened: its code loads then, and stays. */
  keysOpened = $state(false);
  settings = $state(false);
  settingsOpened = $state(false);
  part = $state<SettingsPart>('sources');
  /** The text in the draft tester, which stays when it is closed. */
  draft = $state('');
  /** Null until its code has loaded, after the first curve. */
  inbox = $state.raw<AlertInbox | null>(null);
  /** The open dialog, and the series it was opened from. */
  dialog = $state.raw<{
    readonly kind: SeriesDialog | 'draft' | 'link';
    /** The kind of link that is made. */
    readonly link?: LinkKind;
    readonly series?: BoardSeries;
  } | null>(null);

  constructor(
    board: Board,
    live: () => Live | null,
    toasts: Toasts,
    copy: (text: string) => Promise<void>,
  ) {
    this.#board = board;
    this.#live = live;
    this.#toasts = toasts;
    this.#copy = copy;
  }

  /** Copies a text and confirms it. */
  async give(text: string, done: string): Promise<void> {
    try {
      await this.#copy(text);
      this.#toasts.show(done);
    } catch {
      this.#toasts.show(`The browser refused access to the clipboard. Copy this: ${text}`);
    }
  }

  showKeys(): void {
    this.keysOpened = true;
    this.keys = true;
  }

  /** Opens the settings at a part, by default the last one shown. */
  showSettings(at: SettingsPart = this.part): void {
    this.part = at;
    this.settingsOpened = true;
    this.settings = true;
  }

  /** True if keys and pastes belong to a dialog or a focused field, not to the board. */
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
      w: () => (this.dialog = { kind: 'draft' }),
      // Live updates that cost money are only turned on next to their price.
      l: () => {
        const live = this.#live();
        const free = board.source.id !== 'platform' && live?.possible;
        if (board.live || free) void live?.toggle(now);
      },
      t: () => board.nextTab(),
    };
    if (board.series.all.length > 1) acts['='] = () => (this.dialog = { kind: 'combine' });
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Adds a list of queries pasted outside all fields. */
  paste(event: ClipboardEvent): void {
    const lines = (event.clipboardData?.getData('text/plain') ?? '').split(/\r?\n/);
    const queries = lines.map((line) => line.trim()).filter(Boolean);
    if (!this.#elsewhere(event.target) && queries.length > 0) this.#board.series.paste(queries);
  }
}
