/**
 * `product_row` has a digest of the row of a feed from which a product was read without a warning: while a feed has the
 * same row, the product need not be read.
 */
export const CATALOG_2 = `
CREATE TABLE product_row (product INTEGER PRIMARY KEY, digest TEXT NOT NULL);
`;
