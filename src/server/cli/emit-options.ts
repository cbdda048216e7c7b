import { EMITTED_TYPES, type EmittedType } from '#contract/streams/emitted-events.ts';
import { EVENT_NAMES, eventType, RETIRED_EVENT_NAMES } from '#contract/streams/events.ts';
import { didYouMean, UsageError, type Values } from './options.ts';
import { usernameOf } from './profile-options.ts';

/**
 * Reads `groundswell emit TYPE --user NAME [--json FILE]`.
 *
 * @throws {@link UsageError} for a type that is unknown or has a cause, and for a missing or invalid username.
 */
export function emitOf([name, extra]: readonly string[], values: Values) {
  if (name === undefined) {
    throw new UsageError('Name the type of the event: groundswell emit TYPE --user NAME.');
  }
  if (extra !== undefined) {
    throw new UsageError(`Unexpected ${extra}: see groundswell emit --help.`);
  }
  const replacement = RETIRED_EVENT_NAMES.get(name);
  if (replacement !== undefined) throw new UsageError(`${name} is now named ${replacement}.`);
  const type = eventType(name);
  if (type === null) {
    throw new UsageError(`${name} is not a type of event.${didYouMean(name, EVENT_NAMES)}`);
  }
  const event: EmittedType | undefined = EMITTED_TYPES.find((one) => one === type);
  if (event === undefined) {
    throw new UsageError(
      `${name} cannot be emitted, because changes of this service cause it. Emit one of ${EMITTED_TYPES.join(', ')}.`,
    );
  }
  const username = usernameOf(values.get('user')?.at(-1), 'Name the account: --user NAME.');
  return { event, username, json: values.get('json')?.at(-1) ?? null };
}
