import { Fault } from '#contract/fault.ts';
import type { PlatformOrder, PlatformResult } from '#contract/control/platform-orders.ts';
import { relayPages } from '#server/counting/platform-pages.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { jobsOf } from './works.ts';
import type { Connection } from '#server/platform/connection.ts';
import type { Relay } from '#server/platform/relay.ts';

async function resultOf(order: PlatformOrder, relay: Relay): Promise<PlatformResult> {
  if (order.what === 'settings') return { what: 'settings', answer: relay.settings() };
  if (order.what === 'held') {
    return { what: 'held', pages: relay.held(order.query, order.granularity).pages };
  }
  const page = await relayPages(relay).page(order);
  const body = page && Buffer.from(page.body).toString('utf8');
  return { what: 'page', page: page && { ...page, body: body ?? '' } };
}

/** The job by which commands use the platform through a running service, which alone keeps its budget and its vault. */
export function platformJob(connection: Pick<Connection, 'relay'>): Pick<Jobs, 'platform'> {
  return jobsOf({
    platform: async (order) => {
      const { relay } = connection;
      if (!relay) return { type: 'platform', result: { what: 'unconnected' } };
      try {
        return { type: 'platform', result: await resultOf(order, relay) };
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const { status, body, headers } = error;
        return { type: 'platform', result: { what: 'refused', status, body, headers } };
      }
    },
  });
}
