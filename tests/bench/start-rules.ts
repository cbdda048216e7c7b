import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { openService } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { Random } from '#server/sample/random.ts';
import { giveTinySample, writePosts } from '#tests/support/service/service.ts';
import { Client, expectStatus } from './client.ts';
import { digits, goal, table, timing } from './measure.ts';
import { word } from './posts.ts';
import { serve } from './service.ts';

const RULES = 25_000;
const SUBSCRIPTIONS = 10_000;
/** Rules that are added in one transaction. */
const AT_ONCE = 5000;
/** Words of the rules, by frequency. */
const WORDS = 20_000;
const STREAM = '/2/tweets/search/stream';
/** The word of a rule that the timed Post matches. */
const MARK = 'benchmark';

const random = (n: number): Uint8Array => randomBytes(n);

/** Texts of rules in the shares of the benchmark of matching. */
function ruleTexts(): string[] {
  const pick = new Random(1);
  const some = (): string => word(100 + pick.below(WORDS));
  const kinds: readonly (readonly [share: number, text: (n: number) => string])[] = [
    [40, () => `${some()} ${some()}`],
    [20, () => `(${some()} OR ${some()}) lang:en`],
    [15, (n) => `from:user${n}`],
    [10, () => `#${some()} -is:retweet`],
    [10, () => `"${some()} ${some()}"`],
    [5, () => `${word(pick.below(100))} -${some()}`],
  ];
  const texts = new Set<string>([MARK]);
  for (const [share, text] of kinds) {
    const until = Math.min(RULES, texts.size + (RULES * share) / 100);
    while (texts.size < until) texts.add(text(texts.size));
  }
  return [...texts];
}

/** Makes a data folder with an app. @returns Its token, and that of a user. */
function fill(data: string, isFull: boolean): { app: string; user: string } {
  mkdirSync(data, { recursive: true });
  giveTinySample(data);
  writePosts(join(data, 'posts.sqlite'), [{ id: 1n, createdAt: 0, text: 'first' }]);
  const service = openService(join(data, 'service.sqlite'), { random });
  const auth = openAuth(service, { now: Date.now, random });
  const settings = { access: 'enterprise', limited: false } as const;
  const { secrets, apps } = auth.apps({ action: 'add', name: 'Bench', settings });
  const of = { stream: 'posts', app: apps[0]?.id ?? '' } as const;
  const { token } = auth.issueUserToken({ name: 'bench', limited: false });
  const at = { firstId: 1n, now: 0 };
  const texts = isFull ? ruleTexts() : [MARK];
  for (let from = 0; from < texts.length; from += AT_ONCE) {
    const add = texts.slice(from, from + AT_ONCE).map((value) => ({ value, tag: null }));
    service.rules.change(of, { add }, at);
  }
  service.write('subscriptions', () => {
    for (let user = 1; user <= (isFull ? SUBSCRIPTIONS : 0); user++) {
      const type = { type: 'post.create', name: 'post.create', subject: String(user) } as const;
      const more = { direction: null, directionName: null, tag: null, webhook: null };
      service.subscriptions.add(of, { ...type, ...more }, SUBSCRIPTIONS, at);
    }
  });
  service.close();
  return { app: secrets?.bearer_token ?? '', user: token };
}

/** Resolves when a stream sent a line. */
async function firstLine(stream: IncomingMessage): Promise<void> {
  for await (const part of stream) if (String(part).includes(MARK)) return;
  throw new Error('expected a line, got none');
}

/** Milliseconds from the start of the process. */
interface Started {
  readonly answered: number;
  readonly delivered: number;
}

/** Starts the service, asks it, and creates a Post that a connection to the stream receives. */
async function start(data: string, tokens: { app: string; user: string }): Promise<Started> {
  const began = performance.now();
  const served = await serve(data, tokens.app);
  const path = `${STREAM}/rules?max_results=1`;
  expectStatus(await served.client.get(path), 200, path);
  const answered = performance.now() - began;
  const headers = { authorization: `Bearer ${tokens.app}` };
  const connecting = get(new URL(STREAM, served.url), { headers, agent: false });
  const [stream] = (await once(connecting, 'response')) as [IncomingMessage];
  const writer = new Client(served.url, tokens.user);
  const [, posted] = await Promise.all([
    firstLine(stream),
    writer.post('/2/tweets', { text: `${MARK} ${began}` }),
  ]);
  expectStatus(posted, 201, '/2/tweets');
  const delivered = performance.now() - began;
  stream.destroy();
  writer.close();
  await served.stop();
  return { answered, delivered };
}

/** Times the start of a service with many rules and subscriptions, up to the first line of a stream. */
export async function benchStartWithRules(folder: string, rounds: number): Promise<void> {
  const rows: string[][] = [];
  let most = 0;
  for (const isFull of [false, true]) {
    const data = join(folder, String(isFull));
    const tokens = fill(data, isFull);
    const all: Started[] = [];
    for (let round = 0; round < rounds; round++) all.push(await start(data, tokens));
    const answered = timing(all.map((started) => started.answered));
    const delivered = timing(all.map((started) => started.delivered));
    rows.push([
      isFull ? `${RULES} rules, ${SUBSCRIPTIONS} subscriptions` : 'one rule',
      ...[answered.median, answered.max, delivered.median, delivered.max].map(digits),
    ]);
    most = answered.median;
  }
  table('Start of the service, ms from the start of its process', [
    ['with', 'first answer', 'max', 'first line of a stream', 'max'],
    ...rows,
  ]);
  goal('first answer', most, '≤', 2000, ' ms');
}
