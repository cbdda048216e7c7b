import {
  BOARD_CHANGED,
  BOARDS,
  MOST_BOARD_BYTES,
  MOST_BOARDS,
  MOST_LOGIN_BYTES,
  NO_ROOM_FOR_BOARD,
} from '#contract/accounts/boards.ts';
import { Fault, plainProblem } from '#contract/fault.ts';
import type { Route } from '#server/http/serve.ts';
import { randomText } from '#server/random.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Caller } from '#server/auth/caller.ts';

const REVISION_BYTES = 9;
const MIB = 1024 * 1024;

function fault(status: 409 | 413, title: string, type: string, detail: string): Fault {
  return new Fault(status, { title, type, status, detail });
}

/**
 * `/boards`: the saved boards of the caller's login, or, where nobody signs in, of this machine. Browsers merge them; the
 * service never looks into one.
 */
export function boards({ http, service, network, random }: ServiceContext): Route[] {
  const table = service.boards;
  const loginOf = ({ login }: Caller): string => {
    if (login || !network) return login?.id ?? '';
    throw plainProblem(403, 'Forbidden', 'Boards are stored for people who sign in.');
  };
  return [
    http.serve(BOARDS.list, ({ caller }) => ({ boards: table.list(loginOf(caller)) })),
    http.serve(BOARDS.read, ({ caller, query: { id } }) => {
      const found = table.read(loginOf(caller), id);
      if (!found) throw plainProblem(404, 'Not Found', 'There is no board of that id.');
      return found;
    }),
    http.serve(BOARDS.store, ({ caller, query: { id }, body: { after, version } }) => {
      if (!version.removed && Buffer.byteLength(version.file, 'base64') > MOST_BOARD_BYTES) {
        const detail = `The service stores boards of up to ${MOST_BOARD_BYTES / MIB} MiB.`;
        throw fault(413, 'Content Too Large', NO_ROOM_FOR_BOARD, detail);
      }
      const revision = randomText(random, REVISION_BYTES);
      const outcome = table.store(
        loginOf(caller),
        id,
        { revision, version },
        after,
        ({ boards, bytes }) => boards <= MOST_BOARDS && bytes <= MOST_LOGIN_BYTES,
      );
      if (outcome === 'stored') return { revision };
      if (outcome === 'changed') {
        const detail = 'Another browser has stored this board since.';
        throw fault(409, 'Conflict', BOARD_CHANGED, detail);
      }
      const most = `${MOST_BOARDS} boards, and of ${MOST_LOGIN_BYTES / MIB} MiB`;
      const detail = `The service stores at most ${most}${network ? ', for one login' : ''}.`;
      throw fault(409, 'Conflict', NO_ROOM_FOR_BOARD, detail);
    }),
  ];
}
