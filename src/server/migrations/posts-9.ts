/**
 * What apps paid for changes of Posts and relations, written with the change itself: sums by app, UTC day and operation
 * as in `bill` of the service's own file.
 */
export const POSTS_9 = `
CREATE TABLE charge (
  app TEXT NOT NULL, day INTEGER NOT NULL, operation TEXT NOT NULL, requests INTEGER NOT NULL,
  charged INTEGER NOT NULL, price INTEGER NOT NULL, PRIMARY KEY (app, day, operation)
) WITHOUT ROWID;
`;
