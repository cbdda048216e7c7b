/** Rows that a table shows at first, and adds at a time. */
export const ROWS = 100;
