import { CHANNEL_KINDS, type Channel } from '#contract/channels/channel.ts';
import { HOUR_MS, SECOND_MS } from '#core/time/span.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import { RETRIED_MS } from '#server/streams/deliverer.ts';
import { channelBody, mailText, type ChannelMessage } from './forms.ts';

/** The wait after the first failure, by which each further one is longer, and the longest, ms. */
const FIRST_WAIT_MS = 5 * SECOND_MS;
const LONGER = 4;
const LONGEST_WAIT_MS = 3 * HOUR_MS;

/**
 * The time at which a message that did not arrive is sent again, epoch ms; null if it is given up.
 *
 * @param tries - Number of failures before this one.
 * @param since - The time of the message, epoch ms.
 * @param retried - The time for which it is sent again, ms.
 */
export function retryTime(
  { tries, since }: { readonly tries: number; readonly since: number },
  now: number,
  retried = RETRIED_MS,
): number | null {
  const again = now + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * LONGER ** tries);
  return again > since + retried ? null : again;
}

/** The part of an address that is not secret: its host; of an e-mail, the whole. */
export function shownAddress({ kind, address }: Channel): string {
  return kind === 'email' ? address : new URL(address).host;
}

/** Sends an e-mail. Rejects with a {@link FetchError}. */
export type SendMail = (to: string, subject: string, text: string) => Promise<void>;

/** The channels that a process can send to. */
export type Channels = ReturnType<typeof openChannels>;

/** @param mail - Null where no e-mail can be sent. */
export function openChannels({
  fetcher,
  mail,
}: {
  readonly fetcher: Pick<Fetcher, 'check' | 'send'>;
  readonly mail: SendMail | null;
}) {
  const mailer = (): SendMail => {
    if (mail) return mail;
    throw new FetchError('address', 'No e-mail can be sent: GROUNDSWELL_SMTP_URL is not set.');
  };
  return {
    kinds: CHANNEL_KINDS.filter((kind) => kind !== 'email' || mail),
    /** @throws {@link FetchError} for one that cannot be sent to, a sentence. */
    check: ({ kind, address }: Channel): void => {
      if (kind !== 'email') return void fetcher.check(address);
      if (!/^[^@\s<>,;:]+@[^@\s<>,;:]+\.[^@\s<>,;:]+$/.test(address)) {
        throw new FetchError('address', `${address} is not an e-mail address.`);
      }
      mailer();
    },
    /** @param signal - Ends a request early. @throws {@link FetchError} if it does not arrive. */
    send: async (
      { kind, address }: Channel,
      message: ChannelMessage,
      signal?: AbortSignal,
    ): Promise<void> => {
      if (kind === 'email') {
        return await mailer()(address, message.lines[0]?.text ?? '', mailText(message));
      }
      await fetcher.send({
        method: 'POST',
        url: address,
        headers: { 'content-type': 'application/json' },
        body: channelBody(kind, message),
        ...(signal && { signal }),
      });
    },
  };
}
