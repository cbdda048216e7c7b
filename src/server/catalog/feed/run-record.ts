import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogStore } from '#server/catalog/store.ts';
import type { Machine } from '#server/machine.ts';
import { removeSpool } from './feed-spool.ts';
import type { FeedFormat } from './product-file.ts';
import type { FeedRun } from './run-table.ts';

/** A run that has begun. */
interface BegunRun {
  readonly run: number;
  readonly source: string;
  /** The format of a file that was sent, which is not downloaded; null for a download. */
  readonly format: FeedFormat | null;
}

export interface RunRecordDeps extends Pick<Machine, 'now' | 'random'> {
  readonly store: CatalogStore;
  /** Folder of the files that are downloaded. */
  readonly folder: string;
}

/** Begins and ends of runs: their rows, and the files that they download. */
export function runRecord({ store, folder, now, random }: RunRecordDeps) {
  const fileOf = (catalog: number): string => join(folder, `${catalog}.feed`);
  const spoolOf = (catalog: number): string => `${fileOf(catalog)}.ids`;
  const sourceName = (): string => Buffer.from(random(16)).toString('hex');
  const makeFolder = (): void => void mkdirSync(folder, { recursive: true, mode: 0o700 });
  const find = (catalog: number, run: number): FeedRun | null =>
    store.runs.of(catalog).find(({ id }) => id === run) ?? null;
  return {
    makeFolder,
    /** The file to which the feed of a catalog is downloaded. */
    fileOf,
    /** The file for what a run has read and not yet written. */
    spoolOf,
    /** Begins a run, or continues one that did not end. */
    begin: (catalog: number): BegunRun => {
      makeFolder();
      return (
        store.downloads.of(catalog) ??
        store.write('begin-feed', () => {
          const source = sourceName();
          const run = store.runs.begin(catalog, source, now()).id;
          store.downloads.begin(catalog, run, source);
          return { run, source, format: null };
        })
      );
    },
    /** Begins a run of the file that is at {@link fileOf} already. The next download is read whatever its host says. */
    beginFile: (catalog: number, format: FeedFormat): void => {
      const { size: bytes } = statSync(fileOf(catalog));
      store.write('begin-feed', () => {
        const source = sourceName();
        const run = store.runs.begin(catalog, source, now()).id;
        store.downloads.beginFile(catalog, run, source, { bytes, format });
        store.downloads.forget(catalog);
      });
    },
    /** True if the end of a run is stored, as where the process ended before the end of its download was. */
    hasEnded: (catalog: number, run: number): boolean => find(catalog, run)?.endedAt !== null,
    /**
     * Ends the run of a catalog, if there is one.
     *
     * @param fault - Null for one whose end is stored, or that found nothing new.
     */
    end: (catalog: number, fault: string | null): FeedRun | null => {
      const download = store.downloads.of(catalog);
      if (!download) return null;
      const { run, complete, bytes, etag, modified } = download;
      const ended = store.write('end-feed', () => {
        const found = find(catalog, run);
        const done = found?.endedAt === null ? store.runs.end(run, fault, now()) : found;
        const isUnchanged = fault === null && !complete;
        const readAt = store.downloads.seen(catalog)?.readAt ?? null;
        store.downloads.putSize(run, {
          bytes: complete ? bytes : null,
          unchangedSince: isUnchanged ? readAt : null,
        });
        const isRead = complete && done?.fault === null;
        if (isRead && (etag !== null || modified !== null)) {
          store.downloads.see(catalog, { etag, modified, readAt: done.startedAt });
        }
        store.downloads.remove(catalog);
        return done;
      });
      rmSync(fileOf(catalog), { force: true });
      removeSpool(spoolOf(catalog));
      return ended;
    },
    /** Removes files of no run. @returns Catalogs whose run has not ended. */
    unended: (): number[] => {
      makeFolder();
      const catalogs = store.downloads.catalogs();
      for (const name of readdirSync(folder)) {
        if (!catalogs.includes(Number.parseInt(name, 10)))
          rmSync(join(folder, name), { force: true });
      }
      return catalogs;
    },
  };
}
