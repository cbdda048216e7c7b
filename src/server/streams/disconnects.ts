import { PROBLEMS } from '#contract/fault.ts';
import type { DisconnectReason } from '#contract/streams/connections.ts';

/** A message of the platform (platform-facts, section 5; platform-openapi, OperationalDisconnectProblem). */
function operational(type: string, detail: string): string {
  return JSON.stringify({
    errors: [
      {
        title: 'operational-disconnect',
        disconnect_type: type,
        detail,
        type: `${PROBLEMS}operational-disconnect`,
      },
    ],
  });
}

const OPERATIONAL = operational(
  'UpstreamOperationalDisconnect',
  'This stream has been disconnected upstream for operational reasons.',
);

/** The last line of a stream, by the reason for its end; null where it ends without one. */
export const LAST_LINE: Readonly<Record<DisconnectReason, string | null>> = {
  client_disconnect: null,
  recovery_complete: null,
  operator_disconnect: operational(
    'ForceDisconnect',
    'This stream has been disconnected by a request to end its connection.',
  ),
  slow_reader: operational(
    'SlowReader',
    'This stream has been disconnected because the client reads more slowly than Posts arrive.',
  ),
  operational_disconnect: OPERATIONAL,
  service_interrupted: OPERATIONAL,
  access_revoked: operational(
    'ClientApplicationStateDegraded',
    'This stream has been disconnected because the app or its token was revoked.',
  ),
  internal_error: operational(
    'InternalError',
    'This stream has been disconnected because of an error in the service.',
  ),
  usage_capped: JSON.stringify({
    errors: [
      {
        title: 'UsageCapExceeded',
        detail: 'This stream has been disconnected because the app has no credits left.',
        period: 'Monthly',
        scope: 'Product',
        type: `${PROBLEMS}usage-capped`,
      },
    ],
  }),
};
