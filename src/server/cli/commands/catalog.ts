import * as v from 'valibot';
import { CatalogName } from '#contract/catalog/catalog.ts';
import type { MerchantOrder } from '#contract/catalog/feeds.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import { actionOf, merchantOf, noMore, UsageError, type Values } from '#server/cli/options.ts';

function catalogOf([word, name, extra]: readonly string[], values: Values): MerchantOrder {
  const action = actionOf('catalog', ['add'], word);
  noMore(extra, 'catalog');
  const read = v.safeParse(CatalogName, name ?? '');
  if (!read.success) {
    throw new UsageError(
      'Name the catalog with 1 to 255 characters: groundswell catalog add NAME.',
    );
  }
  return { action, name: read.output, username: merchantOf(values) };
}

export const catalogCommand = command({
  name: 'catalog',
  summary: {
    'groundswell catalog add NAME [--user NAME]': `creates a merchant's product catalog`,
  },
  about: `groundswell catalog add NAME [--user NAME]
Creates the product catalog of an account that has accepted the merchant terms (groundswell user set NAME
--merchant-terms yes). An account may have one. Give it a feed with groundswell feed add.`,
  column: 15,
  options: {
    '--user NAME': 'username of the merchant (default: the only one who accepted the terms)',
    ...JSON_OPTION,
  },
  read: (words, values) => ({ order: catalogOf(words, values), json: values.has('json') }),
  run: (deps, { data, order, json }) =>
    report(deps, data, 'catalog', order, ({ catalog }) =>
      json
        ? `${JSON.stringify(catalog)}\n`
        : `${catalog.name} was added for @${catalog.username}, with the id ${catalog.id}.\n`,
    ),
});
