/**
 * `product.fields` is a list of the product's values in the order that this step has them: a third shorter than with their
 * names.
 *
 * `facet_range` has what the cells of a `facet` are, so that a filter need not read blocks in which nothing meets it.
 *
 * `product_row` has a digest of the row of a feed from which a product was read without a warning: while a feed has the
 * same row, the product need not be read.
 */
export const CATALOG_2 = `
CREATE TABLE facet_range (
  catalog INTEGER NOT NULL, attribute INTEGER NOT NULL, block INTEGER NOT NULL, range TEXT NOT NULL,
  PRIMARY KEY (catalog, attribute, block)
) WITHOUT ROWID;
CREATE TABLE product_row (product INTEGER PRIMARY KEY, digest TEXT NOT NULL);
UPDATE product SET fields = json_array(
  fields -> 'id', fields -> 'title', fields -> 'description', fields -> 'availability', fields -> 'condition',
  fields -> 'price', fields -> 'link', fields -> 'image_link', fields -> 'brand', fields -> 'gtin', fields -> 'mpn',
  fields -> 'mobile_link', fields -> 'additional_image_link', fields -> 'google_product_category',
  fields -> 'product_type', fields -> 'inventory', fields -> 'sale_price', fields -> 'sale_price_effective_date',
  fields -> 'item_group_id', fields -> 'gender', fields -> 'color', fields -> 'size', fields -> 'age_group',
  fields -> 'custom_label_0', fields -> 'custom_label_1', fields -> 'custom_label_2', fields -> 'custom_label_3',
  fields -> 'custom_label_4');
`;
