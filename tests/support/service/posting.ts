import type { Access } from '#contract/accounts/access.ts';
import type { Profile } from '#contract/accounts/accounts.ts';
import type { TestService } from '#tests/support/service/service.ts';

/** Headers of a caller. */
export type Headers = Readonly<Record<string, string>>;

/** JSON as `Response.json` returns it. */
type Body = Awaited<ReturnType<Response['json']>>;

/** An answer's status and JSON. */
export interface Answered {
  readonly status: number;
  readonly body: Body;
}

/** Sends requests of accounts to a service, each with a token of its own. */
export function posting(service: TestService) {
  const apps = new Map<Access, string>();
  const appOf = (access: Access): string => {
    const name = `app with ${access}`;
    if (!apps.has(access)) {
      service.auth.apps({ action: 'add', name, settings: { access, limited: false } });
      apps.set(access, name);
    }
    return name;
  };
  const read = async (answer: Response): Promise<Answered> => ({
    status: answer.status,
    body: await answer.json(),
  });
  return {
    /** A new account. @returns The headers of its requests, through an app of an access level. */
    account: (
      username: string,
      access: Access = 'enterprise',
      profile: Partial<Profile> = {},
    ): Headers => {
      const known = service.auth.accounts({ action: 'list' });
      if (!known.some((each) => each.username === username)) {
        service.auth.accounts({ action: 'add', username, profile });
      }
      const { token } = service.auth.issueUserToken({
        name: username,
        app: appOf(access),
        limited: false,
      });
      return { cookie: '', authorization: `Bearer ${token}` };
    },
    post: async (headers: Headers, body: object, path = '/2/tweets'): Promise<Answered> => {
      const init = {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      };
      return await read(await service.request(path, init));
    },
    remove: async (headers: Headers, id: string): Promise<Answered> =>
      await read(await service.request(`/2/tweets/${id}`, { method: 'DELETE', headers })),
    get: async (path: string): Promise<Body> => await (await service.request(path)).json(),
  };
}

/** The field names and messages of a 400. */
export function wrongOf({ status, body }: Answered): [string, string][] {
  if (status !== 400) throw new RangeError(`expected 400, got ${status}: ${JSON.stringify(body)}`);
  return body.errors.map((error: { parameters: object; message: string }) => [
    Object.keys(error.parameters).join(),
    error.message,
  ]);
}
