import { command } from '#server/cli/command.ts';
import { noMore } from '#server/cli/options.ts';

export const checkCommand = command({
  name: 'check',
  summary: 'checks that the index matches the Posts, and reports problems',
  about: `groundswell check
Checks the files of Your posts and of the sample, and that the index counts every Post once and finds it by its
content. Also checks the files of tokens and of the platform, which it mentions only if they have problems. It
changes nothing and may run while the service runs. The exit code is 1 if it finds a problem. If
GROUNDSWELL_CLICKHOUSE_URL is set, it also compares Your posts in the data folder with those in ClickHouse.`,
  options: {},
  posts: 'cluster',
  read: ([extra]) => {
    noMore(extra, 'check');
    return {};
  },
  run: async (deps, order) => await (await import('#server/cli/check.ts')).runCheck(deps, order),
});
