import type { CollectionOrder } from '#contract/posts/collections.ts';
import { didYouMean, UsageError } from './options.ts';

const ACTIONS = ['list', 'rename', 'include', 'exclude', 'remove', 'restore'] as const;

/**
 * Reads `groundswell collections …`.
 *
 * @throws {@link UsageError} for an unknown action, and a missing name.
 */
export function collectionsOf(words: readonly string[]): CollectionOrder {
  const [word, collection, name] = words;
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined) {
    const near = word === undefined ? '' : didYouMean(word, ACTIONS);
    throw new UsageError(`Say what to do: groundswell collections ${ACTIONS.join(', ')}.${near}`);
  }
  const extra = words[action === 'list' ? 1 : action === 'rename' ? 3 : 2];
  if (extra !== undefined) {
    throw new UsageError(`Unexpected ${extra}: put a name with spaces in quotes.`);
  }
  if (action === 'list') return { action };
  if (!collection) {
    throw new UsageError(`Name the collection: groundswell collections ${action} NAME.`);
  }
  if (action !== 'rename') return { action, collection };
  if (!name) throw new UsageError('Give the new name: groundswell collections rename NAME NEW.');
  return { action, collection, name };
}
