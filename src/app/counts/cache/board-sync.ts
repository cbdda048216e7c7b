import type { BoardVersion } from '#contract/accounts/boards.ts';
import { readDashboardBackup, writeDashboardBackup } from '#app/counts/files/backup.ts';
import {
  FROM_OTHER_BROWSER,
  isBoard,
  mergeVersions,
  REMOVED_SUM,
  versionSum,
  type BoardOrRemoval,
} from './board-versions.ts';
import { contentSum, mergeBoards, sorted } from './merge-boards.ts';
import type { CountsDatabase } from './database.ts';
import type { CacheParts, Guard } from './opening.ts';
import type { BoardRow, SyncedBoard } from './saved-board.ts';

/** Number of bytes that every browser converts to characters in one call. */
const PIECE = 8_192;

async function* nothing(): AsyncGenerator<never> {}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += PIECE) {
    text += String.fromCharCode(...bytes.subarray(i, i + PIECE));
  }
  return btoa(text);
}

async function written(version: BoardOrRemoval): Promise<BoardVersion> {
  const { at, was } = version;
  if (!isBoard(version)) return { removed: true, at, was: [...was] };
  const file = await writeDashboardBackup(nothing(), [version]);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { removed: false, name: version.name, at, file: base64(bytes) };
}

/** @throws {Fault} of type `BAD_BACKUP` if it has no board of that id, or is damaged. */
async function read(id: string, sent: BoardVersion): Promise<BoardOrRemoval> {
  if (sent.removed) return { id, at: sent.at, was: sent.was };
  const bytes = Uint8Array.from(atob(sent.file), (char) => char.charCodeAt(0));
  for await (const part of readDashboardBackup(new Blob([bytes]))) {
    if ('was' in part && part.id === id) return part;
  }
  throw new TypeError(`expected the board ${id} in what the service has of it, got another`);
}

/** A board in the service's list. */
interface Listed {
  readonly id: string;
  readonly revision: string;
}

/** A version to store at the service. */
export interface BoardToSend {
  readonly id: string;
  readonly name: string;
  /** The revision that it replaces; null for none. */
  readonly after: string | null;
  readonly version: BoardVersion;
  /** To report with {@link BoardSync.sent}. */
  readonly state: Pick<SyncedBoard, 'sum' | 'at' | 'was'>;
}

const sameSums = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();

/**
 * The saved boards of this browser as versions that a service stores for a login. What was saved, removed or restored
 * here is found by comparing with what the service last had, so that no other code needs to know of it. Every method
 * throws a `Fault` of one of the cache's types.
 */
export class BoardSync {
  readonly #db: CountsDatabase;
  readonly #guarded: Guard;
  readonly #onWritten: () => void;
  readonly #now: () => number;

  /** @param now - Epoch ms. */
  constructor({ db, guarded, onBoards }: CacheParts, now: () => number) {
    this.#db = db;
    this.#guarded = guarded;
    this.#onWritten = onBoards;
    this.#now = now;
  }

