/** The number of days that counts/recent reaches back (specification, Limits). */
export const RECENT_DAYS = 7;
