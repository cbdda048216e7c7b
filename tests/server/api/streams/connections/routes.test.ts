import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { StreamName } from '#contract/streams/connections.ts';
import { program } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const START = Date.parse('2026-11-21T10:30:20Z');

let now = START;
const service = startService({ now: () => now });
afterAll(() => service.close());
let app: ReturnType<typeof program>;
beforeEach(() => {
  now = START;
  app = program(service);
});

/** Opens a connection, a second after the one before. */
function open(stream: StreamName = 'filtered_stream', of = app) {
  now += 1000;
  const { id } = of;
  return service.connections.open({
    app: id,
    source: 'posts',
    stream,
    ip: '127.0.0.1',
    most: 1000,
  });
}

const list = (parameters = '') => app.get(`/2/connections${parameters}`);
const end = (path = '', uuids?: readonly string[]) =>
  app.send('DELETE', `/2/connections${path}`, uuids && { uuids });

describe('GET /2/connections', () => {
  it('lists the open connections of the app, the newest first', async () => {
    const [first, second] = [open(), open('activity_stream')];
    open('filtered_stream', program(service));
    open().end('slow_reader');
    expect((await list()).body).toEqual({
      data: [
        {
          id: second.id,
          endpoint_name: 'activity_stream',
          connected_at: '2026-11-21T10:30:22.000Z',
          client_ip: '127.0.0.1',
        },
        {
          id: first.id,
          endpoint_name: 'filtered_stream',
          connected_at: '2026-11-21T10:30:21.000Z',
          client_ip: '127.0.0.1',
        },
      ],
      meta: { result_count: 2 },
    });
  });

  it('lists past connections with the reason for their end', async () => {
    const past = open();
    now += 500;
    past.end('slow_reader');
    open();
    const entry = {
      id: past.id,
      endpoint_name: 'filtered_stream',
      connected_at: '2026-11-21T10:30:21.000Z',
      client_ip: '127.0.0.1',
      disconnected_at: '2026-11-21T10:30:21.500Z',
      disconnect_reason: 'slow_reader',
    };
    const inactive = await list('?status=inactive');
    expect(inactive.body).toEqual({ data: [entry], meta: { result_count: 1 } });
    expect((await list('?status=all')).body.meta).toEqual({ result_count: 2 });
  });

  it('selects streams and fields; the name and the start are always there', async () => {
    open();
    open('powerstream');
    const found = await list('?endpoints=powerstream,sample_stream&connection.fields=client_ip');
    expect(found.body.data).toEqual([
      {
        endpoint_name: 'powerstream',
        connected_at: '2026-11-21T10:30:22.000Z',
        client_ip: '127.0.0.1',
      },
    ]);
  });

  it('has pages, whose tokens are valid for the same request only', async () => {
    const ids = Array.from({ length: 25 }, () => open().id).toReversed();
    const seen: string[] = [];
    let token = '';
    do {
      const { body } = await list(`?max_results=10${token && `&pagination_token=${token}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      token = body.meta.next_token ?? '';
      const other = await list(`?status=all&pagination_token=${token}`);
      expect(other.status).toBe(400);
    } while (token);
    expect(seen).toEqual(ids);
  });

  it('has no data where there are no connections', async () => {
    expect((await list()).body).toEqual({ meta: { result_count: 0 } });
  });

  it.each([
    [
      '?status=open',
      'The `status` query parameter value [open] is not one of [active,inactive,all]',
    ],
    ['?max_results=0', 'The `max_results` query parameter value [0] is not between 1 and 100'],
    ['?max_results=101', 'The `max_results` query parameter value [101] is not between 1 and 100'],
    ['?endpoints=stream', 'The `endpoints` query parameter value [stream] is not one of ['],
    ['?connection.fields=ip', 'The `connection.fields` query parameter value [ip] is not one of ['],
    ['?odd=1', 'The query parameter [odd] is not one of ['],
  ])('refuses %s', async (parameters, message) => {
    const { status, body } = await list(parameters);
    expect(status).toBe(400);
    expect(body.errors[0].message).toContain(message);
  });
});

describe('DELETE /2/connections', () => {
  it('ends connections by id, and reports each', async () => {
    const [first, second, foreign] = [open(), open(), open('filtered_stream', program(service))];
    const odd = '00000000-0000-4000-8000-000000000000';
    expect((await end('', [first.id, foreign.id, odd])).body).toEqual({
      data: {
        successful_kills: 1,
        failed_kills: 2,
        results: [
          { uuid: first.id, success: true },
          {
            uuid: foreign.id,
            success: false,
            error_message: `The app has no open connection with the id [${foreign.id}].`,
          },
          {
            uuid: odd,
            success: false,
            error_message: `The app has no open connection with the id [${odd}].`,
          },
        ],
      },
    });
    expect([first, second, foreign].map(({ ended }) => ended.aborted)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('ends those of a stream, or all', async () => {
    const [first, second, third] = [open(), open('activity_stream'), open('powerstream')];
    const [one] = (await end('/activity_stream')).body.data.results;
    expect(one).toEqual({ uuid: second.id, success: true });
    expect([first, second, third].map(({ ended }) => ended.aborted)).toEqual([false, true, false]);
    expect((await end('/all')).body.data.successful_kills).toBe(2);
    expect((await list()).body.meta.result_count).toBe(0);
    const { errors } = JSON.parse(await new Response(first.body).text());
    expect(errors).toMatchObject([
      {
        title: 'operational-disconnect',
        disconnect_type: 'ForceDisconnect',
        type: 'https://api.x.com/2/problems/operational-disconnect',
      },
    ]);
    const past = (await list('?status=inactive')).body.data;
    expect(past.map((entry: Record<string, string>) => entry['disconnect_reason'])).toEqual(
      Array(3).fill('operator_disconnect'),
    );
    expect((await end('/all')).body.data).toEqual({
      successful_kills: 0,
      failed_kills: 0,
      results: [],
    });
  });

  it.each([
    [[], 400],
    [Array.from({ length: 101 }, (_, i) => String(i)), 400],
  ])('refuses %j', async (uuids, expected) => {
    expect((await end('', uuids)).status).toBe(expected);
  });

  it('refuses the name of no stream', async () => {
    const { status, body } = await end('/stream');
    expect(status).toBe(400);
    expect(body.errors[0].message).toContain('The `endpoint_id` query parameter value [stream]');
  });
});
