import { command } from '#server/cli/command.ts';
import { noMore } from '#server/cli/options.ts';

export const mcpCommand = command({
  name: 'mcp',
  summary: {
    'groundswell mcp':
      'answers the questions of an assistant over stdin and stdout; it only reads, and buys nothing',
  },
  about: `groundswell mcp
Serves an assistant that speaks the Model Context Protocol, over stdin and stdout: counts, comparisons, peaks and their
causes, what rises, Posts, and what the platform's counts would cost. It reads what everyone may read and what was
bought before, and never buys. It also works while a service is running, and ends with its input.`,
  options: {},
  posts: 'cluster',
  read: ([extra]) => {
    noMore(extra, 'mcp');
    return {};
  },
  run: async (deps, order) => await (await import('#server/cli/mcp/stdio.ts')).runMcp(deps, order),
});
