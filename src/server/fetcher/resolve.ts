import { lookup, Resolver } from 'node:dns/promises';

/** The time that a name server has to answer, ms, and the number of times it is asked. */
const ASKED = { timeout: 3000, tries: 2 };

/**
 * Resolves host names by name servers, without the file of hosts and without the threads that files are read with: a
 * name server that does not answer delays nothing else.
 *
 * @param servers - Their addresses; those of this machine by default.
 * @returns A function that rejects with the error of the name server if it knows no address.
 */
export function publicNames(servers?: readonly string[]): (name: string) => Promise<string[]> {
  const resolver = new Resolver(ASKED);
  if (servers) resolver.setServers(servers);
  return async (name) => {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(name),
      resolver.resolve6(name),
    ]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  };
}

/** Resolves host names as other programs of this machine do, also `localhost` and names in its file of hosts. */
export async function localNames(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
