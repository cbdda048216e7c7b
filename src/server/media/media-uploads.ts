import { SECOND_MS, DAY_MS } from '#core/time/span.ts';
import type { AppendAnswer, UploadAnswer } from '#contract/posts/media.ts';
import { invalidRequest, type Fault } from '#contract/fault.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Machine } from '#server/machine.ts';
import { newId } from '#server/random.ts';
import {
  CATEGORIES,
  isCheckedLater,
  mediaKey,
  MOST_MEDIA_BYTES,
  type Content,
  type MediaFault,
} from './content.ts';
import { MEDIA_HEAD_BYTES, inspect, recognize } from './inspect.ts';
import { mediaFileName, type MediaFiles, type TemporaryFile } from './media-files.ts';
import type { MediaTable, UploadSegment, StoredMedia } from './media-table.ts';
import type { InitializeRequest, MediaCategory } from '#contract/posts/media-requests.ts';
import type { MediaMetadata } from '#contract/posts/media-metadata.ts';

/** The lifetime of an unfinished upload, and of a medium that no Post uses (platform-facts-additions, section 3a). */
const UNFINISHED_SECONDS = 1_295_999;
const FINISHED_SECONDS = 86_400;
/** The time after its expiry at which a medium is removed: a Post that was created just before may use it. */
const GRACE_MS = DAY_MS / 24;
/** The expiry of a medium that is held: later than any clock shows. */
const HELD_UNTIL = Date.UTC(9999, 0);
/** Media removed at once. */
const SWEEP = 100;
/** The time after which clients are to request the state of a check again. */
const CHECK_AFTER_SECONDS = 1;

/** The media that Posts use. */
export interface MediaUse {
  /** True if a Post contains the medium with that key. */
  key(key: string): boolean;
  /** The hashes of all files of media that Posts contain. Reads every medium of the store. */
  files(): ReadonlySet<string>;
}

interface MediaDeps extends Pick<Machine, 'now' | 'random' | 'log'> {
  readonly table: MediaTable;
  readonly files: MediaFiles;
  readonly use: MediaUse;
}

/** The answer where the caller has no such medium, or one that needs no processing (recorded, section 3a). */
function notFound(parameter: string, id: string): Fault {
  return invalidRequest(parameter, id, 'BadRequest: Not found');
}

function tooLarge(category: MediaCategory, parameter: string, bytes: number): Fault {
  const most = MOST_MEDIA_BYTES[CATEGORIES[category].kind];
  const message = `File size exceeds ${most} bytes, the most of a ${category}; it has ${bytes}.`;
  return invalidRequest(parameter, String(bytes), message);
}

function isHeld({ expiresAt }: StoredMedia): boolean {
  return expiresAt >= HELD_UNTIL;
}

function sizeOf(segments: readonly UploadSegment[]): number {
  return segments.reduce((sum, { size }) => sum + size, 0);
}

/**
 * Requires all segments from 0 on, and the announced size.
 *
 * @throws {@link Fault} 400 that names the first missing segment, or the sizes.
 */
function checkWhole({ total, category }: StoredMedia, segments: readonly UploadSegment[]): void {
  const gap = segments.findIndex(({ n }, i) => n !== i);
  const missing = gap === -1 && segments.length > 0 ? null : Math.max(gap, 0);
  if (missing !== null) {
    const message = `The segment with the segment_index [${missing}] is missing`;
    throw invalidRequest('segment_index', String(missing), message);
  }
  const size = sizeOf(segments);
  if (total !== null && size !== total) {
    const message = `The segments have ${size} bytes; total_bytes is [${total}]`;
    throw invalidRequest('total_bytes', String(total), message);
  }
  if (size > MOST_MEDIA_BYTES[CATEGORIES[category].kind]) throw tooLarge(category, 'media', size);
}

/** A file that is not what its medium is for, found before the answer. */
function refused(id: string, { message }: MediaFault): Fault {
  return invalidRequest('media', id, message);
}

/**
 * Receives media, in one request or in segments, and checks it. What a method acknowledged is on the disk. GIFs and
 * videos are checked one after another once the answer to their finalization is sent; a restart continues.
 *
 * Every method that names a medium throws {@link Fault} 400 if the account has no such medium, or it has expired.
 */
