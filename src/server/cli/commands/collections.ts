import type { CollectionInfo, CollectionOrder } from '#contract/posts/collections.ts';
import { plural } from '#core/format/plural.ts';
import { RESTORABLE_MS } from '#server/posts/store/collections.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import { didYouMean, UsageError } from '#server/cli/options.ts';

const ACTIONS = ['list', 'rename', 'include', 'exclude', 'remove', 'restore'] as const;

function collectionsOf(words: readonly string[]): CollectionOrder {
  const [word, collection, name] = words;
  const action = ACTIONS.find((each) => each === word);
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
function line({ name, source, posts, first, last, included }: CollectionInfo): string {
  const span =
    first === null || last === null ? '' : `${first.slice(0, 10)} to ${last.slice(0, 10)}`;
  const from = source === null || source === name ? '' : `from ${source}`;
  const parts = [name, plural(posts, 'Post'), span, from];
  return `${[...parts, included ? '' : 'switched out'].filter((part) => part !== '').join('  ')}\n`;
}

/** The result of an order. */
function done(order: Exclude<CollectionOrder, { action: 'list' }>): string {
  const { collection } = order;
  switch (order.action) {
    case 'rename':
      return `“${collection}” is now named “${order.name}”.\n`;
    case 'include':
      return `“${collection}” is switched in.\n`;
    case 'exclude':
      return `“${collection}” is switched out: its Posts do not count.\n`;
    case 'remove':
      return `“${collection}” was removed. For ${RESTORABLE_MS / 60_000} minutes, groundswell collections restore brings it back.\n`;
    case 'restore':
      return `“${collection}” was restored.\n`;
  }
}

export const collectionsCommand = command({
  name: 'collections',
  summary: {
    'groundswell collections [list|rename|include|exclude|remove|restore] [NAME]':
      'lists the imports of Your posts, renames them, switches them in and out and removes them',
  },
  about: `groundswell collections list
groundswell collections rename NAME NEW
groundswell collections include|exclude NAME
groundswell collections remove|restore NAME
Lists the collections of Your posts: each import is one, and in:NAME in a query finds its Posts. Excluding a
collection hides its Posts from counts and search until it is included again, except those that another collection
has too. Removing a collection deletes its Posts; within 30 minutes, restore undoes that. The command also works
while a service is running.`,
  options: {
    ...JSON_OPTION,
  },
  posts: 'folder',
  read: (words, values) => ({ collections: collectionsOf(words), json: values.has('json') }),
  run: (deps, { data, collections: order, json }) =>
    report(deps, data, 'collections', order, ({ collections }) => {
      const [first = {}] = collections;
      if (json) return `${JSON.stringify(order.action === 'list' ? { collections } : first)}\n`;
      if (order.action !== 'list') return done(order);
      return collections.map(line).join('') || 'There are no collections.\n';
    }),
});
