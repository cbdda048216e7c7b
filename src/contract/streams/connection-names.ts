/** Streams that this service offers. The last two are additional names here, which the platform's list does not have. */
export const STREAM_NAMES = ['filtered_stream', 'activity_stream', 'powerstream'] as const;

/** The reasons a connection ended, as its entry names them. */
export const DISCONNECT_REASONS = [
  'client_disconnect',
  'operator_disconnect',
  'slow_reader',
  'operational_disconnect',
  'usage_capped',
  'access_revoked',
  'recovery_complete',
  'internal_error',
  'service_interrupted',
] as const;
