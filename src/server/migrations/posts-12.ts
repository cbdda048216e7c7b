/**
 * `forward`: what each Post of a chunk contains (`index/forward.ts`), in parts: 0 is the names, the others are the numbers
 * one after another. Each `sum` is a checksum of the part and its address.
 */
export const POSTS_12 = `
CREATE TABLE forward (
  c INTEGER NOT NULL, part INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (c, part)
) WITHOUT ROWID;
`;
