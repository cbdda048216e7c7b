import type { OtherKind } from '#app/import/file-kind.ts';
import type { BoardsClient } from '#app/counts/worker/client.ts';
import {
  BAD_BOARD,
  MAX_NAME,
  type BoardSummary,
  type SavedBoard,
} from '#app/counts/cache/saved-board.ts';
import { nameWith, sameContent } from '#app/counts/cache/merge-boards.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import { omit } from '#core/omit.ts';
import { Fault } from '#contract/fault.ts';
import type { Drafts } from './drafts.ts';
import { freeName, comparableView, stateOf } from './saved-state.ts';
import { formatView, parseView, type View } from '#app/board/state/view.ts';
import { sameState, type BoardState, type Workspace } from '#app/board/state/workspace.svelte.ts';

interface BoardsDeps {
  readonly boards: BoardsClient;
  /** Calls back when any tab, including this one, writes boards. @returns Stops listening. */
  onWritten(listener: () => void): () => void;
  /** Reads the boards that other browsers saved, and stores those of this one at the service. */
  exchange(): Promise<void>;
  readonly workspace: Workspace;
  readonly drafts: Pick<Drafts, 'read' | 'write' | 'clear'>;
  readonly toasts: Toasts;
  download(file: Blob, name: string): void;
  /** Opens a file that Groundswell wrote; reports errors to the user. */
  openOwn(file: File, kind: OtherKind): Promise<void>;
  /** A random id. */
  newId(): string;
  now(): number;
}

const NO_ROOM =
  'There is not enough storage to keep unsaved changes across a reload. Save the board to keep them.';

/** The saved boards of this browser, and which one is open. Reports errors to the user instead of throwing. */
export class SavedBoardsState {
  readonly #deps: BoardsDeps;
  /** All saved boards, by name; null until read. */
  list = $state.raw<readonly BoardSummary[] | null>(null);
  /** The open board as saved; null if the board on the page is not saved. */
  saved = $state.raw<SavedBoard | null>(null);
  /** True if the page shows what it was opened with. */
  ready = $state(false);
  /** Called after a board was deleted, with functions that restore it and delete it again. */
  onremoved: (name: string, acts: { undo(): void; redo(): void }) => void = () => undefined;
  /** The board as this tab last opened or saved it: if {@link saved} differs, something else wrote. */
  #base: SavedBoard | null = null;
  #warned = false;
  #arrivals = 0;
  readonly name = $derived.by(() => this.saved?.name ?? '');
  /** True if the board on the page differs from the saved one; false if none is open. */
  readonly dirty = $derived.by(() => {
    const { saved } = this;
    if (!saved) return false;
    const now = this.#deps.workspace.state();
    const [a, b] = [stateOf(saved), now].map((state) => ({
      ...state,
      view: comparableView(state),
    }));
    return a !== undefined && b !== undefined && !sameState(a, b);
  });

  constructor(deps: BoardsDeps) {
    this.#deps = deps;
  }

  /** The name of a saved board; null if it does not exist. */
  nameOf(id: string): string | null {
    return this.list?.find((board) => board.id === id)?.name ?? null;
  }

