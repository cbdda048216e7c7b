import { describe, expect, it } from 'vitest';
import { platformAddress } from '#server/platform/access.ts';
import { readCall } from '#server/platform/request.ts';
import { Relay } from '#server/platform/relay.ts';
import { openPlatform } from '#server/platform/store.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { NOW } from './relayed.ts';

const file = temporaryFolder();
const CALL = readCall('all', 'http://here/2/tweets/counts/all?query=tea');
const ANSWER = JSON.stringify({ meta: { total_tweet_count: 0 } });

/** A relay whose platform answers when the test allows it. */
function open(name: string) {
  const access = { ...platformAddress('http://127.0.0.1:1'), token: 'token' };
  const store = openPlatform(file(name));
  const log: string[] = [];
  let reached = (): void => {};
  const sent = new Promise<void>((resolve) => (reached = resolve));
  let answer = (): void => {};
  let over = (): void => {};
  let asleep = (): void => {};
  const sleeping = new Promise<void>((resolve) => (asleep = resolve));
  const relay = new Relay({
    access,
    store,
    log: (line) => log.push(line),
    now: () => NOW,
    random: countingBytes(),
    agent: 'groundswell/test',
    timeout: () => new AbortController().signal,
    sleep: (_, signal) =>
      new Promise((resolve, reject) => {
        over = resolve;
        asleep();
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      }),
    fetch: (_, init) =>
      new Promise((resolve, reject) => {
        reached();
        answer = () => resolve(new Response(ANSWER));
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      }),
  });
  return { relay, store, log, sent, sleeping, answer: () => answer(), over: () => over() };
}

describe('a relay that stops', () => {
  it('waits for running requests, so that they are billed and stored', async () => {
    const { relay, store, sent, answer } = open('waits.sqlite');
    const pending = relay.answer({ call: CALL, ask: 'ask-0001', buy: null });
    await sent;
    expect(relay.purchases).toBe(1);
    const closed = relay.close(1000);
    answer();
    await closed;
    expect((await pending)?.vault).toBe('bought');
    expect(relay.purchases).toBe(0);
    expect(store.pageOf('ask-0001')).toBeDefined();
    expect(store.uncertain().requests).toBe(0);
    store.close();
  });

  it('abandons them after a timeout: then they are possibly billed', async () => {
    const { relay, store, sent, over } = open('patience.sqlite');
    const pending = relay.answer({ call: CALL, ask: 'ask-0001', buy: null });
    const outcome = expect(pending).rejects.toMatchObject({
      status: 502,
      body: { uncertain: true },
    });
    await sent;
    const closed = relay.close(1000);
    over();
    await closed;
    await outcome;
    expect(store.uncertain().requests).toBe(1);
    store.close();
  });

  it('sends nothing more, not even waiting requests', async () => {
    const { relay, store, sent, sleeping, answer } = open('more.sqlite');
    const first = relay.answer({ call: CALL, ask: null, buy: null });
    await sent;
    answer();
    await first;
    const waiting = relay.answer({ call: CALL, ask: null, buy: null });
    const outcome = expect(waiting).rejects.toMatchObject({ status: 503 });
    await sleeping;
    expect(relay.purchases).toBe(0);
    // No timeout is needed for requests that were not sent.
    const closed = relay.close(1000);
    const late = relay.answer({ call: CALL, ask: null, buy: null });
    await expect(late).rejects.toMatchObject({ status: 503 });
    await closed;
    await outcome;
    expect(store.sum(0, 1e6).requests).toBe(1);
    store.close();
  });
});

describe('a store that cannot be written', () => {
  it('prevents sending', async () => {
    const { relay, store } = open('closed.sqlite');
    store.close();
    await expect(relay.answer({ call: CALL, ask: null, buy: null })).rejects.toThrow();
  });

  it('after a purchase still returns the page, and the reservation stays', async () => {
    const { relay, store, sent, answer, log } = open('full.sqlite');
    const { bill } = store;
    Object.assign(store, {
      bill: () => {
        throw new Error('the disk is full');
      },
    });
    const pending = relay.answer({ call: CALL, ask: 'ask-0001', buy: null });
    await sent;
    answer();
    expect((await pending)?.vault).toBe('bought');
    expect(log).toEqual([expect.stringContaining('the disk is full')]);
    expect(store.sum(0, 1e6).requests).toBe(1);
    expect(store.pageOf('ask-0001')).toBeUndefined();
    Object.assign(store, { bill });
    store.close();
  });
});
