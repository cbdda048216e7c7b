import * as v from 'valibot';
import { plainProblem } from '#contract/fault.ts';
import { hasArchive } from '#contract/counts/platform-terms.ts';
import type {
  CheckAnswer,
  CheckOrder,
  ConnectionAnswer,
} from '#contract/counts/platform-connection.ts';
import type { SpendingAnswer } from '#contract/counts/spending.ts';
import { UsageAnswer } from '#contract/accounts/usage.ts';
import { parseJson } from '#core/text/bounded-json.ts';
import { platformToken, type PlatformAccess } from './access.ts';
import { spentOf } from './budget.ts';
import { StoredTokenError, type StoredPlatformToken } from './stored-token.ts';
import { Relay, type RelayDeps } from './relay.ts';
import { readCall } from './request.ts';
import { NoReply, sendingTo, type PlatformReply } from './sending.ts';
import type { PlatformStore } from './store.ts';

/** The time in which a relay that another one replaces may finish what it buys, ms. */
const PATIENCE_MS = 15_000;

/** Says whether the platform accepts the token. It is free: no list of prices names it (platform-facts 1.6, section 9). */
const FREE_CHECK =
  '/2/usage/tweets?usage.fields=cap_reset_day,project_cap,project_id,project_usage';

/** The first day of the archive: one bucket, of a query that hardly anything matches. */
const ARCHIVE_CHECK =
  'http://service/?query=groundswell&granularity=day' +
  '&start_time=2006-03-21T00:00:00Z&end_time=2006-03-22T00:00:00Z';

export interface ConnectionDeps extends Omit<RelayDeps, 'access' | 'store'> {
  readonly address: Omit<PlatformAccess, 'token'>;
  /** The token of the environment, which takes precedence; null if there is none. */
  readonly token: string | null;
  readonly stored: StoredPlatformToken;
  /** Opens the file of what was bought; called once, when the platform is first connected. */
  readonly openStore: () => PlatformStore;
}

/** The connection of the service to the platform, by a token of the environment or one that it keeps. */
export type Connection = ReturnType<typeof openConnection>;

/** Answer of every platform path while the platform is not connected. */
export function notConnected(): Error {
  const detail =
    'The platform is not connected: enter its bearer token in the settings, or start the service with GROUNDSWELL_PLATFORM_TOKEN.';
  return plainProblem(404, 'Not Found', detail);
}

const Refusal = v.object({ detail: v.pipe(v.string(), v.nonEmpty(), v.maxLength(2000)) });

/** The platform's explanation of its refusal; null for a page. */
export function refusalOf({ status, body }: Pick<PlatformReply, 'status' | 'body'>): string | null {
  if (status === 200) return null;
  const read = v.safeParse(Refusal, parseJson(Buffer.from(body).toString('utf8')));
  return read.success ? read.output.detail : `It gave no reason (status ${status}).`;
}

function usageOf({ status, body }: PlatformReply): CheckAnswer['usage'] {
  if (status !== 200) return null;
  const read = v.safeParse(UsageAnswer, parseJson(Buffer.from(body).toString('utf8')));
  if (!read.success) return null;
  const { project_usage: used, project_cap: cap, cap_reset_day: days } = read.output.data;
  return { used, cap, days };
}

