import { describe, expect, it } from 'vitest';
import type { View } from '#app/board/state/view.ts';
import { UrlSync } from '#app/url-sync.svelte.ts';

/** A window with a history, as far as the address needs one. */
function pageAt(hash: string) {
  const entries = [hash];
  const states: unknown[] = [null];
  let at = 0;
  let listen: (event: { state: unknown }) => void = () => undefined;
  const page = {
    location: {
      get hash() {
        return entries[at] ?? '';
      },
    },
    history: {
      get state() {
        return states[at];
      },
      pushState: (data: unknown, _unused: string, url: string) => {
        entries.splice(at + 1, Infinity, url);
        states.splice(at + 1, Infinity, data);
        at += 1;
      },
      replaceState: (data: unknown, _unused: string, url: string) => {
        entries[at] = url;
        states[at] = data;
      },
    },
    addEventListener: (_kind: 'popstate', on: typeof listen) => {
      listen = on;
    },
  };
  const go = (by: number): void => {
    at += by;
    listen({ state: states[at] });
  };
  /** Another address of the same page is typed, or a link to it followed. */
  const link = (url: string): void => {
    entries.splice(at + 1, Infinity, url);
    states.splice(at + 1, Infinity, null);
    go(1);
  };
  return { page, go, link, entries };
}

function addressAt(hash: string, stored: Map<string, string> = new Map()) {
  const { page, go, link, entries } = pageAt(hash);
  const seen: { view: View; problems: string[]; own: boolean }[] = [];
  const clock = { now: 0 };
  const later = (act: () => void): void => act();
  const address = new UrlSync(
    page,
    () => clock.now,
    later,
    {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
    },
    (view, problems, own) => seen.push({ view, problems, own }),
  );
  return { address, go, link, entries, seen, clock };
}

describe('the address', () => {
  it('says nothing where it is empty, and what is wrong where it cannot be read', () => {
    expect(addressAt('').address.opened()).toBeNull();
    expect(addressAt('#zone=Nowhere').address.opened()?.problems).toHaveLength(1);
  });

  it('is the last view of this browser where it is empty', () => {
    const stored = new Map<string, string>();
    const { address } = addressAt('', stored);
    address.write({ zone: 'Asia/Tokyo' });
    expect(addressAt('', stored).address.opened()).toMatchObject({
      view: { zone: 'Asia/Tokyo' },
      own: true,
      last: true,
    });
    const link = addressAt('#zone=UTC', stored).address.opened();
    expect(link).toMatchObject({ view: { zone: 'UTC' }, own: false, last: false });
  });

  it('makes a step for each change, but one for those close together', () => {
    const { address, entries, clock } = addressAt('');
    address.write({ zone: 'UTC' });
    for (const tab of ['summary', 'table'] as const) {
      clock.now += 5000;
      address.write({ zone: 'UTC', tab });
      clock.now += 300;
      address.write({ zone: 'Asia/Tokyo', tab });
    }
    expect(entries).toEqual([
      '#zone=UTC',
      '#zone=Asia/Tokyo&tab=summary',
      '#zone=Asia/Tokyo&tab=table',
    ]);
  });

  it('makes a step of the drawer however soon it is opened and closed', () => {
    const { address, entries, clock } = addressAt('#zone=UTC');
    const start = Date.UTC(2016, 8, 12);
    const picked = { span: { start, end: start + 86_400_000 }, of: 1 };
    address.write({ zone: 'UTC' });
    for (const view of [{ tab: 'heat' }, { tab: 'heat', picked }, { tab: 'heat' }] as const) {
      clock.now += 300;
      address.write({ zone: 'UTC', ...view });
    }
    expect(entries.map((entry) => new URLSearchParams(entry.slice(1)).get('at'))).toEqual([
      null,
      null,
      '1@2016-09-12T00:00Z/2016-09-13T00:00Z',
      null,
    ]);
  });

  it('gives the view that back and forward go to, and does not write it again', () => {
    const { address, entries, go, seen, clock } = addressAt('#zone=UTC');
    address.write({ zone: 'UTC' });
    clock.now = 9000;
    address.write({ zone: 'Asia/Tokyo' });
    go(-1);
    expect(seen).toEqual([{ view: { zone: 'UTC' }, problems: [], own: true }]);
    address.write({ zone: 'UTC' });
    expect(entries).toEqual(['#zone=UTC', '#zone=Asia/Tokyo']);
    go(1);
    expect(seen[1]?.view).toEqual({ zone: 'Asia/Tokyo' });
  });

  it('tells a link from what was on this page before, loaded again too', () => {
    const { address, link, go, seen } = addressAt('#zone=UTC');
    expect(address.opened()?.own).toBe(false);
    address.write({ zone: 'UTC' });
    expect(address.opened()?.own).toBe(true);
    link('#zone=Asia/Tokyo');
    expect(seen.at(-1)).toEqual({ view: { zone: 'Asia/Tokyo' }, problems: [], own: false });
    address.write({ zone: 'Asia/Tokyo' });
    go(-1);
    go(1);
    expect(seen.map(({ own }) => own)).toEqual([false, true, true]);
  });

  it('makes no step of a link that the page spells in its own way, so that back leaves it', () => {
    const { address, link, entries, clock } = addressAt('#zone=UTC');
    address.write({ zone: 'UTC' });
    clock.now += 10_000;
    link('#range=30d&zone=Asia/Tokyo');
    clock.now += 10_000;
    address.write({ zone: 'Asia/Tokyo', range: { preset: '30d' }, tab: 'peaks' });
    expect(entries).toEqual(['#zone=UTC', '#range=30d&zone=Asia/Tokyo&tab=peaks']);
    clock.now += 10_000;
    address.write({ zone: 'Asia/Tokyo', range: { preset: '90d' }, tab: 'peaks' });
    expect(entries).toHaveLength(3);
  });

  it('writes nothing where nothing changed', () => {
    const { address, entries } = addressAt('#zone=UTC');
    address.write({ zone: 'UTC' });
    expect(entries).toEqual(['#zone=UTC']);
  });
});
