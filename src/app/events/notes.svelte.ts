import { MAX_NOTE, type Campaign, type Note } from '#app/counts/cache/saved-board.ts';

/** The notes of the board, ordered by start. */
export class Notes {
  readonly #newId: () => string;
  /** All notes, including an empty one that is being written. */
  list = $state.raw<readonly Note[]>([]);
  /** Id of the note that is being edited. */
  editing = $state<string | null>(null);
  /** The notes with text, which are saved. */
  readonly written = $derived.by(() => {
    const all = this.list.every(({ text }) => text.trim() !== '');
    return all ? this.list : this.list.filter(({ text }) => text.trim() !== '');
  });

  /** @param newId - Makes a random id. */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  #put(notes: readonly Note[]): void {
    this.list = [...notes].sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
  }

  /** Replaces all notes. */
  replace(notes: readonly Note[]): void {
    if (notes === this.list) return;
    this.list = notes;
    if (!notes.some(({ id }) => id === this.editing)) this.editing = null;
  }

  /** Adds a note for a moment or a stretch, or a campaign; without text it opens for editing. */
  add({
    start,
    end = null,
    text = '',
    campaign,
  }: {
    start: number;
    end?: number | null;
    text?: string;
    campaign?: Campaign;
  }): Note {
    const note = {
      id: this.#newId(),
      start,
      end,
      text: text.slice(0, MAX_NOTE),
      ...(campaign && { campaign }),
    };
    this.#check(note);
    this.#put([...this.list, note]);
    if (text === '') this.editing = note.id;
    return note;
  }

  /** @throws {@link RangeError} for an end that is not after the start. */
  edit(id: string, change: Partial<Omit<Note, 'id'>>): void {
    this.#put(
      this.list.map((note) => {
        if (note.id !== id) return note;
        const changed = { ...note, ...change };
        this.#check(changed);
        return { ...changed, text: changed.text.slice(0, MAX_NOTE) };
      }),
    );
  }

  /** Moves a note to another start, with its length. */
  move(id: string, start: number): void {
    const note = this.list.find((each) => each.id === id);
    if (!note) return;
    this.edit(id, { start, end: note.end === null ? null : note.end + start - note.start });
  }

  /** @returns A function that puts it back. */
  remove(id: string): () => void {
    const gone = this.list.find((note) => note.id === id);
    this.list = this.list.filter((note) => note.id !== id);
    if (this.editing === id) this.editing = null;
    return () => {
      if (gone && !this.list.some((note) => note.id === id)) this.#put([...this.list, gone]);
    };
  }

  /** Ends the editing of a note; an empty note is removed. */
  close(id: string): void {
    if (this.editing === id) this.editing = null;
    const empty = (note: Note): boolean => note.id === id && note.text.trim() === '';
    if (this.list.some(empty)) this.list = this.list.filter((note) => !empty(note));
  }

  #check({ start, end }: Note): void {
    if (end !== null && end <= start) {
      throw new RangeError(`expected an end after ${start} or none, got ${end}`);
    }
  }
}
