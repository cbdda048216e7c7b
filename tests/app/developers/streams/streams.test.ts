import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { StreamSettings } from '#app/developers/streams/streams.svelte.ts';
import { plainProblem } from '#contract/fault.ts';
import { DELIVERIES } from '#contract/streams/deliveries.ts';
import { STREAMS, type ConnectionInfo, type SubscriptionInfo } from '#contract/streams/streams.ts';

const OF = { app: '7', source: 'posts' } as const;
const OPEN: ConnectionInfo = {
  id: 'a',
  app: 'Radar',
  source: 'posts',
  stream: 'filtered_stream',
  client_ip: null,
  connected_at: '2026-11-20T10:00:00.000Z',
  disconnected_at: null,
  reason: null,
};

function subscription(id: string): SubscriptionInfo {
  return {
    id,
    type: 'post.create',
    event_type: 'post.create',
    account: { id: `1${id}`, username: `ann${id}` },
    keyword: null,
    direction: null,
    tag: null,
    webhook_id: null,
    created_at: '2026-11-20T10:00:00.000Z',
  };
}

/** Answers by method and path, from the id and the parameters. */
type Answers = Readonly<Record<string, (id: string, query: URLSearchParams) => unknown>>;

const keyOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

/** Settings over a service with one app, and what the test controls. */
function setUp(others: Answers = {}) {
  const state = {
    hidden: false,
    loads: 0,
    rules: 1,
    subscriptions: ['1', '2', '3'],
    fails: null as Error | null,
  };
  const undo: (() => void)[] = [];
  const all = ['1', '2', '3'].map(subscription);
  const said: string[] = [];
  let tick = (): void => undefined;
  const answers: Answers = {
    [keyOf(STREAMS.overview)]: () => {
      state.loads += 1;
      if (state.fails) throw state.fails;
      const filtered_stream = { limit: 10, posts: state.rules, sample: 0 };
      const powerstream = { limit: 10, posts: 1, sample: 0 };
      const subscriptions = { limit: 1500, posts: state.subscriptions.length, sample: 0 };
      const app = {
        id: '7',
        name: 'Radar',
        access: 'enterprise',
        filtered_stream,
        powerstream,
        subscriptions,
      };
      const none = { count: 0, newest: [] };
      return { apps: { count: 1, most: [app] }, open: none, past: none };
    },
    [keyOf(DELIVERIES)]: () => ({ webhooks: [], dead_letters: [], replays: [] }),
    [keyOf(STREAMS.rules)]: () => ({
      rules: Array.from({ length: state.rules }, (_, i) => ({
        id: String(i),
        value: `word${i}`,
        tag: null,
      })),
      next: null,
    }),
    [keyOf(STREAMS.subscriptions)]: () => ({
      subscriptions: all.filter(({ id }) => state.subscriptions.includes(id)),
      types: [{ type: 'post.create', count: state.subscriptions.length }],
      next: null,
    }),
    [keyOf(STREAMS.unsubscribe)]: (id) => {
      if (!state.subscriptions.includes(id)) throw plainProblem(404, 'Not Found', 'None such.');
      state.subscriptions = state.subscriptions.filter((other) => other !== id);
      return { deleted: true };
    },
    [keyOf(STREAMS.resubscribe)]: (id) => {
      state.subscriptions = [...state.subscriptions, id];
      return { restored: true };
    },
    [keyOf(STREAMS.end)]: () => ({ ended: true }),
    ...others,
  };
  const answer = async <T>(
    method: string,
    path: string,
    schema: v.GenericSchema<unknown, T>,
  ): Promise<T> => {
    const { pathname, searchParams } = new URL(path, 'https://service.test');
    const parts = pathname.split('/');
    const [id = ''] = parts.splice(3, 1, ...(parts.length > 3 ? [':id'] : []));
    return v.parse(schema, answers[`${method} ${parts.join('/')}`]?.(id, searchParams));
  };
  const settings = new StreamSettings({
    client: {
      json: (path, schema) => answer('GET', path, schema),
      send: (method, path, _, schema) => answer(method, path, schema),
    },
    isHidden: () => state.hidden,
    every: (_, run) => {
      tick = run;
      return () => (tick = () => undefined);
    },
    say: (text, back) => {
      said.push(text);
      if (back) undo.push(back);
    },
  });
  return { settings, state, said, undo, tick: () => tick() };
}

