import {
  PLATFORM_CONNECTION,
  type CheckAnswer,
  type CheckOrder,
  type ConnectionAnswer,
} from '#contract/counts/platform-connection.ts';
import type { Client } from './client.ts';

/** How the service reaches the platform. Every call throws {@link Fault}. */
export interface ConnectionApi {
  info(): Promise<ConnectionAnswer>;
  /** Gives the service a token, which it checks for free and keeps if the platform accepts it. */
  connect(token: string): Promise<CheckAnswer>;
  check(what: CheckOrder['what']): Promise<CheckAnswer>;
  disconnect(): Promise<ConnectionAnswer>;
}

/** The {@link ConnectionApi} of the service this page came from. */
export function connectionApi(client: Pick<Client, 'send' | 'json'>): ConnectionApi {
  const options = () => ({ signal: new AbortController().signal, impatient: true });
  const { info, connect, check, disconnect } = PLATFORM_CONNECTION;
  return {
    info: () => client.json(info.path, info.answer, options()),
    connect: (token) =>
      client.send(connect.method, connect.path, { token }, connect.answer, options()),
    check: (what) => client.send(check.method, check.path, { what }, check.answer, options()),
    disconnect: () =>
      client.send(disconnect.method, disconnect.path, {}, disconnect.answer, options()),
  };
}
