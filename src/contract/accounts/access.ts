/** Access levels of an app (specification, Limits; platform-facts section 0). */
export const ACCESS_LEVELS = ['self-service', 'pay-per-use', 'enterprise'] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

/** Levels that reach the whole archive (platform-facts section 0). */
export const ARCHIVE_LEVELS: readonly Access[] = ['pay-per-use', 'enterprise'];
