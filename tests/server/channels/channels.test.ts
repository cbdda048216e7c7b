import { describe, expect, it } from 'vitest';
import type { ChannelKind } from '#contract/channels/channel.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { openChannels, retryTime } from '#server/channels/channels.ts';

/** Channels that write down what they send. */
function recording() {
  const sent: unknown[] = [];
  const channels = openChannels({
    fetcher: {
      check: () => undefined,
      send: ({ body = Buffer.of() }) => {
        sent.push(JSON.parse(Buffer.from(body).toString()));
        return Promise.resolve({ status: 200, body: Buffer.of() });
      },
    },
    mail: (...mail) => Promise.resolve(void sent.push(mail)),
  });
  return { sent, channels };
}

const URL_OF_TEA = 'https://site.test/#q=a&name=b';
const LINES = [
  { text: 'Tea & <b> [x](http://eve.test)', url: URL_OF_TEA },
  { text: '@here', url: null },
];

describe('a channel', () => {
  it.each<[ChannelKind, unknown]>([
    ['webhook', { text: 'Tea & <b> [x](http://eve.test)\n@here', title: 'Tea' }],
    [
      'slack',
      {
        text: 'Tea &amp; &lt;b&gt; [x](http://eve.test) <https://site.test/#q=a&amp;name=b|Show on the board>\n@here',
      },
    ],
    [
      'discord',
      {
        content: `Tea & \\<b\\> \\[x\\]\\(http://eve.test\\) [Show on the board](<${URL_OF_TEA}>)\n@here`,
        allowed_mentions: { parse: [] },
      },
    ],
    [
      'teams',
      {
        type: 'message',
        attachments: [
          expect.objectContaining({
            content: expect.objectContaining({
              body: [
                { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: LINES[0]?.text }] },
                {
                  type: 'ActionSet',
                  actions: [
                    { type: 'Action.OpenUrl', title: 'Show on the board', url: URL_OF_TEA },
                  ],
                },
                { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: '@here' }] },
              ],
            }),
          }),
        ],
      },
    ],
    ['email', ['to', LINES[0]?.text, `${LINES[0]?.text}\n${URL_OF_TEA}\n\n@here`]],
  ])('gets a message in the form of %s', async (kind, form) => {
    const { sent, channels } = recording();
    await channels.send({ kind, address: 'to' }, { lines: LINES, data: { title: 'Tea' } });
    expect(sent).toEqual([form]);
  });

  it('of Discord gets no more characters than it takes, and no link that is cut', async () => {
    const { sent, channels } = recording();
    const lines = ['x', 'y'].map((sign) => ({ text: sign.repeat(1990), url: URL_OF_TEA }));
    await channels.send({ kind: 'discord', address: 'to' }, { lines, data: {} });
    expect(sent).toEqual([
      expect.objectContaining({ content: `${'x'.repeat(1990)}\n${'y'.repeat(8)}…` }),
    ]);
  });
});

it('a message that fails is sent again after longer and longer waits, for a day unless a time is given', () => {
  /** The waits of a message that always fails, ms. */
  const waits = (retried?: number): number[] => {
    const found: number[] = [];
    for (let [tries, now] = [0, 0]; ; tries += 1) {
      const next = retryTime({ tries, since: 0 }, now, retried);
      if (next === null) return found;
      found.push(next - now);
      now = next;
    }
  };
  expect(waits(MINUTE_MS)).toEqual([5 * SECOND_MS, 20 * SECOND_MS]);
  const day = waits();
  expect(day.slice(0, 4)).toEqual([5, 20, 80, 320].map((seconds) => seconds * SECOND_MS));
  expect(day.at(-1)).toBe(3 * HOUR_MS);
  expect(day.reduce((sum, wait) => sum + wait)).toBeGreaterThan(DAY_MS - 3 * HOUR_MS);
});
