import { Fault } from '#contract/fault.ts';
import { CACHE_BROKEN, CACHE_FULL, CACHE_OUTDATED } from './cache-port.ts';
import type { CountsDatabase } from './cache-tables.ts';
import { NATIVE, VERSION } from './cache-tables.ts';

/** An error and what it wraps: a quota error reaches Dexie as an AbortError with the real one inside. */
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

/** A failure of the database as a {@link Fault} in words. */
export function cacheFault(error: unknown): Fault {
  const found = names(error);
  const detail = error instanceof Error ? error.message : String(error);
  if (found.includes('QuotaExceededError')) {
    const title = 'The browser has no room left for counts';
    return new Fault(0, { title, detail, type: CACHE_FULL });
  }
  if (found.includes('DatabaseClosedError') || found.includes('VersionError'))
    return outdated(detail);
  const title = 'The browser’s store for counts does not work';
  return new Fault(0, { title, detail, type: CACHE_BROKEN });
}

/**
 * Opens the database unless a newer version of this page has been at it: Dexie would open that too, and
 * old code would go on writing into new tables.
 */
async function opened(db: CountsDatabase): Promise<void> {
  // Firefox before 126 has no list; there the check after opening has to do.
  const list = (await indexedDB.databases?.()) ?? [];
  const there = list.find(({ name }) => name === db.name)?.version ?? 0;
  const version = there > VERSION * NATIVE ? there : (await db.open(), db.backendDB().version);
  if (version <= VERSION * NATIVE) return;
  db.close({ disableAutoOpen: true });
  throw outdated(`expected version ${VERSION} of the database, got ${version / NATIVE}`);
}

/** Told of what other tabs do to the database. */
export interface Neighbours {
  /** Another tab opens a newer version; this one is closed by then, and every later call throws `CACHE_OUTDATED`. */
  onOutdated?(): void;
  /** A tab with an older version keeps this one from opening: calls wait until it is closed. Then told false. */
  onBlocked?(blocked: boolean): void;
  /** Saved boards were written here; who shows them in any tab reads them again. */
  onBoards?(): void;
}

/** Runs work on the database once it is open, and makes its failures {@link Fault}s. */
export type Guard = <T>(work: () => PromiseLike<T>) => Promise<T>;

/** Keeps one database open, from the first work on. */
export function guard(db: CountsDatabase, { onOutdated, onBlocked }: Neighbours): Guard {
  let old = false;
  let blocked = false;
  db.on('versionchange', () => {
    old = true;
    db.close({ disableAutoOpen: true });
    onOutdated?.();
    return false;
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
  return async (work) => {
    try {
      if (old) throw outdated('closed for another version');
      // Tried again at the next call where it failed.
      opening ??= opened(db)
        .catch((error: unknown) => {
          opening = null;
          throw error;
        })
        .finally(unblock);
      await opening;
      return await work();
    } catch (error) {
      throw error instanceof Fault ? error : cacheFault(error);
    }
  };
}