export function openConnection(deps: ConnectionDeps) {
  const { address, stored, openStore, timeout, fetch, agent } = deps;
  const sending = { fetch, timeout, agent };
  let store: PlatformStore | null = null;
  let relay: Relay | null = null;
  let inUse: string | null = null;
  let from: ConnectionAnswer['from'] = null;
  let fault: string | null = null;
  /** Changes of the connection, one after the other. */
  let changing: Promise<unknown> = Promise.resolve();
  const ending = new AbortController();

  const use = (token: string, by: NonNullable<ConnectionAnswer['from']>): void => {
    store ??= openStore();
    relay = new Relay({ ...deps, access: { ...address, token }, store });
    [inUse, from, fault] = [token, by, null];
  };
  const info = (): ConnectionAnswer => ({ from, host: address.host, fault });

  /** Asks the platform whether it accepts a token. */
  const ask = async (token: string): Promise<CheckAnswer> => {
    const send = sendingTo({ ...sending, access: { ...address, token } });
    try {
      const reply = await send(FREE_CHECK, ending.signal);
      const { status } = reply;
      return { status, detail: refusalOf(reply), usage: usageOf(reply), archive: null, price: 0 };
    } catch (error) {
      throw error instanceof NoReply ? error.fault : error;
    }
  };
  const refuseManaged = (): void => {
    if (from !== 'environment') return;
    const detail =
      'The token comes from GROUNDSWELL_PLATFORM_TOKEN: start the service without it to manage the token here.';
    throw plainProblem(409, 'Conflict', detail);
  };
  const change = <T>(work: () => Promise<T>): Promise<T> => {
    const done = changing.then(work);
    changing = done.catch(() => undefined);
    return done;
  };
  const end = async (): Promise<void> => {
    const before = relay;
    [relay, inUse, from, fault] = [null, null, null, null];
    await before?.close(PATIENCE_MS);
  };

  const checkArchive = async (by: Relay): Promise<CheckAnswer> => {
    const call = readCall('all', ARCHIVE_CHECK);
    const reply = await by.answer({ call, ask: null, buy: 'again' });
    if (!reply) throw notConnected();
    const { status, price } = reply;
    // Other refusals, such as 429, say nothing about the archive.
    const archive = status === 200 ? true : status === 403 ? false : null;
    const { settings } = by.settings();
    if (archive !== null && archive !== hasArchive(settings.access)) {
      by.change({ ...settings, access: archive ? 'pay-per-use' : 'self-service' });
    }
    return { status, detail: refusalOf(reply), usage: null, archive, price };
  };

  if (deps.token !== null) use(deps.token, 'environment');
  else {
    try {
      const token = stored.read();
      if (token !== null) use(token, 'settings');
    } catch (error) {
      if (!(error instanceof StoredTokenError)) throw error;
      fault = error.message;
      deps.log(fault);
    }
  }

  return {
    /** Null while the platform is not connected. */
    get relay() {
      return relay;
    },
    info,
    /**
     * Checks a token and keeps it if the platform accepts it, in place of the one before.
     *
     * @throws {@link Fault} 400 if it is none or the platform refuses it; 409 if the environment has a token; 502 and 504 if
     *   the platform cannot be reached. Then nothing has changed.
     */
    connect: (text: string): Promise<CheckAnswer> =>
      change(async () => {
        refuseManaged();
        let token: string | null = null;
        try {
          token = platformToken(text, 'This');
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          throw plainProblem(400, 'Bad Request', error.message);
        }
        if (token === null) throw plainProblem(400, 'Bad Request', 'The token is empty.');
        const answer = await ask(token);
        // A token that must wait is one that the platform knows.
        if (answer.status !== 200 && answer.status !== 429) {
          const detail = `The platform refused the token (status ${answer.status}). ${answer.detail}`;
          throw plainProblem(400, 'Bad Request', detail);
        }
        stored.write(token);
        await end();
        use(token, 'settings');
        return answer;
      }),
    /**
     * Checks the token in use.
     *
     * @throws {@link Fault} 404 if the platform is not connected; as {@link Relay.answer} for the archive.
     */
    check: async (what: CheckOrder['what']): Promise<CheckAnswer> => {
      if (!relay || inUse === null) throw notConnected();
      return await (what === 'archive' ? checkArchive(relay) : ask(inUse));
    },
    /** Forgets the token. @throws {@link Fault} 409 if the environment has one. */
    disconnect: (): Promise<ConnectionAnswer> =>
      change(async () => {
        refuseManaged();
        stored.remove();
        await end();
        return info();
      }),
    /** Number of requests whose answer has not been received and stored yet. */
    get purchases() {
      return relay?.purchases ?? 0;
    },
    /** The spending by month, newest first; empty until the platform is first connected. */
    months: (): SpendingAnswer['months'] =>
      (store?.months() ?? []).map(({ month, ...sum }) => ({ month, ...spentOf(sum) })),
    /** Accepts nothing more; running purchases have `patience` ms to finish. */
    close: async (patience: number): Promise<void> => {
      const waiting = relay?.close(patience);
      ending.abort();
      await Promise.all([waiting, changing]);
    },
    /** Closes the file of what was bought, in the end. */
    closeStore: (): void => store?.close(),
  };
}
