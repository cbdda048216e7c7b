import { Fault } from '#contract/fault.ts';
import { errorMessage } from '#core/thrown.ts';
import {
  CACHE_BROKEN,
  CACHE_DELETED,
  CACHE_EARLIER,
  CACHE_FULL,
  CACHE_OUTDATED,
} from './records.ts';
import { NATIVE, VERSION, type CountsDatabase } from './database.ts';

/** The names of an error and of those it wraps: Dexie wraps a quota error in an AbortError. */
function names(error: unknown): string[] {
  const out: string[] = [];
  for (let e = error; e instanceof Object && out.length < 8; e = (e as { inner?: unknown }).inner) {
    out.push(String((e as { name?: unknown }).name));
  }
  return out;
}

function outdated(detail: string): Fault {
  const title = 'Another tab runs a newer version of this page: reload it';
  return new Fault(0, { title, detail, type: CACHE_OUTDATED });
}

function earlier(version: number): Fault {
  const title =
    'The counts and boards stored in this browser are of an earlier version of this page';
  const detail = `expected version ${VERSION} of the database, got ${version}`;
  return new Fault(0, { title, detail, type: CACHE_EARLIER });
}

function deleted(): Fault {
  const title = 'The counts and boards stored in this browser were deleted: reload the page';
  const detail = 'The user, another page of this address or the browser deleted the database.';
  return new Fault(0, { title, detail, type: CACHE_DELETED });
}

/** Describes a failure of the database. */
export function cacheFault(error: unknown): Fault {
  const found = names(error);
  const detail = errorMessage(error);
  if (found.includes('QuotaExceededError')) {
    const title = 'The browser has no room left for counts';
    return new Fault(0, { title, detail, type: CACHE_FULL });
  }
  if (found.includes('VersionError')) return outdated(detail);
  const title = 'The browser can’t store counts';
  return new Fault(0, { title, detail, type: CACHE_BROKEN });
}

/**
 * The native version of a database; 0 if there is none. Not from `databases()`: Firefox before 126 lacks it, and Chromium
 * 156 never answers it while it deletes a database, and aborts one opening.
 */
function versionOf(db: CountsDatabase, retry = true): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = db.factory.open(db.name);
    let missing = false;
    request.addEventListener('upgradeneeded', () => {
      missing = true;
      request.transaction?.abort();
    });
    request.addEventListener('success', () => {
      const { version } = request.result;
      request.result.close();
      resolve(version);
    });
    request.addEventListener('error', () => {
      if (missing) resolve(0);
      else if (retry) resolve(versionOf(db, false));
      else reject(request.error);
    });
  });
}

/**
 * Opens the database unless a version from before the first release made it, or a newer version of this page has upgraded
 * it. Dexie would open that too, and old code would write to new tables.
 *
 * @param newest - Number of the version that this page writes.
 */
async function opened(db: CountsDatabase, newest: number): Promise<void> {
  const there = await versionOf(db);
  if (there > 0 && there < VERSION * NATIVE) throw earlier(there / NATIVE);
  const version = there > newest * NATIVE ? there : (await db.open(), db.backendDB().version);
  if (version <= newest * NATIVE) return;
  db.close({ disableAutoOpen: true });
  throw outdated(`expected version ${newest} of the database, got ${version / NATIVE}`);
}

/** Called when other tabs or the user affect the cache. */
export interface CacheListener {
  /** Another tab opened a newer version. This one is closed, and every later call throws `CACHE_OUTDATED`. */
  onOutdated(): void;
  /**
   * The database was deleted while the page was open. Every later call throws `CACHE_DELETED` until the user reloads
   * the page, because its purchases and their approvals are lost.
   */
  onDeleted(): void;
  /** Called with true when a tab with an older version blocks opening, and with false when it no longer does. */
  onBlocked(blocked: boolean): void;
}

/** Runs work on the open database and turns failures into {@link Fault}s. */
export type Guard = <T>(work: () => PromiseLike<T>) => Promise<T>;

/** The parts that the tables of one database share. */
export interface CacheParts {
  readonly db: CountsDatabase;
  readonly guarded: Guard;
  /** Called after saved boards were written. */
  readonly onBoards: () => void;
}

/** Opens a database with the first call, and keeps it open. */
export function guard(
  db: CountsDatabase,
  { onOutdated, onDeleted, onBlocked }: Partial<CacheListener>,
): Guard {
  const newest = db.verno;
  /** The reason why it must not be opened again; null while it may be. */
  let over: Fault | null = null;
  let everOpened = false;
  let blocked = false;
  const end = (fault: Fault, report?: () => void): void => {
    if (over) return;
    over = fault;
    db.close({ disableAutoOpen: true });
    report?.();
  };
  db.on('versionchange', ({ newVersion }) => {
    if (newVersion === null) end(deleted(), onDeleted);
    else end(outdated('closed for another version'), onOutdated);
    return false;
  });
  // When the user clears the browser's data, the browser closes the database without an event and creates a new one
  // at the next call.
  db.on('populate', () => {
    if (everOpened) end(deleted(), onDeleted);
  });
  db.on('blocked', () => {
    blocked = true;
    onBlocked?.(true);
  });
  const unblock = (): void => {
    if (blocked) onBlocked?.(false);
    blocked = false;
  };
  let opening: Promise<void> | null = null;
  const ready = (): Promise<void> => {
    // If it fails, the next call tries again.
    opening ??= opened(db, newest)
      .then(() => {
        everOpened = true;
        // Not Dexie's own event, which also fires when Dexie closes the database itself.
        db.backendDB().addEventListener('close', reopen, { once: true });
      })
      .catch((error: unknown) => {
        opening = null;
        throw error;
      })
      .finally(unblock);
    return opening;
  };
  /** Checks at once whether it was deleted, because another tab may create a new one later. */
  const reopen = (): void => {
    if (over) return;
    opening = null;
    db.close({ disableAutoOpen: true });
    ready().catch(() => undefined);
  };
  return async (work) => {
    try {
      if (over) throw over;
      await ready();
      return await work();
    } catch (error) {
      // The database was closed during the work, and that is why it failed, whatever the error says.
      if (over) throw over;
      throw error instanceof Fault ? error : cacheFault(error);
    }
  };
}