  /** Runs work on the store, and reports failures. @returns Undefined if it failed. */
  async #try<T>(work: () => Promise<T>, file?: string): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const bad = error instanceof Fault && error.body.type === BAD_BOARD;
      const { faultText } = await import('#app/format/fault-text.ts');
      const message = bad ? (error.body.detail ?? error.message) : faultText(error);
      this.#deps.toasts.show(
        file && bad ? `${file} cannot be read as a board. ${message}` : message,
      );
      return undefined;
    }
  }

  /**
   * Reads the saved boards, and shows what the address does not hold: notes and series of files, from the saved board
   * that the address refers to, or from this tab's draft.
   *
   * @param problems - Sentences about parts of the address that could not be read.
   * @param own - Whether this tab wrote the address; its draft is not part of a link.
   */
  async begin(opened: View | null, problems: readonly string[] = [], own = true): Promise<void> {
    const { boards, workspace, drafts, onWritten, now } = this.#deps;
    if (opened) workspace.applyKinds(opened);
    onWritten(() => void this.#try(() => this.#refresh()));
    await this.#try(async () => {
      this.list = await boards.list();
      const saved = opened?.board ? await this.#find(opened.board) : null;
      const draft = own ? await drafts.read(saved?.id ?? null) : null;
      this.#take(saved);
      const from = draft ?? saved;
      const { notes, fixed } = from ?? { notes: [], fixed: [] };
      const board = saved?.id ?? null;
      if (opened?.series?.some(({ file }) => file !== undefined)) {
        const view = formatView(omit(opened, 'board'));
        workspace.show({ board, view, notes, fixed }, problems);
      } else if (from) workspace.setExtras({ board, notes, fixed });
      if (saved) await boards.opened(saved.id, now());
    });
    this.ready = true;
  }

  /**
   * Goes to a view by link, back or forward; another board brings its notes.
   *
   * @param own - Whether the view was on this page before: then what the address does not hold stays.
   */
  async arrive(view: View, problems: readonly string[], own = true): Promise<void> {
    const { workspace } = this.#deps;
    const { board: id = null, ...rest } = view;
    const text = formatView(rest);
    const turn = ++this.#arrivals;
    if (id === workspace.board && (own || id !== null)) {
      workspace.show({ ...workspace.state(), view: text }, problems);
      return;
    }
    const saved = id === null ? null : ((await this.#try(() => this.#find(id))) ?? null);
    // The user went on to another view while the board was read.
    if (turn !== this.#arrivals) return;
    if (!own) this.#offerBack('Opened the link.');
    this.#take(saved);
    const { notes, fixed } = saved ?? { notes: [], fixed: [] };
    workspace.show({ board: saved?.id ?? null, view: text, notes, fixed }, problems);
  }

  /** Reads the board of an address, which another browser may have saved. */
  async #find(id: string): Promise<SavedBoard | null> {
    const { boards, exchange } = this.#deps;
    const found = await boards.board(id);
    if (found) return found;
    await exchange();
    return await boards.board(id);
  }

  #take(saved: SavedBoard | null): void {
    this.#base = saved;
    this.saved = saved;
  }

  /** Reads what was written here or elsewhere. */
  async #refresh(): Promise<void> {
    const { boards, workspace } = this.#deps;
    this.list = await boards.list();
    const id = workspace.board;
    if (id === null) return;
    const there = await boards.board(id);
    if (id !== workspace.board) return;
    if (!there) {
      workspace.board = null;
      this.#take(null);
      return;
    }
    const was = this.saved;
    const clean = !this.dirty;
    const same = was !== null && sameContent({ ...was, name: there.name }, there);
    // Keep the arrays on the page if the content is equal, so that comparisons by reference still hold.
    this.saved = same ? { ...there, notes: was.notes, fixed: was.fixed } : there;
    if (same) this.#base = this.#base && { ...this.#base, name: there.name, at: there.at };
    else if (clean) {
      this.#deps.toasts.show(`${there.name} was saved elsewhere.`, {
        text: 'Show it',
        act: () => void this.open(id),
      });
    }
  }

  #content(): Pick<SavedBoard, 'view' | 'notes' | 'fixed'> {
    const { view, notes, fixed } = this.#deps.workspace.state();
    return { view, notes, fixed };
  }

  /** Saves over the open board; what was saved elsewhere meanwhile becomes a copy. */
  async save(): Promise<void> {
    const { boards, now, newId, toasts } = this.#deps;
    const { saved } = this;
    const base = this.#base;
    if (!saved) return;
    const board: SavedBoard = { ...saved, ...this.#content(), at: now() };
    await this.#try(async () => {
      // Read it again: the message about the other save may not have arrived yet.
      const there = (await boards.board(saved.id)) ?? saved;
      if (base && !sameContent(base, there)) {
        const name = freeName(nameWith(there.name, '(other version)'), this.list ?? []);
        await boards.save({ ...there, id: newId(), name });
        toasts.show(`The other version was saved as ${name}.`);
      }
      this.#take(board);
      await boards.save(board).catch((error: unknown) => {
        this.#take(saved);
        this.#base = base;
        throw error;
      });
    });
  }

  /** Saves the board on the page as a new one and opens it. @returns Whether it was saved. */
  async saveAs(wanted: string): Promise<boolean> {
    const { boards, workspace, now, newId } = this.#deps;
    const name = freeName(wanted.trim().slice(0, MAX_NAME) || 'Board', this.list ?? []);
    const at = now();
    const board: SavedBoard = { id: newId(), name, at, opened: at, ...this.#content() };
    const done = await this.#try(async () => {
      await boards.save(board);
      this.#take(board);
      workspace.board = board.id;
      await this.#refresh();
      return true;
    });
    return done === true;
  }

  /** Exchanges all boards with the service. */
  exchange(): Promise<void> {
    return this.#deps.exchange();
  }

  /** Renames the open board; an empty name changes nothing. */
  async rename(wanted: string): Promise<void> {
    const { boards, now } = this.#deps;
    const name = wanted.trim().slice(0, MAX_NAME);
    const { saved } = this;
    if (!saved || name === '' || name === saved.name) return;
    await this.#try(() => boards.rename(saved.id, name, now()));
  }

  /** Saves a copy of the board on the page and opens it. */
  async duplicate(): Promise<void> {
    await this.saveAs(nameWith(this.name || 'Board', 'copy'));
  }

  /** Deletes the open board; its view stays on the page, and it can be restored. */
  async remove(): Promise<void> {
    const { saved } = this;
    if (saved) await this.#remove(saved, true);
  }

  /** @param first - Whether to report it; not when it is redone. */
  async #remove(saved: SavedBoard, first: boolean): Promise<void> {
    const { boards, workspace, toasts } = this.#deps;
    await this.#try(async () => {
      const gone = await boards.remove(saved.id);
      if (workspace.board === saved.id) {
        workspace.board = null;
        this.#take(null);
      }
      if (!gone || !first) return;
      const back = async (): Promise<void> => {
        // After an earlier undo it may have been saved again.
        if (await boards.board(gone.id)) return;
        await boards.save(gone);
        if (workspace.board !== null) return;
        this.#take({ ...gone, notes: saved.notes, fixed: saved.fixed });
        workspace.board = gone.id;
      };
      const undo = (): void => {
        dismiss();
        void this.#try(back);
      };
      const again = async (): Promise<void> => {
        const there = await boards.board(gone.id);
        if (there && sameContent(there, gone)) await this.#remove(saved, false);
      };
      this.onremoved(gone.name, { undo, redo: () => void this.#try(again) });
      const dismiss = toasts.say(`Deleted the board ${gone.name}. The page still shows it.`, undo);
    });
  }

  /** Opens a saved board, and offers the way back to unsaved changes. */
  async open(id: string): Promise<void> {
    const { boards, workspace, now } = this.#deps;
    await this.#try(async () => {
      const board = await boards.board(id);
      if (!board) {
        this.list = await boards.list();
        this.#deps.toasts.show('This board was deleted elsewhere.');
        return;
      }
      this.#offerBack(`Opened ${board.name}.`);
      this.#take(board);
      workspace.show(stateOf(board));
      await boards.opened(id, now());
    });
  }

  /** Starts an empty board with the same source, range and zone. */
  fresh(): void {
    const { workspace } = this.#deps;
    const { source, range, zone, weekStart } = workspace.view();
    this.#offerBack('Started a new board.');
    this.#take(null);
    const view: View = {
      ...(source && { source }),
      ...(range && { range }),
      ...(zone && { zone }),
      ...(weekStart && { weekStart }),
    };
    workspace.show({ board: null, view: formatView(view), notes: [], fixed: [] });
  }

  /** Before another board takes the page: offers the way back to unsaved changes. */
  #offerBack(done: string): void {
    const { workspace, toasts } = this.#deps;
    const [state, saved, base] = [workspace.state(), this.saved, this.#base];
    const { series } = parseView(state.view).view;
    const something = (series?.length ?? 0) + state.notes.length + state.fixed.length > 0;
    if (saved ? !this.dirty : !something) return;
    const what = saved ? `The changes to ${saved.name}` : 'The previous board';
    toasts.show(`${done} ${what} ${saved ? 'were' : 'was'} not saved.`, {
      text: 'Go back',
      act: () => {
        this.saved = saved;
        this.#base = base;
        workspace.show(state);
      },
    });
  }

  /** Follows the history to another board, and stores drafts. @returns A function that stops it. */
  follow(): () => void {
    return $effect.root(() => {
      $effect(() => {
        const { board } = this.#deps.workspace;
        if (!this.ready || board === (this.saved?.id ?? null)) return;
        void this.#try(async () => {
          const saved = board === null ? null : await this.#deps.boards.board(board);
          if (this.#deps.workspace.board !== board) return;
          if (!saved) this.#deps.workspace.board = null;
          this.#take(saved);
        });
      });
      $effect(() => {
        if (this.ready) this.#storeDraft(this.#deps.workspace.extras());
      });
    });
  }

  /** Stores what neither the address nor the saved board holds, so that it survives a reload. */
  #storeDraft({ board, notes, fixed }: Omit<BoardState, 'view'>): void {
    const { saved } = this;
    const held = { board, view: '', notes: saved?.notes ?? [], fixed: saved?.fixed ?? [] };
    if (sameState(held, { board, view: '', notes, fixed })) {
      this.#deps.drafts.clear();
      return;
    }
    void this.#deps.drafts.write({ board: saved ? board : null, notes, fixed }).then((stored) => {
      if (!stored && !this.#warned) this.#deps.toasts.show(NO_ROOM);
      this.#warned = !stored;
    });
  }

  /** Downloads the board on the page as a file, saved or not. */
  async exportOne(): Promise<void> {
    const { now, newId, download } = this.#deps;
    const { exportBoard } = await import('./board-files.ts');
    const { id = newId(), at = now(), opened = at } = this.saved ?? {};
    const name = this.name || 'Board';
    const board = { id, name, at: this.dirty ? now() : at, opened, ...this.#content() };
    await exportBoard(board, download);
  }

  /** Opens a file that Groundswell wrote; of another file it says what it is. */
  async choose(file: File): Promise<void> {
    const { openOwn, toasts } = this.#deps;
    const { ownKind } = await import('./board-files.ts');
    const kind = await ownKind(file, (problem) => toasts.show(problem));
    if (kind) await openOwn(file, kind);
  }

  /** Imports the board of a file and opens it. */
  async importFile(file: File): Promise<void> {
    const { boards, toasts } = this.#deps;
    const id = await this.#try(async () => {
      const { readBoard } = await import('#app/counts/files/board-file.ts');
      const board = await readBoard(file);
      const id = await boards.take(board);
      this.list = await boards.list();
      toasts.show(`Imported ${this.nameOf(id) ?? board.name}.`);
      return id;
    }, file.name);
    if (id !== undefined) await this.open(id);
  }
}
