import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { addApp } from '#tests/support/service/signing-in.ts';
import { listeningService } from '#tests/support/service/clients.ts';

// As the example of the documents, and as readers of the older streams: plain HTTP/1.1, a line at a time, an empty
// line to keep the connection alive, and a connection that begins again after the end of one.

let elapsed = 0;
const { service, url } = await listeningService({ elapsed: () => elapsed });
const bearer = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});
const author = bearer(service.auth.issueUserToken({ name: 'alice', limited: false }).token);
const app = bearer(addApp(service, 'Reader', { access: 'enterprise', limited: true }).bearer_token);

async function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
) {
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return { status: answer.status, json: (await answer.json()) as any };
}

async function post(text: string): Promise<string> {
  const { status, json } = await send('POST', '/2/tweets', author, { text });
  expect(status).toBe(201);
  return json.data.id;
}

/** A reader that collects lines and connects again when the stream ends. */
class Reader {
  /** Lines that are not empty, by connection. */
  readonly connections: string[][] = [];
  keepAlives = 0;
  headers: IncomingMessage['headers'] = {};
  #sent: ClientRequest | null = null;
  #isClosed = false;

  async connect(path: string): Promise<void> {
    const sent = request(url + path, { headers: app, agent: false }).end();
    this.#sent = sent;
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    this.headers = answer.headers;
    const lines: string[] = [];
    this.connections.push(lines);
    const reader = createInterface({ input: answer, crlfDelay: Infinity });
    // Closing the connection is an error of what it reads.
    reader.on('error', () => {});
    reader.on('line', (line) => {
      if (line === '') this.keepAlives += 1;
      else lines.push(line);
    });
    reader.on('close', () => {
      if (!this.#isClosed) void this.connect(path);
    });
  }

  /** The texts of the Posts of a connection, each of which was in a list of its own. */
  texts(connection: number): string[] {
    return (this.connections[connection] ?? []).flatMap((line) => {
      const list: unknown = JSON.parse(line);
      return Array.isArray(list) && list.length === 1 ? [String(list[0].text)] : [];
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#sent?.destroy();
  }
}

it('reads Posts line by line, and goes on after a disconnect with a backfill', async () => {
  const rules = [{ value: '(tea OR contains:offe) lang:en -is:retweet', tag: 'drinks' }];
  const added = await send('POST', '/2/powerstream/rules', app, {
    rules: [...rules, { value: 'contains:tea' }],
  });
  expect([added.status, added.json.data.rules.length]).toEqual([201, 2]);
  const reader = new Reader();
  await reader.connect('/2/powerstream?backfillMinutes=1&localDcOnly=true');
  expect(reader.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'transfer-encoding': 'chunked',
    'x-powerstream-datacenter': 'local',
  });
  const id = await post('I drink green tea in the morning ☕');
  await expect.poll(() => reader.texts(0)).toEqual(['I drink green tea in the morning ☕']);
  const [metadata, line] = reader.connections[0] ?? [];
  expect(JSON.parse(metadata ?? '')).toMatchObject({ type: 'connection_metadata' });
  expect(line).toContain(`"id":${id},"id_str":"${id}"`);

  elapsed += 18_000;
  await service.tick();
  await expect.poll(() => reader.keepAlives).toBe(1);

  const ended = await send('DELETE', '/2/connections/powerstream', app);
  expect(ended.json.data.successful_kills).toBe(1);
  await expect.poll(() => reader.connections.length).toBe(2);
  const disconnect = JSON.parse(reader.connections[0]?.at(-1) ?? '');
  expect(disconnect.errors[0].disconnect_type).toBe('ForceDisconnect');
  await post('and tea in the evening');
  await expect
    .poll(() => reader.texts(1))
    .toEqual(['I drink green tea in the morning ☕', 'and tea in the evening']);

  reader.close();
  const reason = async () => {
    const { json } = await send('GET', '/2/connections?status=inactive', app);
    return json.data.map((each: { disconnect_reason: string }) => each.disconnect_reason);
  };
  await expect.poll(reason).toEqual(['client_disconnect', 'operator_disconnect']);

  const gone = await send('DELETE', '/2/powerstream/rules', app, { rules });
  expect(gone.json).toEqual({ data: { deleted: 1, not_deleted: 0 } });
  const rest = await send('GET', '/2/powerstream/rules', app);
  expect(rest.json.data.rules).toMatchObject([{ value: 'contains:tea' }]);
});
