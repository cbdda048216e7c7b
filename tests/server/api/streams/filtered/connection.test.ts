import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addApp } from '#tests/support/service/signing-in.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

// The stream over real connections. What it sends is tested in process, in `routes.test.ts`.

const STREAM = '/2/tweets/search/stream';

let elapsed = 0;
let service: TestService;
let url: string;
let alice: Readonly<Record<string, string>>;
let reader: Readonly<Record<string, string>>;
beforeAll(async () => {
  service = startService({ elapsed: () => elapsed });
  url = await service.listen();
  const { token } = service.auth.issueUserToken({ name: 'alice', limited: false });
  alice = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
});
afterAll(() => service.close());
let apps = 0;
beforeEach(async () => {
  const settings = { access: 'enterprise', limited: false } as const;
  const { bearer_token } = addApp(service, `Reader ${(apps += 1)}`, settings);
  reader = { cookie: '', authorization: `Bearer ${bearer_token}` };
  await addRules({ value: 'tea' });
});

async function addRules(...add: { value: string; tag?: string }[]): Promise<void> {
  const answer = await service.request(`${STREAM}/rules`, {
    method: 'POST',
    headers: { ...reader, 'content-type': 'application/json' },
    body: JSON.stringify({ add }),
  });
  expect(answer.status).toBe(201);
}

/** Adds rules whose tags make each line 60 kB long. */
async function addLongRules(): Promise<void> {
  const tag = 'x'.repeat(4000);
  await addRules(...Array.from({ length: 15 }, (_, i) => ({ value: `tea -other${i}`, tag })));
}

async function post(text: string): Promise<void> {
  const body = JSON.stringify({ text });
  const answer = await fetch(`${url}/2/tweets`, { method: 'POST', headers: alice, body });
  expect(answer.status).toBe(201);
}

interface Client {
  readonly sent: ClientRequest;
  readonly answer: IncomingMessage;
  /** Everything that was received. */
  read: string;
}

/** Connects to the stream; resolves when the headers have arrived. */
async function connect(base = url, method = 'GET'): Promise<Client> {
  // A proxy leaves the host as it is.
  const headers = { ...reader, host: new URL(url).host };
  const sent = request(new URL(STREAM, base), { method, headers, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const client: Client = { sent, answer, read: '' };
  answer.on('data', (part: Buffer) => {
    client.read += part.toString();
  });
  // The service or the client may end it at any time.
  answer.on('error', () => {});
  return client;
}

const texts = ({ read }: Client): string[] =>
  read.split('\r\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line).data?.text ?? [])));

/** The reasons for the ends of the app's connections, the newest first; null for an open one. */
async function reasons(): Promise<(string | null)[]> {
  const answer = await service.request('/2/connections?status=all', { headers: reader });
  const { data = [] } = await answer.json();
  return data.map((each: { disconnect_reason?: string }) => each.disconnect_reason ?? null);
}

it('sends headers at once, then each line as it matches, and keeps the connection alive', async () => {
  const client = await connect();
  expect(client.answer.statusCode).toBe(200);
  expect(client.answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(client.answer.headers['content-encoding']).toBeUndefined();
  expect(client.read).toBe('');
  elapsed += 18_000;
  await service.tick();
  await expect.poll(() => client.read).toBe('\r\n');
  await post('green tea');
  await expect.poll(() => texts(client)).toEqual(['green tea']);
  await post('tea ☕');
  await expect.poll(() => texts(client)).toEqual(['green tea', 'tea ☕']);
  client.sent.destroy();
});

it('notices at once that a client has gone', async () => {
  const client = await connect();
  expect(await reasons()).toEqual([null]);
  client.sent.destroy();
  await expect.poll(reasons).toEqual(['client_disconnect']);
});

it('opens no connection for HEAD', async () => {
  const client = await connect(url, 'HEAD');
  expect(client.answer.statusCode).toBe(200);
  await once(client.answer, 'end');
  expect(await reasons()).toEqual([]);
});

it('disconnects a client that does not read, which may still read whole lines up to SlowReader', async () => {
  await addLongRules();
  const client = await connect();
  client.answer.pause();
  for (let i = 0; i < 1000 && (await reasons())[0] === null; i++) await post(`tea ${i}`);
  expect(await reasons()).toEqual(['slow_reader']);
  const ended = once(client.answer, 'end');
  client.answer.resume();
  await ended;
  const lines = client.read.split('\r\n');
  expect(lines.at(-1)).toBe('');
  expect(JSON.parse(lines.at(-2) ?? '').errors[0].disconnect_type).toBe('SlowReader');
  expect(texts(client)).toEqual(texts(client).map((_, i) => `tea ${i}`));
});

it('closes the connection to a client that never reads again', { tags: 'long' }, async () => {
  await addLongRules();
  const client = await connect();
  client.answer.pause();
  for (let i = 0; i < 1000 && (await reasons())[0] === null; i++) await post(`more tea ${i}`);
  // It still waits for the last line.
  expect(service.connections.waiting()).toBeGreaterThan(0);
  await service.tick();
  elapsed += 10_000;
  await service.tick();
  expect(service.connections.waiting()).toBe(0);
  const closed = new Promise<void>((resolve) => client.answer.once('close', resolve));
  client.answer.resume();
  await closed;
  expect(client.answer.complete).toBe(false);
});

it('delivers everything through a proxy that stalls for a while', async () => {
  const sockets: Socket[] = [];
  const proxy = createServer((near) => {
    const far = connectTo(Number(new URL(url).port), '127.0.0.1');
    near.pipe(far).on('error', () => near.destroy());
    far.pipe(near).on('error', () => far.destroy());
    sockets.push(near, far);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const client = await connect(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  const [near, far] = sockets;
  await post('late tea 0');
  await expect.poll(() => texts(client)).toEqual(['late tea 0']);
  far?.unpipe();
  far?.pause();
  for (let i = 1; i <= 20; i++) await post(`late tea ${i}`);
  elapsed += 30_000;
  await service.tick();
  expect(texts(client)).toEqual(['late tea 0']);
  far?.pipe(near!);
  await expect
    .poll(() => texts(client))
    .toEqual(Array.from({ length: 21 }, (_, i) => `late tea ${i}`));
  client.sent.destroy();
  await expect.poll(reasons).toEqual(['client_disconnect']);
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => proxy.close(() => resolve()));
});
