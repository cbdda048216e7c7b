import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { AlertSettings } from '#contract/alerts/alerts.ts';
import { bucketAt } from '#core/series/window.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { messageInfos } from '#server/alerts/alert-info.ts';
import type { StoredAlert } from '#server/alerts/alert-table.ts';
import { openAlerts } from '#server/alerts/alerts.ts';
import { openChannels } from '#server/channels/channels.ts';
import type { Counted } from '#server/counting/counter.ts';
import { openService } from '#server/auth/store.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';

const file = temporaryFolder();
const START = Date.parse('2026-06-15T12:10:00Z');
const SETTINGS: AlertSettings = {
  name: 'Oat milk',
  query: 'oat',
  source: 'posts',
  zone: 'UTC',
  direction: 'rise',
  budget: 'week',
  quiet: null,
  channels: [{ kind: 'webhook', address: 'https://hooks.example/oat' }],
};

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** A service with six Posts an hour for half a year, whose clock and Posts a test moves. */
function world(name: string) {
  const state = { now: START, covered: -Infinity, refused: false, left: '' };
  const posts: number[] = [];
  for (let at = START - 200 * DAY_MS; at < START; at += 10 * MINUTE_MS) posts.push(at);
  const sent: { url: string; body: { text: string } }[] = [];
  const log: string[] = [];
  const countedAt = (bounds: Float64Array): Counted => {
    const counts = new Float64Array(bounds.length - 1);
    for (const at of posts) {
      const bucket = bucketAt(bounds, at);
      if (bucket >= 0) counts[bucket]! += 1;
    }
    counts.forEach((_, i) => {
      if ((bounds[i] ?? 0) > state.now || (bounds[i + 1] ?? 0) <= state.covered) counts[i] = NaN;
    });
    return {
      counts,
      states: Uint8Array.from(counts, () => STATE.settled),
      fetchedAt: counts.map(() => state.now),
    };
  };
  const open = () => {
    const service = openService(file(`${name}.sqlite`), { random: (n) => randomBytes(n) });
    let tick = async (): Promise<void> => undefined;
    const alerts = openAlerts({
      platform: null,
      table: service.alerts,
      count: (_, questions) => Promise.resolve(questions.map(({ bounds }) => countedAt(bounds))),
      revision: () => ({
        revision: posts.length,
        mark: `${posts.length} ${state.now}`,
        since: () => null,
      }),
      channels: openChannels({
        fetcher: {
          check: () => undefined,
          send: ({ url, body = Buffer.of() }) => {
            if (state.refused) {
              return Promise.reject(
                new FetchError('status', 'The server answered with status 500.'),
              );
            }
            sent.push({ url, body: JSON.parse(Buffer.from(body).toString()) as { text: string } });
            return Promise.resolve({ status: 200, body: Buffer.of() });
          },
        },
        mail: null,
      }),
      causes: () => Promise.resolve([]),
      site: () => 'https://site.test',
      isLogin: (id) => id !== state.left,
      every: (_, task) => {
        tick = async () => void (await task());
        return () => undefined;
      },
      now: () => state.now,
      log: (line) => log.push(line),
    });
    const close = async (): Promise<void> => {
      await alerts.close();
      service.close();
    };
    closings.push(close);
    return { alerts, tick: () => tick(), close, service };
  };
  return {
    state,
    posts,
    sent,
    log,
    open,
    /** Moves the clock, and adds Posts at its time. */
    at: (ms: number, added = 0): void => {
      state.now = START + ms;
      for (let i = 0; i < added; i += 1) posts.push(state.now - i);
    },
  };
}

const texts = (sent: readonly { body: { text: string } }[]): string[] =>
  sent.map(({ body }) => body.text);

