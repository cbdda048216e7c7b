import type { Context } from 'hono';
import { plainProblem } from '#contract/fault.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { CountSource } from '#server/posts/index/source.ts';
import { setStore } from './headers.ts';

/** Finds an open source; null if it is not open. */
export type FindSource = (id: SourceId) => CountSource | null;

/**
 * Finds a source whose Posts can be read as they are now; its index may not have the newest changes.
 *
 * @throws {@link Fault} 404 if it is not open.
 */
export function openedSource(find: FindSource, id: SourceId): CountSource {
  const source = find(id);
  if (!source) throw plainProblem(404, 'Not Found', `The source ${id} is not open.`);
  return source;
}

/**
 * Refreshes a source and puts its state into the answer's headers.
 *
 * @throws {@link Fault} 404 if it is not open.
 */
export function currentSource(c: Context, find: FindSource, id: SourceId): CountSource {
  const source = openedSource(find, id);
  source.refresh();
  setStore(c, source.index);
  return source;
}
