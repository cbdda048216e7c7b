/** How many days back counts/recent reaches (specification, Limits). */
export const RECENT_DAYS = 7;
