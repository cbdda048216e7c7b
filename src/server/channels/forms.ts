import type { ChannelKind } from '#contract/channels/channel.ts';

/** A message for a channel. */
export interface ChannelMessage {
  /** The first is the subject of an e-mail. */
  readonly lines: readonly ChannelLine[];
  /** Fields that a webhook gets with the text. */
  readonly data: object;
}

/** A line of a message, and the address of a page that shows what it says; null if there is none. */
export interface ChannelLine {
  readonly text: string;
  readonly url: string | null;
}

/** Most characters of a message to Discord. */
const MOST_DISCORD = 2000;
/** The words of a link. */
const SHOW = 'Show on the board';

/** The signs that Slack reads as its own. */
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const slackText = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign);

/** Lines with their links as Discord reads them, whose signs of formatting are escaped; the last one is cut. */
function discordText(lines: readonly ChannelLine[]): string {
  let content = '';
  for (const { text, url } of lines) {
    const line = `${content && '\n'}${text.replace(/[\\`*_~|#>[\]()<-]/g, '\\$&')}`;
    const linked = url === null ? line : `${line} [${SHOW}](<${url}>)`;
    const fits = [linked, line].find(({ length }) => content.length + length <= MOST_DISCORD);
    if (fits === undefined) return `${(content + line).slice(0, MOST_DISCORD - 1)}…`;
    content += fits;
  }
  return content;
}

/** The bodies of messages to an address, by its kind. */
const FORMS: Readonly<Record<Exclude<ChannelKind, 'email'>, (message: ChannelMessage) => object>> =
  {
    webhook: ({ lines, data }) => ({ text: lines.map(({ text }) => text).join('\n'), ...data }),
    // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
    slack: ({ lines }) => ({
      text: lines
        .map(({ text, url }) =>
          url === null ? slackText(text) : `${slackText(text)} <${slackText(url)}|${SHOW}>`,
        )
        .join('\n'),
    }),
    // https://discord.com/developers/docs/resources/webhook: no name in a query may call people.
    discord: ({ lines }) => ({ content: discordText(lines), allowed_mentions: { parse: [] } }),
    // https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
    teams: ({ lines }) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            // Text in such a block has no formatting, which one of the kind TextBlock has.
            body: lines.flatMap(({ text, url }) => [
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] },
              ...(url === null
                ? []
                : [{ type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', title: SHOW, url }] }]),
            ]),
          },
        },
      ],
    }),
  };

/** The body of a request to a channel, as JSON. */
export function channelBody(kind: Exclude<ChannelKind, 'email'>, message: ChannelMessage): Buffer {
  return Buffer.from(JSON.stringify(FORMS[kind](message)));
}

/** The text of an e-mail. */
export const mailText = ({ lines }: ChannelMessage): string =>
  lines.map(({ text, url }) => (url === null ? text : `${text}\n${url}\n`)).join('\n');
