/** A valid product as JSON, with changes. */
export function product(id: string, changes: object = {}): Record<string, unknown> {
  return {
    id,
    title: `Product ${id}`,
    description: 'A product.',
    availability: 'in stock',
    condition: 'new',
    price: '20.00 USD',
    link: `https://shop.example/${id.trim()}`,
    image_link: 'https://shop.example/image.png',
    brand: 'Shop',
    ...changes,
  };
}