describe('the streams of the settings', () => {
  it('load again while they are visible, and not while the page is hidden', async () => {
    const { settings, state, tick } = setUp();
    const stop = settings.follow();
    await settings.all.load();
    expect(state.loads).toBe(1);
    tick();
    await settings.all.load();
    expect(state.loads).toBe(2);
    state.hidden = true;
    tick();
    expect(state.loads).toBe(2);
    state.hidden = false;
    stop();
    tick();
    expect(state.loads).toBe(2);
  });

  it('keep what was loaded when a load fails', async () => {
    const { settings, state } = setUp();
    await settings.all.load();
    state.fails = plainProblem(503, 'Service Unavailable', 'The store is busy.');
    await settings.all.load();
    expect(settings.all.value?.overview.apps.count).toBe(1);
    expect(settings.all.fault).toBe('The service could not do this: The store is busy.');
    state.fails = null;
    await settings.all.load();
    expect(settings.all.fault).toBe('');
  });

  it('load visible rules again once their number changes', async () => {
    const { settings, state } = setUp();
    await settings.all.load();
    settings.toggleRules(OF, 'filtered_stream');
    await settings.all.load();
    expect(settings.rulesOf(OF, 'filtered_stream')?.entries).toHaveLength(1);
    state.rules = 3;
    await settings.all.load();
    expect(settings.rulesOf(OF, 'filtered_stream')?.entries).toHaveLength(3);
    settings.toggleRules(OF, 'filtered_stream');
    expect(settings.rulesOf(OF, 'filtered_stream')).toBeNull();
  });

  it('show the rules of each stream apart', async () => {
    const { settings } = setUp({
      [keyOf(STREAMS.rules)]: (_, query) => ({
        rules: [{ id: '1', value: query.get('stream'), tag: null }],
        next: null,
      }),
    });
    await settings.all.load();
    settings.toggleRules(OF, 'powerstream');
    expect(settings.rulesOf(OF, 'filtered_stream')).toBeNull();
    settings.toggleRules(OF, 'filtered_stream');
    for (const stream of ['filtered_stream', 'powerstream'] as const) {
      const values = () => settings.rulesOf(OF, stream)?.entries?.map(({ value }) => value);
      await expect.poll(values).toEqual([stream]);
    }
  });

  it('delete a subscription, and put it back in its place', async () => {
    const { settings, said, undo } = setUp();
    await settings.all.load();
    settings.toggleSubscriptions(OF);
    const list = settings.subscriptionsOf(OF);
    const ids = () => list?.pages.entries?.map(({ id }) => id);
    await expect.poll(ids).toEqual(['1', '2', '3']);
    await settings.unsubscribe(OF, subscription('2'), 'post.create of @ann2');
    expect([ids(), list?.types]).toEqual([['1', '3'], [{ type: 'post.create', count: 2 }]]);
    undo[0]?.();
    await expect.poll(ids).toEqual(['1', '2', '3']);
    expect(list?.types).toEqual([{ type: 'post.create', count: 3 }]);
    await expect
      .poll(() => said)
      .toEqual([
        'Deleted the subscription to post.create of @ann2.',
        'Restored the subscription to post.create of @ann2.',
      ]);
  });

  it('say why a subscription was not deleted, and show what there is now', async () => {
    const { settings, state, said } = setUp();
    await settings.all.load();
    settings.toggleSubscriptions(OF);
    state.subscriptions = ['1', '3'];
    await settings.unsubscribe(OF, subscription('2'), 'post.create of @ann2');
    expect(said).toEqual(['None such.']);
    const ids = () => settings.subscriptionsOf(OF)?.pages.entries?.map(({ id }) => id);
    await expect.poll(ids).toEqual(['1', '3']);
    expect(settings.changes.busy.size).toBe(0);
  });

  it('say what happened to a connection that was to end', async () => {
    const ended = setUp();
    await ended.settings.end(OPEN);
    expect(ended.said).toEqual(['Ended the connection of Radar.']);
    expect(ended.settings.changes.busy.size).toBe(0);
    const late = setUp({
      [keyOf(STREAMS.end)]: () => {
        throw plainProblem(404, 'Not Found');
      },
    });
    await late.settings.end(OPEN);
    expect(late.said).toEqual(['The connection of Radar had already ended.']);
    expect(late.state.loads).toBe(1);
  });
});
