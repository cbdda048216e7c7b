import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '#tests/support/run/runs.ts';
import { addApp } from '#tests/support/service/signing-in.ts';
import { startService } from '#tests/support/service/service.ts';

const STREAM = '/2/tweets/search/stream';
const MINUTE = 60_000;
/** A word that a rule always asks for, in the last Post. */
const LAST = 'last';
const WORDS = ['tea', 'coffee', 'milk'] as const;

const word = fc.constantFrom(...WORDS);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('post'), word }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit'), word, of: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), of: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rule'), word }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unrule'), word }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('connect'), minutes: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disconnect'), of: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), minutes: fc.nat(3) }) },
) as fc.Arbitrary<Step>;

type Step =
  | { do: 'post'; word: string }
  | { do: 'edit'; word: string; of: number }
  | { do: 'delete'; of: number }
  | { do: 'rule' | 'unrule'; word: string }
  | { do: 'connect'; minutes: number }
  | { do: 'disconnect'; of: number }
  | { do: 'wait'; minutes: number };

/** A Post or a version of one. */
interface Version {
  readonly id: string;
  readonly word: string;
  readonly at: number;
  /** Index of the step. */
  readonly step: number;
  /** The first version. */
  readonly root: string;
}

interface Reading {
  readonly minutes: number;
  readonly at: number;
  readonly step: number;
  readonly ids: string[];
  readonly errors: string[];
  readonly close: () => Promise<void>;
}

it('delivers each matching Post in order: at least once with backfill, at most once without', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      let now = Date.parse('2026-11-21T10:30:20Z');
      const service = startService({ now: () => now });
      try {
        const settings = { access: 'enterprise', limited: false } as const;
        const app = addApp(service, 'Reader', settings);
        const { token } = service.auth.issueUserToken({ name: 'alice', limited: false });
        const profile = { subscription_type: 'Premium' } as const;
        service.auth.accounts({ action: 'set', username: 'alice', profile });
        const send = async (bearer: string, method: string, path: string, body?: object) => {
          const answer = await service.request(path, {
            method,
            headers: {
              cookie: '',
              authorization: `Bearer ${bearer}`,
              'content-type': 'application/json',
            },
            ...(body && { body: JSON.stringify(body) }),
          });
          return { status: answer.status, json: await answer.json() };
        };

        const versions: Version[] = [];
        const deleted = new Set<string>();
        /** The steps in which the rule for a word was added, and removed if it was. */
        const ruled: { word: string; from: number; to: number }[] = [];
        const open: Reading[] = [];
        const past: Reading[] = [];

        const create = async (at: number, of: string, previous?: Version): Promise<void> => {
          now += 1000;
          const { status, json } = await send(token, 'POST', '/2/tweets', {
            text: `${of} ${at}`,
            ...(previous && { edit_options: { previous_post_id: previous.id } }),
          });
          expect(status).toBe(201);
          const { id } = json.data;
          versions.push({ id, word: of, at: now, step: at, root: previous?.root ?? id });
        };
        const addRule = async (at: number, value: string): Promise<void> => {
          await send(app.bearer_token, 'POST', `${STREAM}/rules`, { add: [{ value }] });
          ruled.push({ word: value, from: at, to: Infinity });
        };
        const connect = async (at: number, minutes: number): Promise<Reading> => {
          const answer = await service.request(`${STREAM}?backfill_minutes=${minutes}`, {
            headers: { cookie: '', authorization: `Bearer ${app.bearer_token}` },
          });
          expect(answer.status).toBe(200);
          const reader = answer.body!.getReader();
          const reading: Reading = {
            minutes,
            at: now,
            step: at,
            ids: [],
            errors: [],
            close: () => reader.cancel(),
          };
          const decoder = new TextDecoder();
          void (async () => {
            for (let rest = ''; ;) {
              const part = await reader.read();
              if (part.done) return;
              const lines = (rest + decoder.decode(part.value, { stream: true })).split('\r\n');
              rest = lines.pop() ?? '';
              for (const line of lines) {
                const { data, errors } = JSON.parse(line || '{}');
                if (data) reading.ids.push(data.id);
                if (errors) reading.errors.push(line);
              }
            }
          })();
          return reading;
        };

        await addRule(-1, LAST);
        for (const [at, each] of steps.entries()) {
          const newest = versions.filter(
            ({ id, root }) =>
              !deleted.has(root) && versions.findLast((other) => other.root === root)?.id === id,
          );
          const of = 'of' in each ? newest[each.of % Math.max(1, newest.length)] : undefined;
          if (each.do === 'post') await create(at, each.word);
          else if (each.do === 'edit') {
            const edits = versions.filter(({ root }) => root === of?.root).length;
            if (of && edits <= 5) await create(at, each.word, of);
          } else if (each.do === 'delete') {
            if (of) await send(token, 'DELETE', `/2/tweets/${of.id}`);
            if (of) deleted.add(of.root);
          } else if (each.do === 'rule') {
            if (!ruled.some(({ word: of, to }) => of === each.word && to === Infinity)) {
              await addRule(at, each.word);
            }
          } else if (each.do === 'unrule') {
            const rules = { delete: { values: [each.word] } };
            await send(app.bearer_token, 'POST', `${STREAM}/rules`, rules);
            for (const rule of ruled) if (rule.word === each.word && rule.to > at) rule.to = at;
          } else if (each.do === 'connect') {
            if (open.length < 2) open.push(await connect(at, each.minutes));
          } else if (each.do === 'disconnect') {
            const [gone] = open.splice(each.of % Math.max(1, open.length), 1);
            if (gone) past.push(gone);
            await gone?.close();
          } else if (each.do === 'wait') {
            now += each.minutes * MINUTE;
          }
        }
        await create(steps.length, LAST);
        const last = versions.at(-1)!.id;
        for (const reading of open) await expect.poll(() => reading.ids.at(-1)).toBe(last);

        const order = new Map(versions.map(({ id }, i) => [id, i]));
        for (const { ids, errors, minutes, at, step: connected } of [...open, ...past]) {
          expect(errors).toEqual([]);
          const places = ids.map((id) => order.get(id) ?? NaN);
          expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
          for (const place of places) {
            const { word: of, at: posted, step: created } = versions[place]!;
            expect(ruled.some((rule) => rule.word === of && rule.to > created)).toBe(true);
            expect(minutes > 0 ? posted >= at - minutes * MINUTE : created > connected).toBe(true);
          }
        }
        for (const { ids, minutes, at, step: connected } of open) {
          const wanted = versions.filter(
            (version) =>
              !deleted.has(version.root) &&
              (version.step > connected || (minutes > 0 && version.at >= at - minutes * MINUTE)) &&
              ruled.some(
                ({ word: of, from, to }) =>
                  of === version.word &&
                  to === Infinity &&
                  from < Math.max(version.step, connected),
              ),
          );
          expect(wanted.filter(({ id }) => !ids.includes(id))).toEqual([]);
        }
        for (const { close } of open) await close();
      } finally {
        await service.close();
      }
    }),
    { numRuns: runs(30) },
  );
});