describe('the alerts of a service', () => {
  it('ring once when a topic rises, and once when it is over', async () => {
    const { at, sent, open } = world('rise');
    const { alerts, tick } = open();
    const { rule } = await alerts.add('', SETTINGS);
    expect(rule).toMatchObject({ unit: 'hour', direction: 'rise' });
    await tick();
    at(5 * MINUTE_MS, 30);
    await tick();
    at(6 * MINUTE_MS, 2);
    await tick();
    expect(texts(sent)).toEqual([
      'Oat milk is already at 5.2 times its usual: 31 Posts since 12:00, usually 6 in the whole hour.',
    ]);
    expect(sent[0]).toMatchObject({
      url: 'https://hooks.example/oat',
      body: {
        alert: { name: 'Oat milk', query: 'oat' },
        messages: [
          {
            kind: 'rise',
            posts: 31,
            url: 'https://site.test/#source=posts&from=2026-04-20&to=2026-06-15&zone=UTC&zoom=2026-06-14T12:00Z/2026-06-15T15:00Z&q=oat&name=Oat+milk',
          },
        ],
      },
    });
    for (let hour = 1; hour <= 8; hour += 1) {
      at(hour * HOUR_MS, 6);
      await tick();
    }
    expect(texts(sent.slice(1))).toEqual([
      'Oat milk is back to its usual after 1 hour and 33 Posts.',
    ]);
  });

  it('lose nothing and repeat nothing over restarts', async () => {
    const { at, sent, open } = world('restart');
    const first = open();
    await first.alerts.add('', SETTINGS);
    await first.tick();
    await first.close();
    at(10 * MINUTE_MS, 30);
    const second = open();
    await second.tick();
    await second.close();
    const third = open();
    at(12 * MINUTE_MS);
    await third.tick();
    expect(sent).toHaveLength(1);
    expect(messageInfos(third.alerts, '')).toHaveLength(1);
  });

  it('close a bucket together, and store that a few at a time', async () => {
    const { at, open } = world('spread');
    const { alerts, tick, service } = open();
    for (let n = 0; n < 30; n += 1) await alerts.add('', { ...SETTINGS, name: `Topic ${n}` });
    await tick();
    at(HOUR_MS, 6);
    const closed = (list: readonly StoredAlert[]): number =>
      list.filter(({ state }) => state.open > START).length;
    await tick();
    expect([closed(alerts.list('')), closed(service.alerts.list())]).toEqual([30, 25]);
    await tick();
    expect(closed(service.alerts.list())).toBe(30);
  });

  it('say nothing while an import brings old Posts, and list what it raised', async () => {
    const { at, state, posts, sent, open } = world('import');
    const { alerts, tick } = open();
    await alerts.add('', SETTINGS);
    await tick();
    at(8 * HOUR_MS);
    for (let hour = -20_000; hour <= 1; hour += 1) {
      for (let i = 0; i < 100; i += 1) posts.push(START + hour * HOUR_MS + i);
    }
    await tick();
    state.now += MINUTE_MS;
    await tick();
    expect(sent).toEqual([]);
    expect(messageInfos(alerts, '').map(({ kind }) => kind)).toEqual([
      'cannot-see',
      'found-later',
      'cannot-see',
    ]);
  });

  it('are sent at the end of quiet hours, in one message', async () => {
    const { at, sent, open } = world('quiet');
    const { alerts, tick } = open();
    await alerts.add('', { ...SETTINGS, quiet: { from: '12:00', to: '13:30' } });
    await tick();
    at(5 * MINUTE_MS, 30);
    await tick();
    at(20 * MINUTE_MS, 200);
    await tick();
    at(75 * MINUTE_MS);
    await tick();
    expect(sent).toEqual([]);
    at(80 * MINUTE_MS);
    await tick();
    expect(texts(sent)).toEqual([
      expect.stringMatching(/^Oat milk is already .+\.\nOat milk is now .+\.$/),
    ]);
  });

  it('are tried again if a receiver fails, and say why', async () => {
    const { at, state, sent, open } = world('fails');
    const { alerts, tick } = open();
    const { id, settings } = await alerts.add('', SETTINGS);
    const [channel] = settings.channels;
    if (!channel) throw new Error('expected a channel');
    state.refused = true;
    alerts.test('', id);
    await tick();
    expect(alerts.channelFault(id, channel)).toBe('The server answered with status 500.');
    state.refused = false;
    at(4 * SECOND_MS);
    await tick();
    expect(sent).toEqual([]);
    at(5 * SECOND_MS);
    await tick();
    expect(texts(sent)).toEqual([
      'This is a test of the alert “Oat milk”. Its messages arrive here.',
    ]);
    expect(alerts.channelFault(id, channel)).toBeNull();
  });

  it('are read and removed by their own login only, and come back for 30 minutes', async () => {
    const { at, open } = world('logins');
    const { alerts, tick } = open();
    const { id } = await alerts.add('ann', SETTINGS);
    at(5 * MINUTE_MS, 30);
    await tick();
    expect([alerts.unread('bob'), alerts.unread('ann')]).toEqual([0, 1]);
    expect([alerts.remove('bob', id), alerts.remove('ann', id)]).toEqual([false, true]);
    expect([alerts.list('ann'), alerts.messages('ann', 9)]).toEqual([[], []]);
    expect([alerts.restore('bob', id), alerts.restore('ann', id)]).toEqual([false, true]);
    expect([alerts.list('ann').length, alerts.unread('ann')]).toEqual([1, 1]);
    expect(alerts.read('ann', START + HOUR_MS)).toBe(0);
  });

  it('end with their login', async () => {
    const { at, state, sent, open } = world('left');
    const { alerts, tick } = open();
    await alerts.add('ann', SETTINGS);
    await tick();
    state.left = 'ann';
    at(5 * MINUTE_MS, 30);
    await tick();
    expect([sent, alerts.list('ann')]).toEqual([[], []]);
  });

  it('ring while the clock is set back, and begin again where it was far ahead', async () => {
    const { at, sent, open } = world('back');
    const { alerts, tick } = open();
    await alerts.add('', SETTINGS);
    for (let hour = 0; hour <= 5; hour += 1) {
      at(hour * HOUR_MS, 6);
      await tick();
    }
    at(2 * HOUR_MS, 40);
    await tick();
    expect(texts(sent)).toEqual([
      expect.stringMatching(/^Oat milk is at .+ between 14:00 and 15:00/),
    ]);
    sent.length = 0;
    at(400 * DAY_MS);
    await tick();
    at(HOUR_MS);
    await tick();
    at(HOUR_MS + MINUTE_MS, 40);
    await tick();
    expect(texts(sent)).toEqual([expect.stringMatching(/^Oat milk is already at /)]);
  });

  it('list that a machine slept, and take its hours neither for silence nor for the end of a rise', async () => {
    const { at, sent, open } = world('slept');
    const { alerts, tick } = open();
    await alerts.add('', SETTINGS);
    await alerts.add('', { ...SETTINGS, direction: 'quiet' });
    await tick();
    at(5 * MINUTE_MS, 30);
    await tick();
    sent.length = 0;
    at(12 * HOUR_MS);
    await tick();
    at(12 * HOUR_MS + MINUTE_MS);
    await tick();
    expect(sent).toEqual([]);
    expect(messageInfos(alerts, '').map(({ kind }) => kind)).toEqual([
      'cannot-see',
      'cannot-see',
      'rise',
    ]);
  });

  it('say once that counts are unknown', async () => {
    const { at, state, sent, open } = world('unknown');
    const { alerts, tick } = open();
    await alerts.add('', SETTINGS);
    for (let hour = 0; hour <= 6; hour += 1) {
      state.covered = START + hour * HOUR_MS;
      at(hour * HOUR_MS);
      await tick();
    }
    expect(texts(sent)).toEqual([
      'Oat milk cannot be seen: its counts have been incomplete since 12:00.',
    ]);
  });
});
