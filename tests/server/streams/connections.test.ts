import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { openService, type Service } from '#server/auth/store.ts';
import {
  openConnections,
  type Connections,
  type NewConnection,
} from '#server/streams/connections.ts';
import { freshFolder } from '#tests/server/db/folder.ts';
import { StoreError } from '#server/db/store-error.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
const WANTED: NewConnection = {
  app: '7',
  source: 'posts',
  stream: 'filtered_stream',
  ip: '127.0.0.1',
  most: 1,
};
const ALL = { status: 'all', streams: undefined } as const;

const file = freshFolder();
let now: number;
let elapsed: number;
let tick: () => void;
let service: Service;
let connections: Connections;
let logged: string[];
/** True if the file takes no changes. */
let isFull: boolean;

function start(): void {
  service = openService(file('service.sqlite'), { random: randomBytes });
  connections = openConnections({
    log: (line) => void logged.push(line),
    table: {
      ...service.connections,
      end: (...of) => {
        if (isFull) throw new StoreError('full', 'service.sqlite');
        service.connections.end(...of);
      },
    },
    random: randomBytes,
    now: () => now,
    elapsed: () => elapsed,
    every: (_, run) => {
      tick = run;
      return () => {};
    },
  });
}

beforeEach(() => {
  now = START;
  elapsed = 0;
  [logged, isFull] = [[], false];
  start();
});
afterEach(() => service.close());

async function text(body: ReadableStream<Uint8Array>): Promise<string> {
  let read = '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    read += decoder.decode(part.value, { stream: true });
  }
  return read;
}
const entries = () => service.connections.of('7', ALL, null, 100);

