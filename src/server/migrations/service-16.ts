/**
 * Imported requests for notes and imported ratings, each with the highest count that a file had, so that importing a file
 * again adds nothing; `staged_rating` has the ratings of a file that is being read. `link` is empty for the number of all requests, `rated_at` is 0 for a rating without a time. Times are
 * epoch ms. Until now an approved note writer was an AI developer too.
 */
export const SERVICE_16 = `
CREATE TABLE imported_request (
  post INTEGER NOT NULL, link TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (post, link)
) WITHOUT ROWID;
CREATE TABLE imported_rating (
  note INTEGER NOT NULL, rating TEXT NOT NULL, rated_at INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (note, rating, rated_at)
) WITHOUT ROWID;
CREATE TABLE staged_rating (
  note INTEGER NOT NULL, rating TEXT NOT NULL, rated_at INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (note, rating, rated_at)
) WITHOUT ROWID;
UPDATE account SET profile = json_set(profile, '$.ai_developer', json('true'))
  WHERE json_extract(profile, '$.note_writer') = 1;
`;
