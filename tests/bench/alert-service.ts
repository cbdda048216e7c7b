import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { ALERTS, MAX_ALERTS, type AlertSettings } from '#contract/alerts/alerts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { openAlerts } from '#server/alerts/alerts.ts';
import { openChannels } from '#server/channels/channels.ts';
import { openService } from '#server/auth/store.ts';
import { countingNow } from '#server/counting/counter.ts';
import { openSource } from '#server/posts/index/source.ts';
import { coverageTable, NO_COLLECTION } from '#server/posts/store/coverage.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { Random } from '#server/sample/random.ts';
import { serveProcess } from '#tests/support/service/process.ts';
import { giveTinySample, writePosts } from '#tests/support/service/service.ts';
import { Client, expectStatus } from './client.ts';
import { digits, fact, goal, milliseconds, shown, table, timing } from './measure.ts';
import { tokenFor } from './service.ts';

const DAYS = 150;
/** Posts an hour, each about one of {@link MAX_ALERTS} topics. */
const HOURLY = 60;
/** The clock of {@link settingsOf}'s zone in summer. */
const SUMMER_MS = 2 * HOUR_MS;
const random = (n: number): Uint8Array => randomBytes(n);

/** Gives Your posts some topics over {@link DAYS} days until a time; they cover the present too. */
function givePosts(file: string, end: number): void {
  const chance = new Random(1);
  const size = DAYS * 24 * HOURLY;
  const start = end - DAYS * DAY_MS;
  const posts = Array.from({ length: size }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: start + Math.floor((i * DAYS * DAY_MS) / size),
    text: `topic${Math.floor(MAX_ALERTS * chance.next() ** 2)} and more words of a Post`,
  }));
  writePosts(file, posts);
  const db = openPosts(file, { random });
  db.write('posted', () =>
    coverageTable(db).created([NO_COLLECTION], { id: 0n, createdAt: start }),
  );
  db.close();
}

const settingsOf = (n: number): AlertSettings => ({
  name: `Topic ${n}`,
  query: `topic${n}`,
  source: 'posts',
  zone: 'Europe/Berlin',
  direction: n % 4 === 0 ? 'quiet' : 'rise',
  budget: 'week',
  quiet: null,
  channels: [],
});

/**
 * Times the alerts of a service over a file of Posts: after a Post, and when an hour or a day begins.
 *
 * @param folder - Folder for its files.
 */
