import type { ChannelKind } from '#contract/channels/channel.ts';

/** A message for a channel. */
export interface ChannelMessage {
  /** Lines; the first is the subject of an e-mail. */
  readonly text: string;
  /** Fields that a webhook gets with the text. */
  readonly data: object;
}

/** Most characters of a message to Discord. */
const MOST_DISCORD = 2000;

/** The signs that Slack reads as its own. */
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The bodies of messages to an address, by its kind. */
const FORMS: Readonly<Record<Exclude<ChannelKind, 'email'>, (message: ChannelMessage) => object>> =
  {
    webhook: ({ text, data }) => ({ text, ...data }),
    // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
    slack: ({ text }) => ({ text: text.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign) }),
    // https://discord.com/developers/docs/resources/webhook: no name in a query may call people.
    discord: ({ text }) => ({
      content: text.length > MOST_DISCORD ? `${text.slice(0, MOST_DISCORD - 1)}…` : text,
      allowed_mentions: { parse: [] },
    }),
    // https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
    teams: ({ text }) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [{ type: 'TextBlock', text, wrap: true }],
          },
        },
      ],
    }),
  };

/** The body of a request to a channel, as JSON. */
export function channelBody(kind: Exclude<ChannelKind, 'email'>, message: ChannelMessage): Buffer {
  return Buffer.from(JSON.stringify(FORMS[kind](message)));
}