export class MediaUploads {
  readonly files: MediaFiles;
  readonly #deps: MediaDeps;
  /** Ids of media that wait for their check, in the order of the checks. */
  readonly #waiting = new Set<string>();
  /** Ids of uploads that are being finalized. */
  readonly #finalizing = new Set<string>();
  /** Bytes of the file under check that were read so far, by the id of the medium. */
  readonly #read = new Map<string, number>();
  #checks: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: MediaDeps) {
    this.#deps = deps;
    this.files = deps.files;
  }

  /** Removes what an earlier process left, and continues its checks. Nothing may be uploaded yet. */
  start(): void {
    const { table, files, use } = this.#deps;
    const known = new Set(table.segmentFiles());
    files.drop(files.parts().filter((file) => !known.has(file)));
    // An earlier process may have ended between the deletion of a Post and that of its media.
    for (const media of table.used()) {
      if (!isHeld(media) && !use.key(mediaKey(media))) this.#remove(media);
    }
    const unknown = files.finished().filter(({ hash }) => !table.hasFile(hash));
    const used = unknown.length > 0 ? use.files() : new Set();
    for (const { name, hash } of unknown) if (!used.has(hash)) files.remove(name);
    this.sweep();
  }

  /** Removes media that expired and no Post uses, and continues checks that an error interrupted. */
  sweep(): void {
    const { table, use, now } = this.#deps;
    for (const media of table.expired(now() - GRACE_MS, SWEEP)) {
      const { id } = media;
      if (this.#waiting.has(id) || this.#finalizing.has(id)) continue;
      if (use.key(mediaKey(media))) table.markUsed(id);
      else this.#remove(media);
    }
    for (const { id } of table.unchecked()) this.#checkLater(id);
  }

  /** Removes media whose Posts were deleted. @param keys - As Posts name them. */
  release(keys: readonly string[]): void {
    const { table, use } = this.#deps;
    for (const key of keys) {
      const media = table.find(key.slice(key.indexOf('_') + 1));
      // Another Post may have taken it since.
      if (media && !isHeld(media) && !use.key(key)) this.#remove(media);
    }
  }

  /** A medium that an account may use, by its key: checked, and not expired unless a Post contains it. */
  find(user: { readonly id: string }, key: string): StoredMedia | null {
    const { table, use, now } = this.#deps;
    const media = table.find(key.slice(key.indexOf('_') + 1));
    if (!media || mediaKey(media) !== key || media.state !== 'succeeded') return null;
    if (media.owner !== user.id && !media.owners.includes(user.id)) return null;
    return media.expiresAt > now() || use.key(key) ? media : null;
  }

  /** True if a Post contains a medium. */
  isPosted(key: string): boolean {
    return this.#deps.use.key(key);
  }

  /** Holds a medium until it is let go. */
  hold(media: StoredMedia): void {
    if (!isHeld(media)) this.#deps.table.put({ ...media, expiresAt: HELD_UNTIL });
  }

  /** Lets held media expire like new ones. @param isNeeded - Whether to hold on to the medium of a key. */
  letGo(isNeeded: (key: string) => boolean): void {
    const { table, now } = this.#deps;
    const expiresAt = now() + FINISHED_SECONDS * SECOND_MS;
    for (const media of table.lasting(HELD_UNTIL)) {
      if (!isNeeded(mediaKey(media))) table.put({ ...media, expiresAt });
    }
  }

  /** Resolves once no medium waits for its check. */
  async idle(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#isClosed) await this.#checks;
  }

  /** Ends the checks; the next start continues them. Resolves once the running one no longer reads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#checks;
  }

  /** Begins an upload in segments. */
  initialize(user: Account, request: InitializeRequest): UploadAnswer {
    const { media_category: category, total_bytes: total = null } = request;
    if (total !== null && total > MOST_MEDIA_BYTES[CATEGORIES[category].kind]) {
      throw tooLarge(category, 'total_bytes', total);
    }
    const media = this.#add(user, category, request.additional_owners, {
      total,
      state: 'receiving',
      size: null,
      hash: null,
      content: null,
      expiresAt: this.#deps.now() + UNFINISHED_SECONDS * SECOND_MS,
    });
    return this.#answer(media);
  }

  /**
   * Requires an upload that takes segments, before one is read.
   *
   * @returns Most bytes that a segment of it may have.
   * @throws {@link Fault} 400 also if it is finalized.
   */
  room(user: Account, id: string): number {
    return MOST_MEDIA_BYTES[CATEGORIES[this.#receiving(user, id).category].kind];
  }

  /** Adds a segment, or replaces the one with its index. The part becomes the segment's, or is removed. */
  append(user: Account, id: string, n: number, part: TemporaryFile): AppendAnswer {
    const { table, files } = this.#deps;
    try {
      const media = this.#receiving(user, id);
      const size = sizeOf(table.segments(id).filter((segment) => segment.n !== n)) + part.size;
      if (size > MOST_MEDIA_BYTES[CATEGORIES[media.category].kind]) {
        throw tooLarge(media.category, 'media', size);
      }
      if (media.total !== null && size > media.total) {
        const message = `The segments have ${size} bytes; total_bytes is [${media.total}]`;
        throw invalidRequest('segment_index', String(n), message);
      }
      const replaced = table.putSegment(id, { n, file: part.file, size: part.size });
      if (replaced !== null) files.drop([replaced]);
      return { data: { expires_at: Math.floor(media.expiresAt / SECOND_MS) }, meta: {} };
    } catch (error) {
      files.drop([part.file]);
      throw error;
    }
  }

  /**
   * Ends an upload in segments. Again, it answers with the state.
   *
   * Rejects with {@link Fault} 400 if a segment is missing, the size is not the announced one, or the file is not what
   * the medium is for; the upload stays as it is then.
   */
  async finalize(user: Account, id: string): Promise<UploadAnswer> {
    const { table, files } = this.#deps;
    const media = this.#mine(user, id, 'id');
    if (media.state !== 'receiving') return this.#answer(media);
    const { kind } = CATEGORIES[media.category];
    const segments = this.#receiving(user, id) && table.segments(id);
    checkWhole(media, segments);
    this.#finalizing.add(id);
    try {
      const names = segments.map(({ file }) => file);
      const recognized = await recognize(await files.head(names, MEDIA_HEAD_BYTES));
      if (!recognized) throw invalidRequest('media', id, 'media type unrecognized');
      const expiresAt = this.#deps.now() + FINISHED_SECONDS * SECOND_MS;
      if (isCheckedLater(media.category)) {
        if (!recognized.mime.startsWith(kind === 'gif' ? 'image/gif' : 'video/')) {
          const message = `A file of ${recognized.mime} is no ${kind}`;
          throw invalidRequest('media', id, message);
        }
        const size = sizeOf(segments);
        const pending = { ...media, size, state: 'pending', expiresAt } as const;
        table.put(pending);
        this.#checkLater(id);
        return this.#answer(pending);
      }
      const part = await this.#assemble(media, segments);
      const found = await inspect(files.path(part.file, 'incoming'), part.size, kind);
      if ('fault' in found) {
        files.drop([part.file]);
        throw refused(id, found.fault);
      }
      // Its owner may have described it meanwhile.
      const now = { ...(table.find(id) ?? media), expiresAt };
      return this.#answer(this.#succeed(now, part, found.content));
    } finally {
      this.#finalizing.delete(id);
      if (!this.#waiting.has(id)) this.#read.delete(id);
    }
  }

  /**
   * Takes a whole file. The part becomes the medium's, or is removed.
   *
   * Rejects with {@link Fault} 400 if the file is not what the medium is for.
   */
  async whole(
    user: Account,
    { media_category: category, additional_owners: owners }: InitializeRequest,
    part: TemporaryFile,
  ): Promise<UploadAnswer> {
    const { files, now } = this.#deps;
    try {
      const { kind } = CATEGORIES[category];
      const path = files.path(part.file, 'incoming');
      const found = await inspect(path, part.size, kind);
      if ('fault' in found) throw refused('', found.fault);
      const { content } = found;
      files.finish(part, content.format);
      const expiresAt = now() + FINISHED_SECONDS * SECOND_MS;
      const { size, hash } = part;
      const made = { total: size, state: 'succeeded', size, hash, content, expiresAt } as const;
      return this.#answer(this.#add(user, category, owners, made));
    } catch (error) {
      files.drop([part.file]);
      throw error;
    }
  }

  /** The state of a check. @throws {@link Fault} 400 also if the medium needs none (recorded, section 3a). */
  status(user: Account, id: string): UploadAnswer {
    const media = this.#mine(user, id, 'media_id');
    const isChecked = isCheckedLater(media.category) && media.state !== 'receiving';
    if (isChecked) return this.#answer(media);
    throw notFound('media_id', id);
  }

  /** Replaces what the owner says about a medium. Members that are absent stay as they are. */
  describe(user: Account, id: string, metadata: MediaMetadata): MediaMetadata {
    const media = this.#mine(user, id, 'id');
    const all = { ...media.metadata, ...metadata };
    this.#deps.table.put({ ...media, metadata: all });
    return all;
  }

  /** Media that an account may use, by ids: checked and not expired. Null if that is not so for one of them. */
  usable(user: { readonly id: string }, ids: readonly string[]): StoredMedia[] | null {
    const found = ids.map((id) => this.#deps.table.find(id));
    const isUsable = (media: StoredMedia | undefined): media is StoredMedia =>
      media !== undefined &&
      media.state === 'succeeded' &&
      media.expiresAt > this.#deps.now() &&
      (media.owner === user.id || media.owners.includes(user.id));
    return found.every(isUsable) ? found : null;
  }

  #add(
    user: Account,
    category: MediaCategory,
    owners: readonly string[] = [],
    rest: Pick<StoredMedia, 'total' | 'state' | 'size' | 'hash' | 'content' | 'expiresAt'>,
  ): StoredMedia {
    const common = { owner: user.id, owners, category, fault: null, metadata: {} };
    for (;;) {
      const media = { id: newId(this.#deps), ...common, ...rest };
      if (this.#deps.table.add(media)) return media;
    }
  }

  #mine(user: Account, id: string, parameter: string): StoredMedia {
    const media = this.#deps.table.find(id);
    if (media?.owner === user.id && media.expiresAt > this.#deps.now()) return media;
    throw notFound(parameter, id);
  }

  #receiving(user: Account, id: string): StoredMedia {
    const media = this.#mine(user, id, 'id');
    if (media.state === 'receiving' && !this.#finalizing.has(id)) return media;
    throw invalidRequest('id', id, 'The upload of this media is finalized already');
  }

  /** Removes a medium, and its file unless another medium has it. */
  #remove({ id, hash, content }: StoredMedia): void {
    const { table, files } = this.#deps;
    const parts = table.segments(id).map(({ file }) => file);
    table.remove(id);
    files.drop(parts);
    if (hash !== null && content && !table.hasFile(hash)) {
      files.remove(mediaFileName(hash, content.format));
    }
  }

  /** Joins the segments of an upload to one part. */
  async #assemble(
    { id, category }: StoredMedia,
    segments: readonly UploadSegment[],
  ): Promise<TemporaryFile> {
    const { files } = this.#deps;
    const counted = async function* (this: MediaUploads): AsyncGenerator<Uint8Array> {
      for await (const piece of files.read(segments.map(({ file }) => file))) {
        if (this.#isClosed) throw new Error('the service ends');
        this.#read.set(id, (this.#read.get(id) ?? 0) + piece.length);
        yield piece;
      }
    };
    const most = MOST_MEDIA_BYTES[CATEGORIES[category].kind];
    return await files.receive(counted.call(this), most, () =>
      tooLarge(category, 'media', most + 1),
    );
  }

  /** Makes a part the file of a medium: first the file, then the record, and at last its segments go. */
  #succeed(media: StoredMedia, part: TemporaryFile, content: Content): StoredMedia {
    const { table, files } = this.#deps;
    const segments = table.segments(media.id).map(({ file }) => file);
    files.finish(part, content.format);
    const { size, hash } = part;
    const done = { ...media, state: 'succeeded', size, hash, content } as const;
    table.put(done, 'done');
    files.drop(segments);
    return done;
  }

  #checkLater(id: string): void {
    if (this.#waiting.has(id)) return;
    this.#waiting.add(id);
    const { log } = this.#deps;
    this.#checks = this.#checks.then(async () => {
      try {
        if (!this.#isClosed) await this.#check(id);
      } catch (error) {
        if (!this.#isClosed) log(error instanceof Error ? (error.stack ?? '') : String(error));
      } finally {
        this.#read.delete(id);
        this.#waiting.delete(id);
      }
    });
  }

  async #check(id: string): Promise<void> {
    const { table, files } = this.#deps;
    const media = table.find(id);
    if (!media) return;
    table.put({ ...media, state: 'in_progress' });
    const segments = table.segments(id);
    const part = await this.#assemble(media, segments);
    const path = files.path(part.file, 'incoming');
    const found = await inspect(path, part.size, CATEGORIES[media.category].kind);
    if (this.#isClosed) return;
    // Its owner may have described it meanwhile.
    const now = table.find(id) ?? media;
    if ('content' in found) {
      this.#succeed(now, part, found.content);
      return;
    }
    table.put({ ...now, state: 'failed', fault: found.fault }, 'done');
    files.drop([part.file, ...segments.map(({ file }) => file)]);
  }

  #processing({ id, state, size, fault }: StoredMedia): UploadAnswer['data']['processing_info'] {
    const read = Math.floor((100 * (this.#read.get(id) ?? 0)) / (size ?? 1));
    switch (state) {
      case 'receiving':
        return undefined;
      case 'pending':
        return { state, type: state, check_after_secs: CHECK_AFTER_SECONDS };
      case 'in_progress':
        return {
          state,
          type: state,
          check_after_secs: CHECK_AFTER_SECONDS,
          progress_percent: Math.min(read, 99),
        };
      case 'succeeded':
        return { state, type: state, progress_percent: 100 };
      case 'failed':
        return { state, type: state, ...(fault && { error: fault }) };
    }
  }

  #answer(media: StoredMedia): UploadAnswer {
    const { id, category, size, content, state, expiresAt } = media;
    const later = isCheckedLater(category) ? this.#processing(media) : undefined;
    const isImage = !later && state === 'succeeded' && content && content.width > 0;
    return {
      data: {
        id,
        media_key: mediaKey(media),
        ...(size !== null && { size }),
        // Rounded up, so that a new medium has the recorded number.
        expires_after_secs: Math.ceil((expiresAt - this.#deps.now()) / SECOND_MS),
        ...(later && { processing_info: later }),
        ...(isImage && {
          image: { image_type: content.format, w: content.width, h: content.height },
        }),
      },
      meta: {},
    };
  }
}
