import type { RelationFigures } from '#contract/control/control.ts';
import { openFeeds, type Feed } from '#server/readers/feed.ts';
import { FeedError } from '#core/readers/error.ts';
import type { Row } from '#core/readers/row.ts';
import type { ImportedRequest } from '#server/notes/request-table.ts';
import type { ImportedRelation } from '#server/posts/store/imported-relations.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import { readArchiveEntry, type ArchiveOwner } from '#core/import/archive.ts';
import { relationFigure, noRelations, readArchiveRelation } from './archive-relations.ts';
import { readColumns } from '#core/import/columns.ts';
import type { TablePlan } from '#core/import/table.ts';
import { readValue } from '#core/import/values.ts';
import { mapFault, MapError, type ImportTables } from './tables.ts';
import { finishDraft } from './draft.ts';
import type { Draft } from '#core/import/draft.ts';
import { IdMaker } from './id-maker.ts';
import { readId } from '#core/import/id.ts';
import { Includes } from '#core/import/includes.ts';
import { object, type Json } from '#core/import/json.ts';

/** A row that was not imported, and why. */
export interface Refusal {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** The content of one block of a file. */
export interface Batch {
  readonly file: string;
  readonly kind: Feed['kind'];
  /** Bytes on disk of this file read so far. */
  readonly bytesRead: number;
  readonly posts: readonly NewPost[];
  readonly objects: readonly StoredObject[];
  readonly relations: readonly ImportedRelation[];
  /** Requests for notes on those of the Posts for which notes were requested. */
  readonly requests: readonly ImportedRequest[];
  /** The figures of the relations in the summary. */
  readonly figures: Readonly<RelationFigures>;
  readonly refused: readonly Refusal[];
}

/** A batch with `bytesRead` and `bytesTotal` of all files of the job. */
export interface ReadBatch extends Batch {
  readonly bytesTotal: number;
}

/** A batch while it is being filled. */
interface Filling extends Batch {
  readonly posts: NewPost[];
  readonly objects: StoredObject[];
  readonly relations: ImportedRelation[];
  readonly requests: ImportedRequest[];
  readonly figures: RelationFigures;
  readonly refused: Refusal[];
}

/** A file opened for import, or an entry of a zip. */
interface Source {
  /** The file as named by the user; for a zip entry, the zip. */
  readonly path: string;
  readonly feed: Feed;
  /** Null for JSON. */
  readonly plan: TablePlan | null;
}

/** The account of an archive, with the id of this service's account of that username if there is one. */
function ownerIn(accounts: Readonly<Record<string, string>>, owner: ArchiveOwner): ArchiveOwner {
  const name = owner.username?.toLowerCase() ?? '';
  return Object.hasOwn(accounts, name) ? { ...owner, id: accounts[name] ?? null } : owner;
}

/** The relations to store of the account of an archive, so that it is a known user. */
function aboutOwner({ id, username }: ArchiveOwner): ImportedRelation[] {
  const user = readId(id ?? '');
  return user === null || username === null ? [] : [{ user: { id: user, username } }];
}

/**
 * Opens every file before the first is read, so that a wrong name or a missing column is reported at
 * once.
 *
 * @param tables - Opens the tables among them.
 * @param accounts - Ids of this service's accounts by username, in lower case: the archive of one of them is its own.
 * @throws {@link MapError} for a wrong map or choice, {@link FeedError} for a file that cannot be read or lacks a
 *   column that a Post needs.
 */
export async function openSources(
  files: readonly string[],
  tables: ImportTables,
  accounts: Readonly<Record<string, string>> = {},
): Promise<Source[]> {
  const fault = mapFault(tables.map);
  if (fault !== null) throw new MapError(fault);
  const sources: Source[] = [];
  for (const file of files) {
    for (const feed of await openFeeds(file, tables)) {
      const plan = tables.planOf(feed);
      if (!plan && Object.keys(tables.map).length > 0) {
        throw new FeedError('columns', feed.file, 'has no columns to map; --map is for tables.');
      }
      const owner = feed.owner && ownerIn(accounts, feed.owner);
      sources.push({ path: file, feed: { ...feed, owner }, plan });
    }
  }
  return sources;
}

/** The expected content of a file of each kind that has no row at all, and what was found. */
const NONE: Readonly<Record<Feed['kind'], string>> = {
  csv: 'expected a row for each Post below the names of the columns, found no row',
  workbook: 'expected a row for each Post below the names of the columns, found no row',
  lines:
    'expected a Post, or an answer of the interface, on each line, found answers without Posts',
  list: 'expected a list of Posts, found a list without any object',
  document: 'expected Posts under "data", found an answer without Posts',
  archive: 'expected the Posts of an archive, found an empty list',
};

/** The fault for a file without any Posts, good or bad. */
export function fileWithoutPosts(path: string, kinds: readonly Feed['kind'][]): FeedError {
  const found = [...new Set(kinds)].map((kind) => NONE[kind]);
  return new FeedError('no-posts', path, `has no Posts: ${found.join('; ')}.`);
}

/** Reads the rows of one source into Posts. */
class SourceReader {
  readonly #source: Source;
  readonly #now: number;
  readonly #ids = new IdMaker();
  /** For the whole document, whose `includes` serve all Posts. */
  readonly #shared = new Includes();

