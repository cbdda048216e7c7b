import { readFileSync, statSync } from 'node:fs';
import {
  EMITTED_TYPES,
  payloadFault,
  type EmitOrder,
  type EmittedType,
} from '#contract/streams/emitted-events.ts';
import { EVENT_NAMES, eventType, RETIRED_EVENT_NAMES } from '#contract/streams/events.ts';
import { errorMessage } from '#core/thrown.ts';
import { command } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import { didYouMean, noMore, usernameOf, UsageError, type Values } from '#server/cli/options.ts';
import { CommandError } from '#server/command-error.ts';

function emitOf([name, extra]: readonly string[], values: Values) {
  if (name === undefined) {
    throw new UsageError('Name the type of the event: groundswell emit TYPE --user NAME.');
  }
  noMore(extra, 'emit');
  const replacement = RETIRED_EVENT_NAMES.get(name);
  if (replacement !== undefined) throw new UsageError(`${name} is now named ${replacement}.`);
  const type = eventType(name);
  if (type === null) {
    throw new UsageError(`${name} is not a type of event.${didYouMean(name, EVENT_NAMES)}`);
  }
  const event: EmittedType | undefined = EMITTED_TYPES.find((each) => each === type);
  if (event === undefined) {
    throw new UsageError(
      `${name} cannot be emitted, because changes of this service cause it. Emit one of ${EMITTED_TYPES.join(', ')}.`,
    );
  }
  const username = usernameOf(values.last('user'), 'Name the account: --user NAME.');
  return { event, username, json: values.last('json') ?? null };
}

/** Largest file of a payload, in bytes. */
const MAX_PAYLOAD = 1024 * 1024;

/** The payload in a file; an empty one without a file. @throws {@link CommandError} that says what is wrong with it. */
function payloadIn(file: string | null, event: EmittedType): EmitOrder['payload'] {
  const payload = file === null ? {} : readJson(file);
  const fault = payloadFault(event, payload);
  if (fault === null) return payload as EmitOrder['payload'];
  throw new CommandError(`${event} ${file === null ? 'without --json' : `from ${file}`}: ${fault}`);
}

function readJson(file: string): unknown {
  try {
    const { size } = statSync(file);
    if (size > MAX_PAYLOAD) {
      throw new CommandError(`${file} has ${size} bytes; the limit is ${MAX_PAYLOAD}.`);
    }
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const why = errorMessage(error);
    throw new CommandError(
      error instanceof SyntaxError ? `${file} is not JSON: ${why}` : `Cannot read ${file}: ${why}`,
    );
  }
}

export const emitCommand = command({
  name: 'emit',
  summary: 'creates an event that nothing else here causes, such as a direct message',
  about: `groundswell emit TYPE --user NAME [--json FILE]
Creates an event of the account @NAME that no operation of this service causes. Streams and webhooks deliver it
like any other.`,
  options: {
    TYPE: EMITTED_TYPES.join(',\n'),
    '--user NAME': 'username of an account of this service',
    '--json FILE': 'content of the event, such as {"broadcast_id": "1"} for a space',
  },
  posts: 'folder',
  read: emitOf,
  run: (deps, { data, event, username, json }) => {
    const payload = payloadIn(json, event);
    const done = `${event} was emitted for @${username}.\n`;
    return report(deps, data, 'emit', { event, username, payload }, () => done);
  },
});
