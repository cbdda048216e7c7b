import { inflateSync } from 'fflate';
import type * as v from 'valibot';
import type { Fault } from '#contract/fault.ts';
import { parseJson } from '#core/text/bounded-json.ts';
import { crcOf } from '#core/export/crc.ts';
import { errorMessage } from '#core/thrown.ts';
import { check, Manifest, type ManifestOf } from './archive-schema.ts';
import {
  type ArchiveKind,
  badArchive,
  shownEntry,
  STORED,
  DEFLATED,
  MANIFEST,
  ARCHIVE_KINDS,
} from './archive-kind.ts';
import { type ArchiveEntry, spanOfFile, LOCAL_BYTES, archiveEntries } from './archive-entries.ts';

const VERSION = 1;

/** All names that an entry may have, so that no path leads elsewhere and nothing unknown is skipped. */
const NAMES =
  /^(?:manifest\.json|series\/\d{1,5}\.json|cells\/\d{1,5}-(?:minute|hour|day)\.bin|fixed\/\d{1,5}\.bin)$/u;

/** An opened file, whose parts are checked as they are read. */
export class Archive<K extends ArchiveKind> {
  readonly #file: Blob;
  readonly #kind: K;
  readonly #entries: ReadonlyMap<string, ArchiveEntry>;
  readonly #unread: Set<string>;

  constructor(file: Blob, kind: K, entries: ReadonlyMap<string, ArchiveEntry>) {
    this.#file = file;
    this.#kind = kind;
    this.#entries = entries;
    this.#unread = new Set(entries.keys());
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The fault for a problem in this file. */
  bad(detail: string): Fault {
    return badArchive(this.#kind, detail);
  }

  /** The content of an entry, possibly in a longer buffer. @throws {Fault} if it is missing or damaged. */
  async bytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const entry = this.#entries.get(name);
    if (!entry) throw this.bad(`Its part ${shownEntry(name)} is missing.`);
    this.#unread.delete(name);
    const { method, crc, size, start, from, to } = entry;
    const bytes = await spanOfFile(this.#file, start, to);
    const header = new TextDecoder().decode(bytes.subarray(LOCAL_BYTES, from - start));
    const content = this.#unpacked(bytes.subarray(from - start), method, size);
    if (header !== name || content?.length !== size || crcOf(content) !== crc) {
      throw this.bad(`It is damaged: its part ${shownEntry(name)} is not as it was written.`);
    }
    return content;
  }

  #unpacked(
    raw: Uint8Array<ArrayBuffer>,
    method: number,
    size: number,
  ): Uint8Array<ArrayBuffer> | null {
    if (method === STORED) return raw;
    if (method !== DEFLATED) return null;
    try {
      // One more byte than declared, to detect longer content.
      return inflateSync(raw, { out: new Uint8Array(size + 1) });
    } catch {
      return null;
    }
  }

  /** The unchecked JSON of an entry. @param where - Its description, to begin a sentence with. */
  async value(name: string, where: string): Promise<unknown> {
    const bytes = await this.bytes(name);
    try {
      return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch (error) {
      const why = errorMessage(error);
      throw this.bad(`${where} is not JSON that can be read: ${why}.`);
    }
  }

  /** The checked JSON of an entry. */
  async json<S extends v.GenericSchema>(
    name: string,
    schema: S,
    where: string,
  ): Promise<v.InferOutput<S>> {
    return this.checked(schema, await this.value(name, where), where);
  }

  checked<S extends v.GenericSchema>(schema: S, value: unknown, where: string): v.InferOutput<S> {
    const result = check(schema, value);
    if ('wrong' in result) throw this.bad(`${where} is not valid: ${result.wrong}.`);
    return result.output;
  }

  /** @throws {Fault} if a part was not read, because nothing refers to it. */
  finish(): void {
    const [name] = this.#unread;
    if (name !== undefined) throw this.bad(`Nothing in it refers to its part ${shownEntry(name)}.`);
  }
}

/**
 * Opens a file of this program.
 *
 * @returns Its checked manifest, and its other parts, which have not been read yet.
 * @throws {Fault} of the kind's type that says what is wrong, if the file is of another kind, damaged, truncated, of a
 *   newer version, or beyond a limit.
 */
export async function openArchive<K extends ArchiveKind>(
  file: Blob,
  kind: K,
): Promise<{ readonly archive: Archive<K>; readonly manifest: ManifestOf<K> }> {
  const archive = new Archive(file, kind, await archiveEntries(file, kind));
  if (!archive.has(MANIFEST)) {
    throw archive.bad(`It is not a Groundswell file: it has no ${MANIFEST}.`);
  }
  const value = await archive.value(MANIFEST, 'Its manifest');
  const { groundswell, version } = (value instanceof Object ? value : {}) as Record<
    string,
    unknown
  >;
  if (!(typeof groundswell === 'string' && Object.hasOwn(ARCHIVE_KINDS, groundswell))) {
    throw archive.bad('It is not a Groundswell file: its manifest does not say what it is.');
  }
  if (groundswell !== kind) {
    const is = ARCHIVE_KINDS[groundswell as ArchiveKind].name;
    throw archive.bad(`It is ${is}, not ${ARCHIVE_KINDS[kind].name}.`);
  }
  if (version !== VERSION) {
    throw archive.bad(
      `A newer version of Groundswell wrote it: its format has version ${shownEntry(version)}, and this one reads version ${VERSION}.`,
    );
  }
  for (const name of archive.names) {
    if (!NAMES.test(name)) throw archive.bad(`It has an unknown part ${shownEntry(name)}.`);
  }
  const manifest = archive.checked(Manifest, value, 'Its manifest') as ManifestOf<K>;
  return { archive, manifest };
}
