import { ImportQueue } from '#app/import/import-queue.svelte.ts';

/** An intake for pages that nobody drops a file on. */
export function quietIntake(): ImportQueue {
  const away = (): Promise<never> => Promise.reject(new Error('not played here'));
  return new ImportQueue({
    api: { import: away, stop: away },
    now: () => 0,
    id: () => 'work',
    onimported: () => undefined,
    onother: () => undefined,
  });
}
