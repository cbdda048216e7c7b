/** Reach of counts/recent (specification, Limits). */
export const RECENT_DAYS = 7;