describe('connections to a stream', () => {
  it('are limited by app, source and stream', () => {
    const first = connections.open(WANTED);
    expect(() => connections.open(WANTED)).toThrow(
      expect.objectContaining({
        status: 429,
        body: {
          title: 'ConnectionException',
          detail: 'This stream is currently at the maximum allowed connection limit.',
          connection_issue: 'TooManyConnections',
          type: 'https://api.x.com/2/problems/streaming-connection',
        },
      }),
    );
    for (const other of [
      { app: '8' },
      { source: 'sample' },
      { stream: 'powerstream' },
      { most: 2 },
    ] as const) {
      connections.open({ ...WANTED, ...other }).end('operator_disconnect');
    }
    first.end('operator_disconnect');
    connections.open(WANTED);
  });

  it.each([
    [17_999, ''],
    [18_000, '\r\n'],
    [18_999, '\r\n'],
  ])('are kept alive after 18 seconds of silence: %i ms', async (silence, expected) => {
    const connection = connections.open(WANTED);
    elapsed = 5000;
    connection.send('a');
    elapsed = 5000 + silence;
    const read = connection.body.getReader();
    expect(new TextDecoder().decode((await read.read()).value)).toBe('a\r\n');
    read.releaseLock();
    // The clock of the machine has no part in it.
    now = 0;
    tick();
    connection.end('recovery_complete');
    expect(await text(connection.body)).toBe(expected);
  });

  it('have a UUID and are past once they end, with the reason', async () => {
    const first = connections.open(WANTED);
    expect(first.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(connections.of('7')).toEqual([first.id]);
    expect(connections.end('8', first.id, 'operator_disconnect')).toBe(false);
    now += 1000;
    expect(connections.end('7', first.id, 'operator_disconnect')).toBe(true);
    expect(connections.end('7', first.id, 'operator_disconnect')).toBe(false);
    expect(first.ended.aborted).toBe(true);
    const [line] = (await text(first.body)).split('\r\n');
    expect(JSON.parse(String(line)).errors[0].disconnect_type).toBe('ForceDisconnect');

    const second = connections.open(WANTED);
    await second.body.cancel();
    expect(entries().map(({ reason, disconnectedAt }) => [reason, disconnectedAt])).toEqual([
      ['client_disconnect', START + 1000],
      ['operator_disconnect', START + 1000],
    ]);
  });

  it('end with SlowReader if the reader does not keep up, and others go on', async () => {
    const slow = connections.open({ ...WANTED, most: 2 });
    const fast = connections.open({ ...WANTED, most: 2 });
    const line = 'x'.repeat(100_000);
    const reader = fast.body.getReader();
    let lines = 0;
    while (!slow.ended.aborted) {
      slow.send(line);
      fast.send(line);
      expect((await reader.read()).value?.length).toBe(100_002);
      lines += 1;
    }
    expect(lines).toBeGreaterThan(40);
    expect(fast.ended.aborted).toBe(false);
    expect(await text(slow.body)).toBe(
      '{"errors":[{"title":"operational-disconnect","disconnect_type":"SlowReader","detail":"This stream has been disconnected because the client reads more slowly than Posts arrive.","type":"https://api.x.com/2/problems/operational-disconnect"}]}\r\n',
    );
    expect(entries().find(({ id }) => id === slow.id)?.reason).toBe('slow_reader');
  });

  it('end with SlowReader if the reader takes nothing for a minute', async () => {
    const connection = connections.open(WANTED);
    const reader = connection.body.getReader();
    for (const line of ['a', 'b']) connection.send(line);
    elapsed += 59_000;
    tick();
    await reader.read();
    connection.send('c');
    elapsed += 59_000;
    tick();
    elapsed += 59_999;
    tick();
    expect(connection.ended.aborted).toBe(false);
    elapsed += 1;
    tick();
    expect(connection.ended.aborted).toBe(true);
    expect(entries()[0]?.reason).toBe('slow_reader');
  });

  it('end on a full disk too, and are past once there is room', () => {
    const { id, body } = connections.open(WANTED);
    isFull = true;
    connections.end('7', id, 'operator_disconnect');
    void body.cancel();
    expect(connections.of('7')).toEqual([]);
    tick();
    expect(service.connections.count('inactive')).toBe(0);
    expect(logged).toEqual(
      Array(2).fill(expect.stringMatching(/^Connections: service\.sqlite cannot grow/)),
    );
    isFull = false;
    tick();
    expect(service.connections.count('inactive')).toBe(1);
    expect(logged).toHaveLength(2);
  });

  it('settle every second and once at the end', () => {
    let settled = 0;
    const settle = (): void => void (settled += 1);
    const connection = connections.open({ ...WANTED, settle });
    tick();
    tick();
    connection.end('recovery_complete');
    tick();
    expect(settled).toBe(3);
  });

  it('are not opened once the service ends', () => {
    connections.close();
    expect(() => connections.open(WANTED)).toThrow(expect.objectContaining({ status: 503 }));
  });

  it('wait for at most 96 MiB in all: the slowest readers are disconnected first', () => {
    const all = Array.from({ length: 33 }, () => connections.open({ ...WANTED, most: 33 }));
    const line = 'x'.repeat(2 ** 20 - 200);
    for (const connection of all) {
      for (let i = 0; i < 3; i++) connection.send(line);
    }
    all[3]?.send(line);
    tick();
    expect(connections.waiting()).toBeLessThanOrEqual(96 * 2 ** 20);
    expect(connections.waiting()).toBeGreaterThan(95 * 2 ** 20);
    expect(all[3]?.ended.aborted).toBe(true);
    expect(all.filter(({ ended }) => ended.aborted)).toHaveLength(1);
    // Lines that an ended stream still sends count too.
    for (const connection of all.slice(0, 3)) connection.end('operator_disconnect');
    for (const connection of all.slice(4)) connection.send(line);
    tick();
    expect(connections.waiting()).toBeLessThanOrEqual(96 * 2 ** 20);
  });

  it('end with the message of a restart when the service ends', async () => {
    const connection = connections.open(WANTED);
    connection.send('a');
    connections.close();
    const [first, last] = (await text(connection.body)).split('\r\n');
    expect(first).toBe('a');
    expect(JSON.parse(String(last)).errors[0].disconnect_type).toBe(
      'UpstreamOperationalDisconnect',
    );
    expect(entries()[0]?.reason).toBe('operational_disconnect');
  });

  it('that an earlier process left open are past', () => {
    connections.open(WANTED);
    service.close();
    start();
    expect(connections.of('7')).toEqual([]);
    expect(entries()[0]).toMatchObject({ reason: 'service_interrupted', disconnectedAt: null });
  });

  it('are listed for seven days', () => {
    connections.open(WANTED).end('operator_disconnect');
    now += 7 * DAY_MS;
    connections.open(WANTED).end('operator_disconnect');
    expect(entries()).toHaveLength(2);
    now += 1;
    connections.open(WANTED);
    expect(entries()).toHaveLength(2);
  });
});