export async function timeService(folder: string, rounds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'posts.sqlite');
  let now = Date.UTC(2026, 5, 15, 9, 30);
  givePosts(file, now);
  const source = openSource(file, { random });
  const service = openService(join(folder, 'service.sqlite'), { random });
  let posts = 0;
  const add = (): void => {
    posts += 1;
    const post = {
      id: BigInt(10 ** 9 + posts),
      createdAt: now - 1,
      text: `topic${posts % MAX_ALERTS}`,
    };
    writePosts(file, [post]);
  };
  const open = () => {
    let step = (): unknown => null;
    const alerts = openAlerts({
      platform: null,
      table: service.alerts,
      count: countingNow(
        (id) => (id === 'posts' ? { ...source, id } : null),
        null,
        { now: () => now, elapsed: () => performance.now() },
        service,
      ),
      revision: (id) => {
        if (id !== 'posts') return null;
        source.refresh();
        const { revision, mark } = source.index;
        return {
          revision,
          mark,
          since: (earlier) => source.index.changesSince(earlier.revision, earlier.mark),
        };
      },
      channels: openChannels({
        fetcher: { check: () => undefined, send: () => Promise.reject(new Error('sends nothing')) },
        mail: null,
      }),
      causes: () => Promise.resolve([]),
      site: () => '',
      isLogin: () => true,
      every: (_, task) => {
        step = task;
        return () => undefined;
      },
      now: () => now,
      log: (line) => process.stdout.write(`${line}\n`),
    });
    return { alerts, step: () => step() };
  };
  const rows = [[`${MAX_ALERTS} alerts of a service`, 'ms', 'CPU ms', 'longest stop, ms']];
  /** @param prepare - Moves the clock; the step after it is timed. */
  const time = async (
    what: string,
    times: number,
    prepare: () => void | Promise<void>,
  ): Promise<void> => {
    const whole: number[] = [];
    const cpu: number[] = [];
    const stops: number[] = [];
    for (let i = 0; i < times; i += 1) {
      await prepare();
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const used = process.cpuUsage();
      whole.push(await milliseconds(() => running.step()));
      const { user, system } = process.cpuUsage(used);
      cpu.push((user + system) / 1000);
      // The timer that notices a stop fires after it.
      await setTimeout(5);
      delay.disable();
      stops.push(delay.max / 1e6);
    }
    const [took, stopped] = [timing(whole), timing(stops)];
    rows.push([what, shown(took), shown(timing(cpu)), shown(stopped)]);
    goal(`${MAX_ALERTS} alerts in a service, ${what}`, took.median, '≤', 50, ' ms');
    goal(`longest stop of the service, ${what}`, stopped.max, '≤', 50, ' ms');
  };
  const untilHour = (): void => {
    now = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS + MINUTE_MS;
  };
  const untilDay = (): void => {
    now = (Math.floor((now + SUMMER_MS) / DAY_MS) + 1) * DAY_MS - SUMMER_MS + MINUTE_MS;
  };
  const restart = async (): Promise<void> => {
    await running.alerts.close();
    running = open();
  };
  let running = open();
  for (let n = 0; n < MAX_ALERTS; n += 1) await running.alerts.add('', settingsOf(n));
  await running.step();
  await time('after a Post', rounds, () => {
    now += SECOND_MS;
    add();
  });
  await time('after an hour', Math.min(rounds, 9), untilHour);
  await time('after a day', Math.min(rounds, 9), untilDay);
  await time('at a start', 3, restart);
  await time('after the first day since a start', 3, async () => {
    await restart();
    await running.step();
    untilDay();
  });
  table('Time of alerts in a service', rows);
  await running.alerts.close();
  service.close();
  source.close();
}

/** Times from a Post over HTTP to the message at a receiver, in the program itself, while it watches all topics. */
export async function timeMessage(folder: string, rounds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  giveTinySample(folder);
  givePosts(join(folder, 'posts.sqlite'), Date.now());
  let arrived: () => void = () => undefined;
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => {
      response.end();
      arrived();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const token = await tokenFor(folder, 'user');
  const service = await serveProcess(folder, {}, ['--allow-private']);
  const author = new Client(service.url, token);
  const times: number[] = [];
  try {
    for (let n = 0; n < MAX_ALERTS; n += 1) {
      const to = { kind: 'webhook', address: `http://127.0.0.1:${port}/${n}` } as const;
      const settings = { ...settingsOf(n), query: `burst${n}`, direction: 'rise', channels: [to] };
      const answer = await fetch(`${service.url}${ALERTS.add.path}`, {
        method: 'POST',
        headers: {
          origin: service.url,
          cookie: service.cookie,
          'content-type': 'application/json',
        },
        body: JSON.stringify(settings),
      });
      if (!answer.ok) throw new Error(`add an alert: ${answer.status} ${await answer.text()}`);
    }
    for (let n = 0; n < rounds; n += 1) {
      // The tenth Post rings.
      for (let i = 1; i <= 10; i += 1) {
        const text = `burst${n} number ${i}`;
        const at = performance.now();
        const message = new Promise<void>((resolve) => (arrived = resolve));
        expectStatus(await author.post('/2/tweets', { text }), 201, text);
        if (i < 10) continue;
        await message;
        times.push(performance.now() - at);
      }
    }
  } finally {
    author.close();
    await service.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
  const { p95, max } = timing(times);
  fact(`Post created to message sent, ms: ${shown(timing(times))}, 95% ${digits(p95)}`);
  goal('Post created to message sent, the slowest', max, '≤', 1000, ' ms');
}
