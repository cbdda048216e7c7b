import type { AppSettings } from '#contract/accounts/apps.ts';
import { bearer, program } from '#tests/support/service/callers.ts';
import type { TestService } from '#tests/support/service/service.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';

const STREAM = '/2/powerstream';

/** An app of a service that uses powerstream. */
export function powerApp(service: TestService, settings: Partial<AppSettings> = {}) {
  const app = program(service, settings);
  const rules = (method: string, list: readonly object[], prefix = '') =>
    app.send(method, `${prefix}${STREAM}/rules`, { rules: list });
  return {
    ...app,
    rules,
    /** Adds rules, which must be valid. @returns Their ids. */
    add: async (...values: readonly string[]): Promise<string[]> => {
      const { body } = await rules(
        'POST',
        values.map((value) => ({ value })),
      );
      if (body.errors) throw new Error(JSON.stringify(body.errors));
      return body.data.rules.map(({ id }: { id: string }) => id);
    },
    /** A connection to the stream. */
    connect: async (parameters = '', prefix = '') => {
      const path = `${prefix}${STREAM}${parameters}`;
      const answer = await service.request(path, { headers: bearer(app.bearer_token) });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return { headers: answer.headers, ...linesOf(answer) };
    },
    /** The answer to a connection that is refused. */
    refused: (parameters = '', prefix = '') => app.get(`${prefix}${STREAM}${parameters}`),
  };
}
