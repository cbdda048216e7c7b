/**
 * A random mark of each revision that is still known. A file put back from a backup gives its revision numbers out
 * again, with other marks: so a reader can find out that what it knows of a revision is of another file.
 */
export const POSTS_4 = `
CREATE TABLE revision_mark (revision INTEGER PRIMARY KEY, mark TEXT NOT NULL);
INSERT INTO revision_mark
  SELECT CAST(value AS INTEGER), lower(hex(randomblob(8))) FROM meta WHERE key = 'revision';
`;
