import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { Span } from '#core/time/span.ts';
import { counts } from '#server/api/counts/routes.ts';
import { openService } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { openBilling } from '#server/billing/billing.ts';
import { openCredits } from '#server/billing/credits.ts';
import { readParameters } from '#server/http/params.ts';
import { evaluation } from '#server/http/evaluate.ts';
import { mount, openHttp, type Http } from '#server/http/serve.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { openSource } from '#server/posts/index/source.ts';
import { digits, fact, goal, shown, table, timing, type Timing } from './measure.ts';
import type { Query } from './queries.ts';
import { countsPath } from './service.ts';
import type { Caller } from '#server/auth/caller.ts';

/** Tokens that the guard has to tell apart. */
const TOKENS = 10_000;

/** Serves rules without guard, limits and bills: only parameters are read. */
function bare(caller: Caller): Http {
  return {
    serve: (endpoint, rule) => ({
      endpoint,
      handle: async (c) => {
        const { query: schema } = endpoint;
        const { request: query, texts } = schema
          ? readParameters(new URL(c.req.url).searchParams, schema)
          : { request: undefined, texts: {} };
        const call = { c, caller, charges: () => [], query, texts };
        const answer = await rule(call as unknown as Parameters<typeof rule>[0]);
        if (answer instanceof Response) return answer;
        throw new Error('expected counts to build their own response');
      },
    }),
  };
}

/** Runs the work once. @returns Processor time, ms, which does not depend on what else the machine does. */
async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Times pages of counts with everything that the operation table adds, and without: the guard, limits and bills of a
 * pay-per-use app. Requests alternate, so that both have the same machine.
 *
 * @param rounds - At most as many as the limit allows in a window, 300.
 */
export async function benchOperations(
  data: string,
  folder: string,
  queries: readonly Query[],
  span: Span,
  rounds: number,
): Promise<void> {
  const deps = { now: Date.now, random: (n: number) => randomBytes(n) };
  const service = openService(join(folder, 'service.sqlite'), deps);
  const auth = openAuth(service, deps);
  const settings = { access: 'pay-per-use', limited: true } as const;
  const { secrets } = auth.apps({ action: 'add', name: 'Bench', settings });
  // One transaction: each alone would wait for the disk.
  service.write('fill', () => {
    for (let i = 0; i < TOKENS; i++) auth.issueUserToken({ name: `user${i % 100}`, limited: true });
  });
  const token = secrets?.bearer_token ?? '';
  const caller = auth.bearer(token);
  if (!caller) throw new Error('expected a caller, got none');
  const source = {
    id: 'posts' as const,
    ...openSource(join(data, 'posts.sqlite'), { random: deps.random }),
  };
  const { bills } = service;
  const charges = source.charges;
  let now = Date.now();
  const clock = { now: () => now };
  const billing = openBilling({
    bills,
    charges,
    credits: openCredits({ bills, charges }),
    ...clock,
  });
  const secret = { auth, control: null };
  const full = openHttp({ secrets: secret, billing, limits: service.limits, ...clock });
  const appWith = (http: Http): Hono => {
    const app = new Hono();
    const slices = new Slices(() => performance.now());
    const pageKey = service.secret('pages');
    mount(
      app,
      counts({
        http,
        evaluate: evaluation(() => source, null, service, slices),
        pageKey,
        ...clock,
      }),
    );
    return app;
  };
  const apps = { bare: appWith(bare(caller)), full: appWith(full) };
  const headers = { authorization: `Bearer ${token}` };
  const page = async (app: Hono, path: string): Promise<void> => {
    const answer = await app.request(path, { headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${text}`);
  };

  /** Alternates requests. @returns Times of the rule alone, and what the table adds to the request next to each. */
  const compare = async (path: string): Promise<{ alone: Timing; added: Timing }> => {
    const times: Record<keyof typeof apps, number[]> = { bare: [], full: [] };
    // A window of the limit for each query.
    now += 900_000;
    for (let i = 0; i < rounds; i++) {
      const order = i % 2 === 0 ? (['bare', 'full'] as const) : (['full', 'bare'] as const);
      for (const which of order) {
        times[which].push(await processorMs(() => page(apps[which], path)));
      }
    }
    const added = times.full.map((ms, i) => ms - (times.bare[i] ?? NaN));
    return { alone: timing(times.bare), added: timing(added) };
  };

  for (const [granularity, buckets] of [
    ['hour', '744 hours'],
    ['minute', '44,640 minutes'],
  ] as const) {
    const rows = [['query', 'rule alone, processor ms', 'added ms', 'added %']];
    const sums = { alone: 0, added: 0 };
    for (const { kind, text } of queries) {
      const { alone, added } = await compare(countsPath(text, span, granularity));
      sums.alone += alone.median;
      sums.added += added.median;
      const part = (added.median / alone.median) * 100;
      rows.push([kind, shown(alone), digits(added.median), digits(part)]);
    }
    table(`What the operation table adds to a page of ${buckets}`, rows);
    fact(`each request, mean: ${digits(sums.added / queries.length)} ms`);
    goal('all queries together', (sums.added / sums.alone) * 100, '≤', 3, ' %');
  }
  source.close();
  service.close();
}
