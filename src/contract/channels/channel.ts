import * as v from 'valibot';

/** Most channels of an alert or a report. */
export const MAX_CHANNELS = 5;

/** Forms in which a message is sent to an address. */
export const CHANNEL_KINDS = ['webhook', 'slack', 'teams', 'discord', 'email'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** A place that messages go to. */
export const Channel = v.strictObject({
  kind: v.picklist(CHANNEL_KINDS),
  /** An address that begins with https:// or http://; of an e-mail, the address that it goes to. */
  address: v.pipe(v.string(), v.minLength(3), v.maxLength(2000)),
});
export type Channel = v.InferOutput<typeof Channel>;
