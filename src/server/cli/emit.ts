import { readFileSync, statSync } from 'node:fs';
import { EmitOrder, payloadFault, type EmittedType } from '#contract/streams/emitted-events.ts';
import { errorMessage } from '#core/thrown.ts';
import { CommandError, DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

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

/**
 * `groundswell emit`: appends an event to the log of Your posts.
 *
 * @returns The exit code.
 * @throws {@link CommandError} if the payload does not fit the type, and as `perform`; {@link StoreError} as `perform`.
 */
export async function runEmit(
  deps: CommandDeps,
  order: { data: string; event: EmittedType; username: string; json: string | null },
): Promise<number> {
  const { event, username } = order;
  const payload = payloadIn(order.json, event);
  let code = 1;
  const work = { kind: 'emit', order: { event, username, payload } } as const;
  await perform(deps, new DataFolder(order.data), work, (line) => {
    if (line.type === 'fault') deps.err(`${line.message}\n`);
    if (line.type !== 'emitted') return;
    code = 0;
    deps.out(`${event} was emitted for @${username}.\n`);
  });
  return code;
}
