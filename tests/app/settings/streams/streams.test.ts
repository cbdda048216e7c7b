import { describe, expect, it } from 'vitest';
import type { StreamsApi } from '#app/api/streams-api.ts';
import { StreamSettings } from '#app/settings/streams/streams.svelte.ts';
import { plainProblem } from '#contract/fault.ts';
import type { ConnectionInfo } from '#contract/streams.ts';

const OF = { app: '7', source: 'posts', stream: 'filtered_stream' } as const;
const POWER = { ...OF, stream: 'powerstream' } as const;
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

/** Settings over a service with one app, and what the test controls. */
function setUp(api: Partial<StreamsApi> = {}) {
  const state = { hidden: false, loads: 0, rules: 1, fails: null as Error | null };
  const said: string[] = [];
  let tick = (): void => undefined;
  const settings = new StreamSettings({
    api: {
      overview: async () => {
        state.loads += 1;
        if (state.fails) throw state.fails;
        const app = {
          id: '7',
          name: 'Radar',
          access: 'enterprise',
          filtered_stream: { limit: 10, rules: { posts: state.rules, sample: 0 } },
          powerstream: { limit: 10, rules: { posts: 1, sample: 0 } },
        } as const;
        const none = { count: 0, newest: [] };
        return { apps: { count: 1, most: [app] }, open: none, past: none };
      },
      deliveries: async () => ({ webhooks: [], dead_letters: [], replays: [] }),
      rules: async () => ({
        rules: Array.from({ length: state.rules }, (_, i) => ({
          id: String(i),
          value: `word${i}`,
          tag: null,
        })),
        next: null,
      }),
      end: async () => undefined,
      ...api,
    },
    isHidden: () => state.hidden,
    every: (_, run) => {
      tick = run;
      return () => (tick = () => undefined);
    },
    say: (text) => said.push(text),
  });
  return { settings, state, said, tick: () => tick() };
}

describe('the streams of the settings', () => {
  it('load again while they are visible, and not while the page is hidden', async () => {
    const { settings, state, tick } = setUp();
    const stop = settings.follow();
    await settings.load();
    expect(state.loads).toBe(1);
    tick();
    await settings.load();
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
    await settings.load();
    state.fails = plainProblem(503, 'Service Unavailable', 'The store is busy.');
    await settings.load();
    expect(settings.overview?.apps.count).toBe(1);
    expect(settings.fault).toBe('The service could not do this: The store is busy.');
    state.fails = null;
    await settings.load();
    expect(settings.fault).toBe('');
  });

  it('load visible rules again once their number changes', async () => {
    const { settings, state } = setUp();
    await settings.load();
    settings.toggleRules(OF);
    await settings.load();
    expect(settings.rulesOf(OF)?.rules).toHaveLength(1);
    state.rules = 3;
    await settings.load();
    expect(settings.rulesOf(OF)?.rules).toHaveLength(3);
    settings.toggleRules(OF);
    expect(settings.rulesOf(OF)).toBeNull();
  });

  it('show the rules of each stream apart', async () => {
    const { settings } = setUp({
      rules: async ({ stream }) => ({ rules: [{ id: '1', value: stream, tag: null }], next: null }),
    });
    await settings.load();
    settings.toggleRules(POWER);
    expect(settings.rulesOf(OF)).toBeNull();
    settings.toggleRules(OF);
    await settings.load();
    for (const of of [OF, POWER]) {
      expect(settings.rulesOf(of)?.rules).toMatchObject([{ value: of.stream }]);
    }
  });

  it('say what happened to a connection that was to end', async () => {
    const ended = setUp();
    await ended.settings.end(OPEN);
    expect(ended.said).toEqual(['Ended the connection of Radar.']);
    expect(ended.settings.ending.size).toBe(0);
    const late = setUp({ end: () => Promise.reject(plainProblem(404, 'Not Found')) });
    await late.settings.end(OPEN);
    expect(late.said).toEqual(['The connection of Radar had already ended.']);
    expect(late.state.loads).toBe(1);
  });
});
