import type { RequestedNotes } from '#contract/control/note-orders.ts';
import {
  NOTE_SETTINGS,
  type RequestsAnswer,
  type WriterAnswer,
  type WritersAnswer,
  type WrittenNotesAnswer,
} from '#contract/notes/note-settings.ts';
import type { Client } from './client.ts';
import { pathWith } from './endpoint-path.ts';

/** Requests for community notes, and what note writers wrote. Calls throw a `Fault`, at once if no answer comes. */
export interface NotesApi {
  /** A page of requests. @param after - `next` of the page before; null for the first. */
  requests(after: string | null): Promise<RequestsAnswer>;
  /** Requests notes for Posts. @throws {Fault} 404 if one of them is not in Your posts. */
  request(order: RequestedNotes): Promise<void>;
  /** Removes all requests for a Post. @throws {Fault} 404 if there are none. */
  withdraw(post: string): Promise<void>;
  /** Undoes {@link withdraw}. @throws {Fault} 404 if the service no longer remembers it. */
  restore(post: string): Promise<void>;
  writers(): Promise<WritersAnswer['writers']>;
  /** @param id - Of the account. */
  writer(id: string): Promise<WriterAnswer>;
  /** Lets a note writer write notes that are not tests. @throws {Fault} 409 for another account. */
  admit(id: string): Promise<void>;
  /** A page of a writer's notes, as {@link requests}. @param test - Whether of its test notes. */
  written(id: string, test: boolean, after: string | null): Promise<WrittenNotesAnswer>;
}

const paged = (path: string, parameters: Readonly<Record<string, string | null>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};

/** The {@link NotesApi} of the service this page came from. */
export function notesApi(client: Pick<Client, 'send' | 'json'>): NotesApi {
  const { requests, request, withdraw, restore, writers, writer, admit, written } = NOTE_SETTINGS;
  const options = () => ({ signal: new AbortController().signal, impatient: true });
  const change = async (
    endpoint: typeof withdraw | typeof restore | typeof admit,
    id: string,
  ): Promise<void> => {
    const { method, answer } = endpoint;
    await client.send<object>(method, pathWith(endpoint, { id }), undefined, answer, options());
  };
  return {
    requests: (after) => client.json(paged(requests.path, { after }), requests.answer, options()),
    request: async (order) => {
      await client.send(request.method, request.path, order, request.answer, options());
    },
    withdraw: (post) => change(withdraw, post),
    restore: (post) => change(restore, post),
    writers: async () => (await client.json(writers.path, writers.answer, options())).writers,
    writer: (id) => client.json(pathWith(writer, { id }), writer.answer, options()),
    admit: (id) => change(admit, id),
    written: (id, test, after) =>
      client.json(
        paged(pathWith(written, { id }), { test: String(test), after }),
        written.answer,
        options(),
      ),
  };
}
