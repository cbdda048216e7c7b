import { isStoreThere } from '#server/db/migrate.ts';
import { openSource, type Source } from './source.ts';

/** Some files of Posts, each of which its first use opens. */
export function sourcesIn<K extends string>(
  files: Readonly<Record<K, string>>,
  deps: { readonly random: (n: number) => Uint8Array },
) {
  const open = new Map<K, Source>();
  const close = (id: K): void => {
    open.get(id)?.close();
    open.delete(id);
  };
  /** Creates a file that does not exist. */
  const get = (id: K): Source => {
    const source = open.get(id) ?? openSource(files[id], deps);
    open.set(id, source);
    return source;
  };
  return {
    get,
    /** Null if the file does not exist. */
    find: (id: K): Source | null => (open.has(id) || isStoreThere(files[id]) ? get(id) : null),
    /** Lets the next use open a file again, after it was replaced. */
    reopen: async (id: K): Promise<void> => close(id),
    close: (): void => {
      for (const id of open.keys()) close(id);
    },
  };
}
