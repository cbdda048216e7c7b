import { afterAll, describe, expect, it } from 'vitest';
import type { ControlEvent } from '#contract/control/control.ts';
import { serviceApp } from '#server/app.ts';
import type { Jobs, Emit } from '#server/http/job-stream.ts';
import { SECRET, startService } from '#tests/support/service/service.ts';

const service = startService();
afterAll(() => service.close());

function appWith(jobs: Partial<Jobs>) {
  const { deps } = service;
  return serviceApp({
    ...deps,
    control: { secret: SECRET, jobs: { ...deps.control.jobs, ...jobs } },
  });
}

function order(
  app: ReturnType<typeof appWith>,
  path: string,
  body: unknown,
  init: RequestInit = {},
) {
  const text = JSON.stringify(body);
  return app.request(`/control/${path}`, {
    method: 'POST',
    body: text,
    headers: { authorization: 'Bearer the secret', 'content-length': String(text.length) },
    ...init,
  });
}

const TOKEN = { kind: 'app', access: 'enterprise', limited: true };

describe('a control request', () => {
  it('is executed, and its events arrive as lines', async () => {
    const events: ControlEvent[] = [
      { type: 'making', done: 50, total: 100 },
      { type: 'sampled', posts: 200_000 },
    ];
    const app = appWith({
      sample: async (_order, emit) => {
        for (const event of events) {
          await Promise.resolve();
          emit(event);
        }
      },
    });
    const answer = await order(app, 'sample', {});
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await answer.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(events);
  });

  it('needs the secret', async () => {
    const app = appWith({ token: () => Promise.reject(new Error('not to be reached')) });
    for (const authorization of [
      '',
      'Bearer wrong',
      'Bearer ',
      'the secret',
      'Bearer the secret2',
    ]) {
      const answer = await order(app, 'token', TOKEN, { headers: { authorization } });
      expect(answer.status).toBe(401);
    }
  });

  it.each([
    ['token', {}],
    ['token', { ...TOKEN, access: 'root' }],
    ['token', { ...TOKEN, more: 1 }],
    ['token', { ...TOKEN, kind: 'user' }],
    ['token', { kind: 'user', name: 'al ice', limited: true }],
    ['token', { kind: 'user', name: '', limited: true }],
    ['import', { files: [], map: {} }],
    ['import', { files: 'a.csv', map: {} }],
    ['sample', { end: 1 }],
    ['reindex', { source: 'posts' }],
  ])('with an invalid body is refused: %s %o', async (path, body) => {
    expect((await order(appWith({}), path, body)).status).toBe(400);
  });

  it.each(['sample', 'reindex'] as const)(
    '%s can be stopped by its name, and still reports what it did',
    async (path) => {
      let begin = (): void => {};
      const began = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const app = appWith({
        [path]: async (_order: object, emit: Emit, signal: AbortSignal) => {
          begin();
          await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
          emit({ type: 'sampled', posts: 7 });
        },
      });
      const named = (name: string) => ({
        headers: { authorization: 'Bearer the secret', 'content-length': '2', 'x-work': name },
      });
      const answer = order(app, path, {}, named('mine'));
      await began;
      expect((await order(app, 'stop', {}, named('other'))).status).toBe(404);
      expect((await order(app, 'stop', {}, named('mine'))).status).toBe(204);
      expect(JSON.parse(await (await answer).text())).toEqual({ type: 'sampled', posts: 7 });
      expect((await order(app, 'stop', {}, named('mine'))).status).toBe(404);
    },
  );

  it('is stopped when the client disconnects', async () => {
    let began = (): void => {};
    const beginning = new Promise<void>((resolve) => {
      began = resolve;
    });
    const stopped = new Promise<void>((resolve) => {
      const app = appWith({
        import: async (_, emit, signal) => {
          emit({ type: 'making', done: 0, total: 1 });
          began();
          await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
          emit({ type: 'sampled', posts: 0 });
          resolve();
        },
      });
      void Promise.resolve(order(app, 'import', { files: ['/a'], map: {} })).then(
        async (answer) => {
          await beginning;
          await answer.body?.cancel();
        },
      );
    });
    await expect(stopped).resolves.toBeUndefined();
  });
});