  /**
   * Compares the list of the service with what it last had.
   *
   * @returns The ids of the versions to read, and whether the service lost some, as after its restore from a backup.
   */
  changed(there: readonly Listed[]): Promise<{ ids: string[]; lost: boolean }> {
    return this.#guarded(async () => {
      const known = await this.#db.boardVersions.toArray();
      const revisions = new Map(known.map(({ id, revision }) => [id, revision]));
      const ids = there.filter(({ id, revision }) => revisions.get(id) !== revision);
      const listed = new Set(there.map(({ id }) => id));
      return { ids: ids.map(({ id }) => id), lost: known.some(({ id }) => !listed.has(id)) };
    });
  }

  /** Merges what the service has of a board. */
  async take(id: string, revision: string, sent: BoardVersion): Promise<void> {
    const there = await read(id, sent);
    const wrote = await this.#transaction(async ({ boards, boardVersions }) => {
      const here = await this.#current(id);
      const state = { sum: versionSum(there), at: there.at, was: there.was };
      const put = (removed: SyncedBoard['removed']): PromiseLike<unknown> =>
        boardVersions.put({ id, revision, ...state, removed });
      if (!here || !isBoard(here) || !isBoard(there)) {
        const version = here ? mergeVersions(here, there).version : there;
        const isThere = isBoard(version);
        await put(isThere ? null : version);
        if (isThere) await boards.put(version);
        else await boards.delete(id);
        return isThere !== (here !== null && isBoard(here));
      }
      const rows = await mergeBoards(
        async (id) => (await boards.get(id)) ?? null,
        [there],
        FROM_OTHER_BROWSER,
      );
      await put(null);
      await boards.bulkPut(rows);
      return true;
    });
    if (wrote) this.#onWritten();
  }

  /** The ids of all versions that the service does not have. @param there - All ids in its list. */
  pending(there: readonly string[]): Promise<string[]> {
    const listed = new Set(there);
    return this.#transaction(async ({ boards, boardVersions }) => {
      const all = new Set([
        ...(await boards.toCollection().primaryKeys()),
        ...(await boardVersions.toCollection().primaryKeys()),
      ]);
      const found: string[] = [];
      for (const id of all) {
        const version = await this.#current(id);
        const known = await boardVersions.get(id);
        if (known && !listed.has(id)) {
          // The service lost it. What is removed here needs no removal there.
          if (!version || !isBoard(version)) {
            await boardVersions.delete(id);
            continue;
          }
          await boardVersions.put({ ...known, revision: '' });
          found.push(id);
        } else if (version && !this.#isKnown(version, known)) found.push(id);
      }
      return found;
    });
  }

  /** The version of a board to store at the service; null if it has it. */
  async toSend(id: string): Promise<BoardToSend | null> {
    const found = await this.#transaction(async ({ boardVersions }) => {
      const version = await this.#current(id);
      const known = await boardVersions.get(id);
      if (!version || (known?.revision !== '' && this.#isKnown(version, known))) return null;
      return { version, after: known?.revision || null };
    });
    if (!found) return null;
    const { version, after } = found;
    const { at, was } = version;
    const state = { sum: versionSum(version), at, was };
    const name = isBoard(version) ? version.name : '';
    return { id, name, after, version: await written(version), state };
  }

  /** Notes that the service has stored a version. */
  async sent({ id, state }: Pick<BoardToSend, 'id' | 'state'>, revision: string): Promise<void> {
    await this.#transaction(async ({ boardVersions }) => {
      const removed = (await boardVersions.get(id))?.removed ?? null;
      await boardVersions.put({ id, revision, ...state, removed });
    });
  }

  /**
   * The version that this browser has of a board, after noting what happened here since the service had it: a change, a
   * removal or a restoration is later than what it follows, whatever the clocks say, and knows what that was.
   */
  async #current(id: string): Promise<BoardOrRemoval | null> {
    const { boards, boardVersions } = this.#db;
    const row = await boards.get(id);
    const known = await boardVersions.get(id);
    if (!known) return row ?? null;
    const { removed } = known;
    const before = sorted(...known.was, known.sum);
    if (!row) {
      if (removed) return removed;
      const gone = { id, at: Math.max(this.#now(), known.at + 1), was: before };
      await boardVersions.put({ ...known, removed: gone });
      return gone;
    }
    if (removed) await boardVersions.put({ ...known, removed: null });
    const now = this.#following(row, removed ? { ...removed, sum: REMOVED_SUM } : known);
    if (now !== row) await boards.put(now);
    return now;
  }

  /** A row with the version that it was made from among its earlier contents. */
  #following(row: BoardRow, known: Pick<SyncedBoard, 'sum' | 'at' | 'was'>): BoardRow {
    const isSame = contentSum(row) === known.sum;
    const was = sorted(...row.was, ...known.was, ...(isSame ? [] : [known.sum]));
    const at = isSame ? row.at : Math.max(row.at, known.at + 1);
    return at === row.at && sameSums(was, row.was) ? row : { ...row, at, was };
  }

  #isKnown(version: BoardOrRemoval, known: SyncedBoard | undefined): boolean {
    return (
      known !== undefined &&
      versionSum(version) === known.sum &&
      version.at === known.at &&
      sameSums(version.was, known.was)
    );
  }

  #transaction<T>(work: (db: CountsDatabase) => Promise<T>): Promise<T> {
    const db = this.#db;
    // The scope must be an async function: only then does Dexie keep the transaction open over native awaits.
    return this.#guarded(() =>
      db.transaction('rw', [db.boards, db.boardVersions], async () => await work(db)),
    );
  }
}
