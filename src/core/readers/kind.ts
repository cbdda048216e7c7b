import { MAX_ROW } from './csv-reader.ts';
import { ObjectProbe, type ObjectShape } from './object-probe.ts';

/** The kind of a text with rows: JSON of some form, the Posts of a user's `archive`, or a `table`. */
export type TextKind =
  | ObjectShape
  | { readonly kind: 'list' | 'archive' }
  | { readonly kind: 'table'; readonly head: string };

/** Enough to distinguish an archive's assignment from a line of CSV. */
const ARCHIVE_HEAD = 256;

function isArchive(head: string): boolean {
  return /^\s*[\w.]+\s*=\s*\[/.test(head);
}

/** True if a line that is not blank ends outside quotes. */
function hasRow(head: string): boolean {
  let quoted = false;
  for (let at = head.search(/\S/); at < head.length; at += 1) {
    const c = head[at];
    if (c === '"') quoted = !quoted;
    else if (!quoted && (c === '\n' || c === '\r')) return true;
  }
  return false;
}

/**
 * Determines the kind of a text from its beginning, block by block: as much as it takes, for JSON to the end of the first
 * line, for a table to the end of its first line, wherever blocks end.
 */
export class KindProbe {
  #head = '';
  #probe: ObjectProbe | null = null;

  /** @returns Null until it is decided. */
  push(block: string): TextKind | null {
    const begin = this.#probe || this.#head !== '' ? block : block.trimStart();
    if (begin === '') return null;
    if (this.#head === '' && begin.startsWith('[')) return { kind: 'list' };
    if (this.#head === '' && begin.startsWith('{')) this.#probe ??= new ObjectProbe();
    if (this.#probe) return this.#probe.push(begin);
    // Including leading white space: the first column of a table may have no name.
    this.#head += block;
    const head = this.#head;
    if (head.length < ARCHIVE_HEAD) return null;
    if (isArchive(head)) return { kind: 'archive' };
    return head.length > MAX_ROW || hasRow(head) ? { kind: 'table', head } : null;
  }

  /** The result if the text ends undecided; null if it is empty. */
  end(): TextKind | null {
    if (this.#probe) return this.#probe.end();
    const head = this.#head;
    if (head === '') return null;
    return isArchive(head) ? { kind: 'archive' } : { kind: 'table', head };
  }
}