  constructor(source: Source, now: number) {
    this.#source = source;
    this.#now = now;
  }

  /** Adds what one row says of the objects that Posts refer to. @returns The object to store, if it is one. */
  include(row: Row): StoredObject | null {
    return this.#shared.addRow(row);
  }

  read(row: Row, batch: Filling): void {
    if (row.kind === 'bad') this.#refuse(row.line, row.reason, batch);
    else if (row.kind === 'columns') {
      if (this.#source.plan)
        this.#take(row.line, readColumns(this.#source.plan, row.fields), batch);
    } else if (!row.place.startsWith('includes.')) {
      const value = object(row.value);
      if (value) this.#readValue(row.line, value, batch);
      else this.#refuse(row.line, 'is not an object', batch);
    }
  }

  #readValue(line: number, value: Json, batch: Filling): void {
    const { kind, owner, file } = this.#source.feed;
    if (kind === 'archive') {
      const relation = readArchiveRelation(value, owner, file);
      if (relation === null) this.#take(line, readArchiveEntry(value, owner), batch);
      else if (typeof relation === 'string') this.#refuse(line, relation, batch);
      else {
        batch.relations.push(relation);
        const figure = relationFigure(relation, owner);
        if (figure) batch.figures[figure] += 1;
      }
      return;
    }
    for (const draft of readValue(value, this.#shared, batch.objects))
      this.#take(line, draft, batch);
  }

  #take(line: number, draft: Draft | string, batch: Filling): void {
    const post = typeof draft === 'string' ? draft : finishDraft(draft, this.#ids, this.#now);
    if (typeof post === 'string') return this.#refuse(line, post, batch);
    batch.posts.push(post);
    if (typeof draft === 'string' || !draft.note) return;
    batch.requests.push({ post: post.id, createdAt: post.createdAt, ...draft.note });
  }

  #refuse(line: number, reason: string, batch: Filling): void {
    batch.refused.push({ file: this.#source.feed.file, line, reason });
  }
}

/**
 * Reads a source from beginning to end. A document is read twice: its `includes` may follow the Posts
 * whose authors they name, and a reposted Post its reposts.
 *
 * @param now - Epoch ms; later Posts are refused.
 * @throws {@link FeedError} if the file ends early or is damaged, after everything before it was
 *   returned; the signal's reason when it is aborted.
 */
export async function* readSource(
  source: Source,
  now: number,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const { feed } = source;
  const reader = new SourceReader(source, now);
  let bytesRead = 0;
  const begin = (): Filling => ({
    file: feed.file,
    kind: feed.kind,
    bytesRead,
    posts: [],
    objects: [],
    relations: [],
    requests: [],
    figures: noRelations(),
    refused: [],
  });
  if (feed.kind === 'document') {
    try {
      for await (const rows of feed.rows({ signal })) {
        const found = rows.map((row) => reader.include(row)).filter((item) => item !== null);
        yield { ...begin(), objects: found };
      }
    } catch (error) {
      // The second pass reaches the same place, after the Posts before it.
      if (!(error instanceof FeedError)) throw error;
    }
  }
  if (feed.owner) yield { ...begin(), relations: aboutOwner(feed.owner) };
  const onBytes = (bytes: number): void => {
    bytesRead = bytes;
  };
  for await (const rows of feed.rows({ signal, onBytes })) {
    const batch = begin();
    for (const row of rows) reader.read(row, batch);
    yield batch;
  }
}
