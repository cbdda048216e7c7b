import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { HOUR_MS } from '#core/time/span.ts';
import { activityApp } from '#tests/server/api/streams/activity/activity-stage.ts';
import { bearer } from '#tests/support/service/callers.ts';
import { startReceiver, testNames } from '#tests/support/service/receiver.ts';
import { runs } from '#tests/support/run/runs.ts';
import { startService } from '#tests/support/service/service.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';
import { FakeClock } from '#tests/support/timers.ts';

const STREAM = '/2/tweets/search/stream';
const FIELDS = '?tweet.fields=author_id,edit_controls&expansions=author_id';
/** A word that a rule always asks for, in the last Post. */
const LAST = 'last';

const receiver = await startReceiver();
afterAll(() => receiver.close());

const word = fc.constantFrom('tea', 'coffee', 'milk');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('post'), word }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit'), word, of: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), of: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rule'), word }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unrule'), word }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('fail'), times: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), minutes: fc.nat(3) }) },
) as fc.Arbitrary<Step>;
type Step =
  | { do: 'post'; word: string }
  | { do: 'edit'; word: string; of: number }
  | { do: 'delete'; of: number }
  | { do: 'rule' | 'unrule'; word: string }
  | { do: 'fail'; times: number }
  | { do: 'wait'; minutes: number };

it('what a linked webhook accepts is what an open stream of the same app gets, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const clock = new FakeClock(Date.parse('2026-11-21T10:30:20Z'));
      const { now, timer, timeout } = clock;
      const outgoing = { resolve: testNames, ca: receiver.ca, timer, timeout };
      const service = startService({ now, elapsed: now, outgoing });
      const accepted: string[] = [];
      let failing = 0;
      receiver.deliver = ({ body }, response) => {
        const fails = (failing -= 1) >= 0;
        if (!fails) accepted.push(String(body));
        response.writeHead(fails ? 503 : 200).end();
      };
      const settled = async (): Promise<void> => {
        service.events.posts.wake();
        await service.webhooks.rest();
        await service.webhooks.deliverer.idle();
      };
      try {
        const app = activityApp(service);
        receiver.secret = app.api_key_secret;
        const alice = activityApp(service).user('alice');
        const profile = { subscription_type: 'Premium' } as const;
        service.auth.accounts({ action: 'set', username: 'alice', profile });
        const { body } = await app.post('/2/webhooks', { url: receiver.url() });
        const headers = bearer(app.bearer_token);
        const stream = linesOf(
          await service.request(STREAM, { headers }).then(async (none) => {
            // Without rules there is no stream.
            expect(none.status).toBe(409);
            await app.post(`${STREAM}/rules`, { add: [{ value: LAST }] });
            return await service.request(STREAM + FIELDS, { headers });
          }),
        );
        await app.post(`/2/tweets/search/webhooks/${body.data.id}${FIELDS}`);

        const posts: string[] = [];
        const create = async (text: string, previous?: string): Promise<void> => {
          const edit = previous && { edit_options: { previous_post_id: previous } };
          const made = await alice.post('/2/tweets', { text, ...edit });
          if (made.status === 201) posts.push(made.body.data.id);
          await clock.move(1000);
        };
        for (const [at, each] of steps.entries()) {
          const of = 'of' in each ? posts[each.of % Math.max(1, posts.length)] : undefined;
          if (each.do === 'post') await create(`${each.word} ${at}`);
          else if (each.do === 'edit' && of) await create(`${each.word} ${at}`, of);
          else if (each.do === 'delete' && of) await alice.send('DELETE', `/2/tweets/${of}`);
          else if (each.do === 'rule') {
            await app.post(`${STREAM}/rules`, { add: [{ value: each.word }] });
          } else if (each.do === 'unrule') {
            await app.post(`${STREAM}/rules`, { delete: { values: [each.word] } });
          } else if (each.do === 'fail') failing = each.times;
          else if (each.do === 'wait') await clock.move(each.minutes * 60_000, settled);
        }
        await create(LAST);
        await clock.move(HOUR_MS, settled);
        const lines: string[] = [];
        do lines.push(String(await stream.line()));
        while (JSON.parse(lines.at(-1)!).data.text !== LAST);
        expect(accepted).toEqual(lines);
        await stream.close();
      } finally {
        await service.close();
      }
    }),
    { numRuns: runs(15) },
  );
});
