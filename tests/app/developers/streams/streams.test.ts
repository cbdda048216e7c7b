import { describe, expect, it } from 'vitest';
import type { EndpointClient } from '#app/api/endpoint-call.ts';
import { StreamSettings } from '#app/developers/streams/streams.svelte.ts';
import { plainProblem } from '#contract/fault.ts';
import { STREAMS } from '#contract/streams/streams.ts';
import { MemoryService } from '#tests/app/settings/memory-service.ts';
import { connection, subscription } from './examples.ts';

const OF = { app: '7', source: 'posts' } as const;

/** Settings over a service with one app, and what the test controls. */
function setUp() {
  const service = new MemoryService();
  service.subscriptions = { 'posts 7': [1, 2, 3].map((number) => subscription(number)) };
  /** Gives the app so many rules. */
  const setRules = (posts: number): void => {
    const rules = Array.from({ length: posts }, (_, i) => ({ id: `${i}`, value: 'a', tag: null }));
    service.rules = { 'filtered_stream posts 7': rules };
    const filtered_stream = { limit: 10, posts, sample: 0 };
    const powerstream = { limit: 10, posts: 0, sample: 0 };
    const subscriptions = { limit: 10, posts: 3, sample: 0 };
    const names = { id: '7', name: 'Radar', access: 'enterprise' } as const;
    const most = [{ ...names, filtered_stream, powerstream, subscriptions }];
    service.streams = { ...service.streams, apps: { count: 1, most } };
  };
  setRules(1);
  const state = { hidden: false, loads: 0, tick: (): void => undefined };
  const undo: (() => void)[] = [];
  const said: string[] = [];
  const client: EndpointClient = {
    json: (path, schema) => {
      if (path === STREAMS.overview.path) state.loads += 1;
      return service.json(path, schema);
    },
    send: (method, path, body, schema) => service.send(method, path, body, schema),
  };
  const settings = new StreamSettings({
    client,
    isHidden: () => state.hidden,
    every: (_, run) => {
      state.tick = run;
      return () => (state.tick = () => undefined);
    },
    say: (text, back) => {
      said.push(text);
      if (back) undo.push(back);
    },
  });
  const ids = () => settings.subscriptionsOf(OF)?.pages.entries?.map(({ id }) => id);
  return { settings, service, setRules, state, said, undo, ids };
}

describe('the streams of the settings', () => {
  it('load again while they are visible, and not while the page is hidden', async () => {
    const { settings, state } = setUp();
    const stop = settings.follow();
    await settings.all.load();
    expect(state.loads).toBe(1);
    state.tick();
    await settings.all.load();
    expect(state.loads).toBe(2);
    state.hidden = true;
    state.tick();
    expect(state.loads).toBe(2);
    state.hidden = false;
    stop();
    state.tick();
    expect(state.loads).toBe(2);
  });

  it('keep what was loaded when a load fails', async () => {
    const { settings, service } = setUp();
    await settings.all.load();
    service.fails = plainProblem(503, 'Service Unavailable', 'The store is busy.');
    await settings.all.load();
    expect(settings.all.value?.overview.apps.count).toBe(1);
    expect(settings.all.fault).toBe('The service could not do this: The store is busy.');
    await settings.all.load();
    expect(settings.all.fault).toBe('');
  });

  it('load visible rules again once their number changes', async () => {
    const { settings, setRules } = setUp();
    await settings.all.load();
    settings.toggleRules(OF, 'filtered_stream');
    await settings.all.load();
    expect(settings.rulesOf(OF, 'filtered_stream')?.entries).toHaveLength(1);
    setRules(3);
    await settings.all.load();
    expect(settings.rulesOf(OF, 'filtered_stream')?.entries).toHaveLength(3);
    settings.toggleRules(OF, 'filtered_stream');
    expect(settings.rulesOf(OF, 'filtered_stream')).toBeNull();
  });

  it('delete a subscription, and put it back in its place', async () => {
    const { settings, said, undo, ids } = setUp();
    await settings.all.load();
    settings.toggleSubscriptions(OF);
    await expect.poll(ids).toEqual(['1', '2', '3']);
    const list = settings.subscriptionsOf(OF);
    await settings.unsubscribe(OF, subscription(2), 'post.create of @ann2');
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
    const { settings, service, said, ids } = setUp();
    await settings.all.load();
    settings.toggleSubscriptions(OF);
    await expect.poll(ids).toEqual(['1', '2', '3']);
    // Another page deletes it.
    await service.send('DELETE', '/streams/subscriptions/2', null, STREAMS.unsubscribe.answer);
    await settings.unsubscribe(OF, subscription(2), 'post.create of @ann2');
    expect(said).toEqual(['There is no subscription with the id [2].']);
    await expect.poll(ids).toEqual(['1', '3']);
    expect(settings.changes.busy.size).toBe(0);
  });

  it('say what happened to a connection that was to end', async () => {
    const { settings, service, said, state } = setUp();
    const open = connection(1);
    service.streams = { ...service.streams, open: { count: 1, newest: [open] } };
    await settings.end(open);
    await settings.end(open);
    expect(said).toEqual([
      'Ended the connection of Radar.',
      'The connection of Radar had already ended.',
    ]);
    expect([settings.changes.busy.size, state.loads]).toEqual([0, 2]);
  });
});
