import { REQUESTER, type RequestOrder } from '#contract/relations/follow-requests.ts';
import { command } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import { noMore, usernameOf, UsageError, type Values } from '#server/cli/options.ts';
import { userCommand } from './user.ts';

function requestsOf([name, extra]: readonly string[], values: Values): RequestOrder {
  noMore(extra, 'user');
  const username = usernameOf(
    name ?? values.last('name'),
    'Name the account: groundswell user requests USERNAME.',
  );
  const answers = (['approve', 'refuse'] as const).flatMap((action) =>
    values.all(action).map((requester) => ({ action, username, requester })),
  );
  const [answer, another] = answers;
  if (another)
    throw new UsageError('Answer one request at a time: --approve NAME or --refuse NAME.');
  if (!answer) return { action: 'list', username };
  const { action, requester } = answer;
  if (REQUESTER.test(requester)) return answer;
  throw new UsageError(`--${action} ${requester} is not a username.`);
}

export const requestsCommand = command({
  name: 'requests',
  under: userCommand,
  summary: {
    'groundswell user requests USERNAME [--approve NAME|--refuse NAME]':
      'lists and answers requests to follow the protected account @USERNAME',
  },
  about: userCommand.about,
  options: userCommand.options,
  posts: 'folder',
  read: (words, values) => ({ requests: requestsOf(words, values), json: values.has('json') }),
  run: (deps, { data, requests: order, json }) =>
    report(deps, data, 'requests', order, ({ requests }) => {
      if (json) {
        return `${JSON.stringify(order.action === 'list' ? { requests } : requests[0])}\n`;
      }
      if (order.action === 'approve') return `@${order.requester} follows @${order.username}.\n`;
      if (order.action === 'refuse') return `The request of @${order.requester} was refused.\n`;
      if (requests.length === 0) return `No account asks to follow @${order.username}.\n`;
      return requests.map(({ id, username }) => `@${username}  ${id}\n`).join('');
    }),
});
