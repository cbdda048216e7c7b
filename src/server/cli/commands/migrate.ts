import { command } from '#server/cli/command.ts';
import { noMore, UsageError } from '#server/cli/options.ts';

export const migrateCommand = command({
  name: 'migrate',
  summary: 'copies Your posts into ClickHouse and verifies the counts',
  about: `groundswell migrate --to clickhouse
Copies Your posts from the data folder into the ClickHouse servers that GROUNDSWELL_CLICKHOUSE_URL names, and
verifies that both count the same. The data folder stays unchanged. Run it again to continue an interrupted copy.`,
  options: {
    '--to clickhouse': 'the target',
  },
  posts: 'cluster',
  read: ([extra], values) => {
    noMore(extra, 'migrate');
    if (values.last('to') === 'clickhouse') return {};
    throw new UsageError('groundswell migrate needs --to clickhouse.');
  },
  run: async (deps, order) =>
    await (await import('#server/cli/migrate.ts')).runMigrate(deps, order),
});
