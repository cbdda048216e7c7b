import { describe, expect, it } from 'vitest';
import { stage, type As } from '#tests/support/conformance.ts';

// Rows of platform-facts, sections 5 and 7, and their additions about the filtered stream and its connections.

const on = stage([]);
const STREAM = '/2/tweets/search/stream';
const addRule = (app: As) => app.send('POST', `${STREAM}/rules`, { add: [{ value: 'tea' }] });

/** Opens a stream for an app. The caller of `stage` would read it to its end. */
function open(app: As, stream: 'filtered_stream' | 'activity_stream' = 'filtered_stream') {
  return on.service.connections.open({
    app: app.id,
    source: 'posts',
    stream,
    ip: null,
    most: 10,
  });
}

describe('The filtered stream', () => {
  it('without rules answers 409 as recorded', async () => {
    const { status, body } = await on.app().get(STREAM);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      title: 'ConnectionException',
      connection_issue: 'RuleConfigurationIssue',
      type: 'https://api.x.com/2/problems/streaming-connection',
    });
  });

  it.each(['backfill_minutes=5', 'start_time=2026-11-21T10:00:00Z'])(
    '%s is for enterprise',
    async (parameter) => {
      const app = on.app({ access: 'self-service' });
      await addRule(app);
      expect((await app.get(`${STREAM}?${parameter}`)).status).toBe(403);
    },
  );

  it.each(['backfill_minutes=-1', 'backfill_minutes=6', 'start_time=2026-11-20T10:00:00Z'])(
    '%s is refused',
    async (parameter) => {
      const app = on.app();
      await addRule(app);
      expect((await app.get(`${STREAM}?${parameter}`)).status).toBe(400);
    },
  );

  it('ends after a period of the past', async () => {
    const app = on.app();
    await addRule(app);
    const author = on.user('ann');
    const { body } = await author.send('POST', '/2/tweets', { text: 'tea' });
    on.now += 1000;
    const past = await app.get(`${STREAM}?start_time=2026-11-21T10:30:00Z`);
    expect([past.status, past.body]).toMatchObject([
      200,
      { data: { id: body.data.id, text: 'tea' }, matching_rules: [{ tag: '' }] },
    ]);
  });
});

describe('Connections', () => {
  it('are listed while they are open, with what the platform says of them', async () => {
    const app = on.app();
    const { id } = open(app);
    expect((await app.get('/2/connections')).body).toEqual({
      data: [{ id, endpoint_name: 'filtered_stream', connected_at: expect.any(String) }],
      meta: { result_count: 1 },
    });
  });

  it.each([
    ['DELETE /2/connections', '/2/connections', true],
    ['DELETE /2/connections/all', '/2/connections/all', false],
    ['DELETE /2/connections/{endpoint_id}', '/2/connections/filtered_stream', false],
  ])('%s ends them with a message and the reason operator_disconnect', async (_, path, named) => {
    const app = on.app();
    const { id, body } = open(app);
    const ended = await app.send('DELETE', path, named ? { uuids: [id] } : undefined);
    expect(ended.body.data).toEqual({
      successful_kills: 1,
      failed_kills: 0,
      results: [{ uuid: id, success: true }],
    });
    const line = await new Response(body).text();
    expect(JSON.parse(line).errors[0]).toMatchObject({
      title: 'operational-disconnect',
      disconnect_type: 'ForceDisconnect',
      type: 'https://api.x.com/2/problems/operational-disconnect',
    });
    const past = await app.get('/2/connections?status=inactive');
    expect(past.body.data).toMatchObject([{ id, disconnect_reason: 'operator_disconnect' }]);
  });

  it('activity_stream is an additional name of an endpoint', async () => {
    const app = on.app();
    open(app);
    open(app, 'activity_stream');
    const { body } = await app.get('/2/connections?endpoints=activity_stream');
    expect(body.data).toMatchObject([{ endpoint_name: 'activity_stream' }]);
  });
});
