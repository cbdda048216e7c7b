import { Channel, CHANNEL_KINDS, MAX_CHANNELS } from '#contract/channels/channel.ts';
import * as v from 'valibot';
import { UsageError, type Values } from './options.ts';

const KINDS = CHANNEL_KINDS.join(', ');

/** The option that names channels. */
export const CHANNEL_OPTION = {
  '--to KIND:ADDRESS': `where messages go: ${KINDS} and the address; repeat it for more`,
};

/** The channels of `--to`, each a kind and an address, such as `slack:https://…`. @throws {@link UsageError} */
export function channelsOf(values: Values): Channel[] {
  const texts = values.all('to');
  if (texts.length > MAX_CHANNELS) {
    throw new UsageError(`--to can be given at most ${MAX_CHANNELS} times, got ${texts.length}.`);
  }
  return texts.map((text) => {
    const colon = text.indexOf(':');
    const read = v.safeParse(Channel, {
      kind: text.slice(0, colon),
      address: text.slice(colon + 1),
    });
    if (read.success) return read.output;
    throw new UsageError(
      `--to ${text} is not a kind and an address, such as slack:https://hooks.slack.com/…: kinds are ${KINDS}.`,
    );
  });
}
