/**
 * A random mark of each known revision. A file restored from a backup issues its revision numbers
 * again, with other marks: so a reader can detect that its data of a revision is from another file.
 */
export const POSTS_4 = `
CREATE TABLE revision_mark (revision INTEGER PRIMARY KEY, mark TEXT NOT NULL);
INSERT INTO revision_mark
  SELECT CAST(value AS INTEGER), lower(hex(randomblob(8))) FROM meta WHERE key = 'revision';
`;
