import { Fault } from '#contract/fault.ts';
import { CACHE_BROKEN, CACHE_DELETED, CACHE_FULL, CACHE_OUTDATED } from './records.ts';
import type { CountsDatabase } from './database.ts';
import { NATIVE, VERSION } from './database.ts';

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

function deleted(): Fault {
  const title = 'The counts and boards that this browser kept were deleted: reload the page';
  const detail = 'The user, another page of this address or the browser deleted the database.';
  return new Fault(0, { title, detail, type: CACHE_DELETED });
}

/** A failure of the database as a {@link Fault}. */
export function cacheFault(error: unknown): Fault {
  const found = names(error);
  const detail = error instanceof Error ? error.message : String(error);
  if (found.includes('QuotaExceededError')) {
    const title = 'The browser has no room left for counts';
    return new Fault(0, { title, detail, type: CACHE_FULL });
  }
  if (found.includes('VersionError')) return outdated(detail);
  const title = 'The browser’s store for counts does not work';
  return new Fault(0, { title, detail, type: CACHE_BROKEN });
}

/**
 * Opens the database unless a newer version of this page has upgraded it: Dexie would open that too, and
 * old code would write into new tables.
 */
async function opened(db: CountsDatabase): Promise<void> {
  // Firefox before 126 has no list; there, only the check after opening applies.
  const list = (await db.factory.databases?.()) ?? [];
  const there = list.find(({ name }) => name === db.name)?.version ?? 0;
  const version = there > VERSION * NATIVE ? there : (await db.open(), db.backendDB().version);
  if (version <= VERSION * NATIVE) return;
  db.close({ disableAutoOpen: true });
  throw outdated(`expected version ${VERSION} of the database, got ${version / NATIVE}`);
}

/** What other tabs and the user do to the cache. */
export interface CacheListener {
  /** Another tab opened a newer version; this one is closed, and every later call throws `CACHE_OUTDATED`. */
  onOutdated(): void;
  /**
   * The database was deleted under this page; every later call throws `CACHE_DELETED` until the page is loaded
   * again: what it was buying, and under which approval, is no longer known.
   */
  onDeleted(): void;
  /** Whether a tab with an older version keeps this one from opening: calls wait meanwhile. */
  onBlocked(blocked: boolean): void;
}

/** Runs work on the open database, and turns failures into {@link Fault}s. */
export type Guard = <T>(work: () => PromiseLike<T>) => Promise<T>;

/** Opens a database with the first work, and keeps it open. */
export function guard(
  db: CountsDatabase,
  { onOutdated, onDeleted, onBlocked }: Partial<CacheListener>,
): Guard {
  /** Why it stays closed; null while it may be open. */
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
    // Tried again at the next call where it failed.
    opening ??= opened(db)
      .then(() => {
        everOpened = true;
        // Not Dexie's own event, which it also fires when it closes the database itself.
        db.backendDB().addEventListener('close', reopen, { once: true });
      })
      .catch((error: unknown) => {
        opening = null;
        throw error;
      })
      .finally(unblock);
    return opening;
  };
  /** Finds out at once whether it was deleted: another tab may create a new one later. */
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
      // The database was closed under the work: whatever the error says, that is why it failed.
      if (over) throw over;
      throw error instanceof Fault ? error : cacheFault(error);
    }
  };
}
