import type { AlertChannel, ChannelKind } from '#contract/alerts/alerts.ts';
import type { AlertMessage } from '#core/alerts/alert.ts';

/** Messages of one alert that are sent together. */
export interface SentMessages {
  readonly alert: { readonly id: string; readonly name: string; readonly query: string };
  /** A line for each, and for what goes with them. */
  readonly text: string;
  /** None for a test. */
  readonly messages: readonly (AlertMessage & {
    /** Without a full stop. */
    readonly sentence: string;
    /** The first causes of its Posts, each with its share in whole percent. */
    readonly causes: readonly { readonly name: string; readonly percent: number }[];
  })[];
}

/** Most characters of a message to Discord. */
const MOST_DISCORD = 2000;

const iso = (at: number): string => new Date(at).toISOString();

/** The signs that Slack reads as its own. */
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The bodies of messages to an address, by its kind. */
const FORMS: Readonly<Record<Exclude<ChannelKind, 'email'>, (sent: SentMessages) => unknown>> = {
  webhook: ({ alert, text, messages }) => ({
    text,
    alert,
    messages: messages.map(({ at, onset, ...message }) => ({
      ...message,
      at: iso(at),
      onset: iso(onset),
      ...('bucket' in message && {
        bucket: { start: iso(message.bucket.start), end: iso(message.bucket.end) },
      }),
      ...('span' in message && {
        span: { start: iso(message.span.start), end: iso(message.span.end) },
      }),
    })),
  }),
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
export function channelBody(
  { kind }: AlertChannel & { readonly kind: Exclude<ChannelKind, 'email'> },
  sent: SentMessages,
): Buffer {
  return Buffer.from(JSON.stringify(FORMS[kind](sent)));
}
