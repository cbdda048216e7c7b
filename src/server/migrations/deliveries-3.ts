/** Sessions of logs that their readers have read from, in the order in which they were first read. */
export const DELIVERIES_3 = `
CREATE TABLE log_session (n INTEGER PRIMARY KEY, name TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (name, id));
`;
