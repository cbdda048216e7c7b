import type { Bucket } from '#core/notes/evaluation.ts';
import { Semaphore } from '#core/semaphore.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import type { NoteTable, StoredNote } from './note-table.ts';

export interface LinkChecksDeps {
  readonly table: Pick<NoteTable, 'setLinks'>;
  readonly fetcher: Pick<Fetcher, 'send'>;
  readonly log: (line: string) => void;
}

/** A note with links to check. */
export type Checked = Pick<StoredNote, 'id' | 'links'> & {
  readonly info: { readonly text: string };
};

/** Checks the links of test notes. */
export type LinkChecks = ReturnType<typeof openLinkChecks>;

/** Requests at once. */
const AT_ONCE = 8;
/** Most links of a note that are checked. */
const MOST_LINKS = 12;
/** Notes whose checks are remembered. */
const MOST_NOTES = 10_000;

const LINK = /https?:\/\/[^\s<>"\u201c\u201d]+/g;

/** The links of a text, without the punctuation after them and without fragments. */
export function linksOf(text: string): string[] {
  const found = Array.from(text.matchAll(LINK), ([link]) =>
    link.replace(/[.,;:!?')\]]+$/, '').replace(/#.*$/, ''),
  );
  return [...new Set(found)].slice(0, MOST_LINKS);
}

/**
 * Opens the check of links: valid are those that answer 200 (platform-facts-additions, section 8). Redirects are answers
 * of another status. What the fetcher may not or cannot reach is not known.
 */
export function openLinkChecks({ table, fetcher, log }: LinkChecksDeps) {
  const lanes = new Semaphore(AT_ONCE);
  /** Checks by note, the oldest first. */
  const begun = new Map<bigint, Promise<Bucket | null>>();
  const answers = async (method: 'GET' | 'HEAD', url: string): Promise<boolean | null> => {
    try {
      return (await fetcher.send({ method, url })).status === 200;
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      return error.fault === 'status' || error.fault === 'redirect' ? false : null;
    }
  };
  const isValid = async (url: string): Promise<boolean | null> => {
    // Most pages are larger than an answer may be. Some servers refuse HEAD.
    const head = await answers('HEAD', url);
    return head === false ? await answers('GET', url) : head;
  };
  const check = async ({ id, info }: Checked): Promise<Bucket | null> => {
    try {
      const links = linksOf(info.text);
      const found = await Promise.all(links.map((url) => lanes.take(() => isValid(url))));
      if (!found.includes(false) && found.includes(null)) return null;
      const bucket = found.includes(false) ? 'Low' : 'High';
      table.setLinks(id, bucket);
      return bucket;
    } catch (error) {
      log(`The links of note ${id} were not checked: ${String(error)}`);
      return null;
    }
  };
  const begin = (note: Checked): Promise<Bucket | null> => {
    const known = begun.get(note.id);
    if (known) return known;
    const result = check(note);
    begun.set(note.id, result);
    for (const id of begun.keys()) {
      if (begun.size <= MOST_NOTES) break;
      begun.delete(id);
    }
    return result;
  };
  return {
    /**
     * Checks the links of notes, each once while the service runs. Never rejects.
     *
     * @returns Whether the links of each are valid, in order; null where that could not be found out.
     */
    of: async (notes: readonly Checked[]): Promise<(Bucket | null)[]> =>
      await Promise.all(notes.map((note) => note.links ?? begin(note))),
  };
}
