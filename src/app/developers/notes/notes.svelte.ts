import { call, type EndpointClient } from '#app/api/endpoint-call.ts';
import { EntryForm } from '#app/settings/entry-form.svelte.ts';
import { Changes, Loaded, type Changing } from '#app/settings/loaded.svelte.ts';
import { PagedList } from '#app/developers/lists/paged-list.svelte.ts';
import type { AccountInfo } from '#contract/accounts/accounts.ts';
import { MANAGE } from '#contract/accounts/manage.ts';
import type { RequestedNotes } from '#contract/control/note-orders.ts';
import {
  NOTE_SETTINGS,
  type RequestedPostInfo,
  type WriterAnswer,
  type WrittenNoteInfo,
} from '#contract/notes/note-settings.ts';
import { plural } from '#core/format/plural.ts';
import { EMPTY, readRequest, type RequestField } from './request-entry.ts';

/** The flags of an account that community notes need. */
export type NoteFlag = 'ai_developer' | 'note_writer';

/** The notes of a writer that are visible, and what it may write. */
export class VisibleWriter {
  readonly id: string;
  readonly state: Loaded<WriterAnswer>;
  /** True if its test notes are listed, or the others. */
  test = $state(true);
  readonly #lists: Readonly<Record<'tests' | 'notes', PagedList<WrittenNoteInfo>>>;

  constructor(client: EndpointClient, id: string) {
    this.id = id;
    this.state = new Loaded(() => call(client, NOTE_SETTINGS.writer, { params: { id } }));
    const list = (test: boolean): PagedList<WrittenNoteInfo> =>
      new PagedList(async (after) => {
        const { notes, next } = await call(client, NOTE_SETTINGS.written, {
          params: { id },
          query: { test: test ? 'true' : 'false', after },
        });
        return { entries: notes, next };
      });
    this.#lists = { tests: list(true), notes: list(false) };
  }

  get list(): PagedList<WrittenNoteInfo> {
    return this.#lists[this.test ? 'tests' : 'notes'];
  }

  choose(test: boolean): void {
    this.test = test;
    if (!this.list.entries) void this.list.restart();
  }

  /** Loads the state, and again the list that is visible. */
  async load(): Promise<void> {
    await Promise.all([this.list.restart(), this.state.load()]);
  }
}

/** Requests for community notes, and the accounts that write them. */
export class NoteSettings {
  readonly #deps: Changing;
  /** The accounts by age, and whether each note writer is admitted, by id of its account. */
  readonly all = new Loaded(async () => {
    const { client } = this.#deps;
    const [{ accounts }, { writers }] = await Promise.all([
      call(client, MANAGE.accounts, { body: { action: 'list' } }),
      call(client, NOTE_SETTINGS.writers),
    ]);
    return { accounts, admitted: new Map(writers.map(({ id, admitted }) => [id, admitted])) };
  });
  /** Posts that notes were requested for in all. */
  count = $state(0);
  readonly requests: PagedList<RequestedPostInfo>;
  form: EntryForm<RequestField, RequestedNotes>;
  writer = $state.raw<VisibleWriter | null>(null);
  /** Of Posts and accounts. */
  readonly changes: Changes;

  constructor(deps: Changing) {
    this.#deps = deps;
    this.changes = new Changes((text) => deps.say(text));
    this.requests = new PagedList(async (after) => {
      const query = { after };
      const { count, requests, next } = await call(deps.client, NOTE_SETTINGS.requests, { query });
      this.count = count;
      return { entries: requests, next };
    });
    this.form = $state.raw(this.#newForm());
  }

  get dirty(): boolean {
    return this.form.dirty;
  }

  async load(): Promise<void> {
    await Promise.all([this.requests.restart(), this.all.load(), this.writer?.load()]);
  }

  /** Sets a flag of an account. */
  async setFlag({ id, username }: AccountInfo, flag: NoteFlag, value: boolean): Promise<void> {
    await this.changes.make(id, async () => {
      const profile = { [flag]: value };
      await call(this.#deps.client, MANAGE.accounts, {
        body: { action: 'set', username, profile },
      });
      const what = flag === 'ai_developer' ? 'an AI developer' : 'a note writer';
      this.#deps.say(`@${username} is ${value ? '' : 'no longer '}${what}.`);
      await this.load();
    });
  }

  /** Lets a note writer write notes that are not tests. */
  async admit({ id, username }: AccountInfo): Promise<void> {
    await this.changes.make(id, async () => {
      await call(this.#deps.client, NOTE_SETTINGS.admit, { params: { id } });
      this.#deps.say(`@${username} is admitted.`);
      await this.load();
    });
  }

  /** Shows what an account wrote, or hides it. */
  toggle(id: string): void {
    this.writer = this.writer?.id === id ? null : new VisibleWriter(this.#deps.client, id);
    void this.writer?.load();
  }

  /**
   * Removes the requests for a Post, and offers to undo that.
   *
   * @returns Whether they were removed.
   */
  async withdraw({ id }: RequestedPostInfo): Promise<boolean> {
    const { client, say } = this.#deps;
    return await this.changes.make(id, async () => {
      await call(client, NOTE_SETTINGS.withdraw, { params: { id } });
      this.requests.remove(id);
      this.count -= 1;
      say('Removed the request for a note.', () => void this.#restore(id));
    });
  }

  async #restore(id: string): Promise<void> {
    await this.changes.make(id, async () => {
      await call(this.#deps.client, NOTE_SETTINGS.restore, { params: { id } });
      this.#deps.say('Restored the request for a note.');
      await this.requests.restart();
    });
  }

  #newForm(): EntryForm<RequestField, RequestedNotes> {
    return new EntryForm<RequestField, RequestedNotes>({
      initial: () => EMPTY,
      read: readRequest,
      send: async (order) => {
        await call(this.#deps.client, NOTE_SETTINGS.request, { body: order });
        const { length } = order.posts;
        const posts = plural(length, 'Post');
        this.#deps.say(`Requested notes for ${posts}.`);
        this.form = this.#newForm();
        await this.requests.restart();
      },
    });
  }
}
