import type { AppSettings } from '#contract/accounts/apps.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';
import { addApp } from '#tests/support/service/signing-in.ts';
import type { TestService } from '#tests/support/service/service.ts';

const STREAM = '/2/powerstream';

let apps = 0;

/** An app of a service that uses powerstream. */
export function powerApp(service: TestService, settings: Partial<AppSettings> = {}) {
  const name = `Power ${(apps += 1)}`;
  const added = addApp(service, name, { access: 'enterprise', limited: false, ...settings });
  const headers = { cookie: '', authorization: `Bearer ${added.bearer_token}` };
  const send = async (method: string, path: string, body?: object) => {
    const answer = await service.request(path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    return { status: answer.status, headers: answer.headers, json: (await answer.json()) as any };
  };
  const rules = (method: string, list: readonly object[], prefix = '') =>
    send(method, `${prefix}${STREAM}/rules`, { rules: list });
  return {
    id: added.id,
    name,
    send,
    rules,
    /** Adds rules, which must be valid. @returns Their ids. */
    add: async (...values: readonly string[]): Promise<string[]> => {
      const { json } = await rules(
        'POST',
        values.map((value) => ({ value })),
      );
      if (json.errors) throw new Error(JSON.stringify(json.errors));
      return json.data.rules.map(({ id }: { id: string }) => id);
    },
    /** A connection to the stream. */
    connect: async (parameters = '', prefix = '') => {
      const answer = await service.request(`${prefix}${STREAM}${parameters}`, { headers });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return { headers: answer.headers, ...linesOf(answer) };
    },
    /** The answer to a connection that is refused. */
    refused: (parameters = '', prefix = '') => send('GET', `${prefix}${STREAM}${parameters}`),
  };
}
