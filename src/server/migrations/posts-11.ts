/**
 * Sessions of the log: each connection that appends has a random id, and `first` is the number of its first entry. A file
 * that is restored from a backup continues with another session, so a reader notices from which entry on it differs.
 */
export const POSTS_11 = `
CREATE TABLE event_session (first INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
`;
